//! Values that users choose by name: their tables, and the lookup of names.

use crate::error::{Error, Result};

/// A value with a name for users.
#[derive(Clone, Copy, Debug)]
pub struct Named<T: 'static> {
    /// The value.
    pub value: T,
    /// Its name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
}

/// An enum whose values users choose by name, and the table of them: `enum Walls in WALLS as "walls"`, the last being
/// the setting that takes such a value. A row has the value, its name and what it is.
macro_rules! choices {
    ($(#[$meta:meta])* enum $of:ident in $rows:ident as $setting:literal {
        $($(#[$more:meta])* $value:ident $(= $number:expr)?, $name:literal, $about:literal;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $of {
            $(#[doc = concat!("`", $name, "`: ", $about, ".")] $(#[$more])* $value $(= $number)?,)*
        }

        #[doc = concat!("Every [`", stringify!($of), "`] with its name, the default first where there is one for all.")]
        pub const $rows: &[$crate::flock::named::Named<$of>] =
            &[$($crate::flock::named::Named { value: $of::$value, name: $name, about: $about }),*];

        impl $of {
            /// The value of that name.
            ///
            /// # Errors
            /// [`Error::Setting`](crate::Error::Setting) for an unknown name, with the nearest known one offered.
            pub fn named(name: &str) -> $crate::error::Result<$of> {
                $crate::flock::named::find($setting, $rows, |row| row.name, name).map(|row| row.value)
            }

            /// Its name for users.
            pub fn name(self) -> &'static str {
                match self { $($of::$value => $name),* }
            }

            /// What it is, in a few words.
            pub fn about(self) -> &'static str {
                match self { $($of::$value => $about),* }
            }

            /// The next value in the table; after the last, the first.
            #[must_use]
            pub fn next(self) -> $of {
                let at = $rows.iter().take_while(|row| row.value != self).count();
                $rows[(at + 1) % $rows.len()].value
            }
        }

        impl std::fmt::Display for $of {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

pub(crate) use choices;

/// The row with the name `name` in the table of the values of `setting`; else an error that lists them, and suggests a
/// similar one.
pub(crate) fn find<T>(setting: &str, rows: &'static [T], name_of: fn(&T) -> &str, name: &str) -> Result<&'static T> {
    if let Some(row) = rows.iter().find(|row| name_of(row) == name) {
        return Ok(row);
    }
    let names: Vec<&str> = rows.iter().map(name_of).collect();
    let nearest = names.iter().map(|known| (strsim::damerau_levenshtein(name, known), known)).min();
    let hint = match nearest {
        Some((distance, known)) if distance <= known.len() / 2 => format!(" (did you mean '{known}'?)"),
        _ => String::new(),
    };
    Err(Error::setting(setting, format!("'{name}'"), format!("one of {}{hint}", names.join(", "))))
}

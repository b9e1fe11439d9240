//! Values that users choose by name: tables of them, and the one way to look a name up.

use crate::error::Error;

/// A value that users know by a name.
#[derive(Clone, Copy, Debug)]
pub struct Named<T: 'static> {
    /// The value.
    pub value: T,
    /// Its name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
}

/// An enum whose values users choose by name, and the table of them: `enum Walls in WALLS as "walls"`, the last being the
/// setting that takes such a value. A row has the value, its name and what it is.
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
                let names = || $rows.iter().map(|row| row.name);
                let row = $rows.iter().find(|row| row.name == name);
                row.map(|row| row.value).ok_or_else(|| $crate::flock::named::unknown($setting, name, names()))
            }

            /// What users call it.
            pub fn name(self) -> &'static str {
                match self { $($of::$value => $name),* }
            }

            /// What it is, in a few words.
            pub fn about(self) -> &'static str {
                match self { $($of::$value => $about),* }
            }

            /// The value after this one in the table, and after the last the first.
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

/// The error that `setting` has no value called `name`: all that there are are `names`.
pub(crate) fn unknown(setting: &str, name: &str, names: impl Iterator<Item = &'static str>) -> Error {
    Error::setting(setting, format!("'{name}'"), one_of(name, names))
}

/// Every one of `names`, and which of them `name` may have been meant to be, when it is near enough to be a slip.
fn one_of(name: &str, names: impl Iterator<Item = &'static str>) -> String {
    let names: Vec<&str> = names.collect();
    let nearest = names.iter().map(|known| (strsim::damerau_levenshtein(name, known), known)).min();
    match nearest {
        Some((distance, known)) if distance <= known.len() / 2 => {
            format!("one of {} (did you mean '{known}'?)", names.join(", "))
        }
        _ => format!("one of {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::unknown;

    #[test]
    fn a_slip_is_answered_with_the_name_meant() {
        let message = |name| unknown("walls", name, ["push", "bounce", "none"].into_iter()).to_string();
        assert_eq!(
            message("bounc"),
            "walls is 'bounc'; accepted is one of push, bounce, none (did you mean 'bounce'?)"
        );
        assert_eq!(message("zzz"), "walls is 'zzz'; accepted is one of push, bounce, none");
    }
}

//! What a pass reads and writes, in one line at its call site.

use crate::{Group, ImageRef, Resource, Use};
use arrayvec::ArrayVec;
use std::ops::Deref;

/// Uses of a pass at most: a draw of meshes has the most.
const MOST: usize = 24;

/// What a pass reads and writes: see [`uses!`](crate::uses!)(crate::uses!).
#[derive(Clone, Debug, Default)]
pub struct Uses(ArrayVec<Use, MOST>);

/// What a pass does with which resources. An access is a function of [`Use`](crate::Use); those of shaders are of
/// compute shaders, unless their name begins with another stage. In place of a resource, a group of them or an optional
/// one may stand.
///
/// ```
/// # use barrier_proof::{Pass, Recorder, Resource, Stage, uses};
/// const COUNTS: Resource = Resource::new("counts");
/// const SUMS: Resource = Resource::new("sums");
/// # fn reduce(rec: &mut Recorder<'_>) {
/// let uses = uses![read COUNTS, write SUMS];
/// rec.pass(&Pass { name: "reduce", stage: Stage::COMPUTE_SHADER, uses: &uses }, |rec| { /* its commands */ });
/// # }
/// ```
#[macro_export]
macro_rules! uses {
    ($($access:ident $($resource:ident)+),* $(,)?) => {
        $crate::Uses::default()$($(.each($resource, $crate::uses!(@ $access)))+)*
    };
    (@ uniform) => { |of| $crate::Use::uniform($crate::Stage::COMPUTE_SHADER, of) };
    (@ read) => { |of| $crate::Use::read($crate::Stage::COMPUTE_SHADER, of) };
    (@ write) => { |of| $crate::Use::write($crate::Stage::COMPUTE_SHADER, of) };
    (@ read_write) => { |of| $crate::Use::read_write($crate::Stage::COMPUTE_SHADER, of) };
    (@ vertex_uniform) => { |of| $crate::Use::uniform($crate::Stage::VERTEX_SHADER, of) };
    (@ vertex_read) => { |of| $crate::Use::read($crate::Stage::VERTEX_SHADER, of) };
    (@ vertex_sampled) => { |of| $crate::Use::sampled($crate::Stage::VERTEX_SHADER, of) };
    (@ fragment_uniform) => { |of| $crate::Use::uniform($crate::Stage::FRAGMENT_SHADER, of) };
    (@ fragment_read) => { |of| $crate::Use::read($crate::Stage::FRAGMENT_SHADER, of) };
    (@ fragment_read_write) => { |of| $crate::Use::read_write($crate::Stage::FRAGMENT_SHADER, of) };
    (@ $access:ident) => { $crate::Use::$access };
}
impl Uses {
    /// Adds the use of one resource, of a group, or of none.
    #[must_use]
    pub fn each(mut self, resources: impl Into<Used>, of: impl Fn(Resource) -> Use) -> Self {
        self.0.extend(resources.into().0.into_iter().map(of));
        self
    }

    /// Adds these uses.
    #[must_use]
    pub fn and(mut self, more: &[Use]) -> Self {
        self.0.extend(more.iter().copied());
        self
    }
}

impl Deref for Uses {
    type Target = [Use];

    fn deref(&self) -> &[Use] {
        &self.0
    }
}

/// One resource, several, or none, in a line of uses.
#[derive(Clone, Debug)]
pub struct Used(ArrayVec<Resource, MOST>);

impl From<Resource> for Used {
    fn from(one: Resource) -> Self {
        Used(ArrayVec::from_iter([one]))
    }
}

impl From<ImageRef> for Used {
    fn from(image: ImageRef) -> Self {
        image.resource.into()
    }
}

impl From<Group> for Used {
    fn from(several: Group) -> Self {
        Used(several.0.iter().copied().collect())
    }
}

impl From<Option<Resource>> for Used {
    fn from(optional: Option<Resource>) -> Self {
        Used(ArrayVec::from_iter(optional))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stage;

    #[test]
    fn a_line_of_uses_is_a_list_of_them() {
        const A: Resource = Resource::new("a");
        const B: Resource = Resource::new("b");
        const BOTH: Group = Group(&[A, B]);
        let (stage, none) = (Stage::COMPUTE_SHADER, None::<Resource>);
        let uses = uses![read A none, vertex_read BOTH, copy_to B];
        let vertex = Stage::VERTEX_SHADER;
        assert_eq!(uses[..], [Use::read(stage, A), Use::read(vertex, A), Use::read(vertex, B), Use::copy_to(B)]);
        assert!(uses![].is_empty());
    }
}

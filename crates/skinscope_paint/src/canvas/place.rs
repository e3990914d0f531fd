//! Places of surfaces.

/// A place of a surface, at which several vertices may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    /// The number of the surface.
    pub surface: usize,
    /// The welded vertex.
    pub point: u32,
}

//! Where a model stands whose vertices take weights, and what they take.

use std::collections::HashMap;

use glam::DAffine3;

/// How a model and a donor are compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placing {
    /// What brings each mesh to where it rests in the world of the donor.
    pub worlds: Vec<DAffine3>,
    /// For each table the key of the joint here for each node of the donor.
    pub names: Vec<HashMap<u32, u32>>,
    /// How far a point may lie whose weights are taken, metres; `None`: as far as the size of the surface says.
    pub distance: Option<f64>,
    /// Whether every vertex gets weights: a loose piece that the donor is not near follows what it lies on, and where nothing says more, the
    /// weights are those of the closest point. Else such vertices take what the donor has there, or stay as they are.
    pub is_whole: bool,
}

//! Questions about weights and the posed surface: who moves what, what lies under a ray. Pure; serves panels, overlays
//! and the command line alike.

mod bones;
pub mod check;
mod inspection;
mod pick;
pub mod rig;
mod stats;
pub mod tables;
mod vertex;

pub use bones::{BoneSegment, bones};
pub use inspection::Inspection;
pub use pick::{Hit, PosedPrimitive, PosedSurface, moved_bounds, mover, pick, posed_surface};
pub use stats::{JointStats, WeightStats};
pub use vertex::{PerVertex, VertexPart, VertexRef, VertexSet};

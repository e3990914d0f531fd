//! Tables of a model's skinning: joints, vertices, skins, the chain of one joint; and tables as text.
//!
//! Rows, filters and orders are plain data, for panels, clipboard and command line. Figures use the current weights of
//! the given model; a primitive that is drawn several times with one skin counts once.

mod chain;
mod joints;
mod row;
mod skins;
mod tsv;
mod vertices;

pub use chain::{ChainLink, chain};
pub use joints::{JointColumn, JointFigures, JointRow, JointTable, scale_of};
pub use row::{Pair, Row};
pub use skins::{BOOK_SHARES, SkinData, SkinSummary, share_percent, skin_summaries};
pub use tsv::Tsv;
pub use vertices::{CountFilter, SumFilter, TablePart, VertexOrder, VertexQuery, VertexTable};

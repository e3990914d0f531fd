//! Springs between pieces of a surface that no edge joins.

use crate::BindError;
use crate::binder::Body;
use crate::islands::NONE;
use crate::progress::Progress;
use crate::source::Source;
use crate::surface::Surface;

/// Draws the weights of a place towards those of a point on a triangle of another piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spring {
    /// The place.
    pub place: u32,
    /// The corners of the triangle.
    pub target: [u32; 3],
    /// The share of each corner.
    pub shares: [f64; 3],
    /// How stiff it is, in the unit of the weights of edges.
    pub stiffness: f64,
}

/// A spring over the length 1 is so stiff, of a place that sees a bone, and of another one.
const STIFFNESS: [f64; 2] = [0.03, 3.0];
/// Lengths below this count as this.
const SHORTEST: f64 = 1e-3;
/// How far places that see a bone are coupled. Others are coupled however far it is.
const REACH: f64 = 0.1;
/// What is nearer to a border than this share of the mean length of the edges there is the other side of a crack.
const CRACK: f64 = 0.5;
/// A piece with more than this share of the triangles has a tree of all others, so that looking for these does not wade through its own.
const LARGE: f64 = 0.05;

/// Finds the springs of all places: each to the nearest point of the other pieces.
pub(crate) fn springs(body: &Body, sources: &[Source], progress: Progress) -> Result<Vec<Spring>, BindError> {
    let islands = body.islands;
    if islands.len() < 2 {
        return Ok(Vec::new());
    }
    let shape = body.shape;
    let sees = |place: u32| sources[place as usize].sees;
    let mut out = Vec::new();
    let mut small: Vec<u32> = Vec::new();
    for (number, piece) in (0..).zip(&islands.places) {
        progress.at(number as f32 / islands.len() as f32)?;
        if piece.len() as f64 <= LARGE * shape.points.len() as f64 {
            small.extend(piece);
            continue;
        }
        let others = Surface::of(shape, |corners| islands.of[corners[0] as usize] != number);
        out.extend(progress.by_chunk(piece.len(), 256, &|range| {
            let places = piece[range].iter();
            places.filter_map(|place| spring(body, &others, *place, sees(*place))).collect()
        })?);
    }
    out.extend(progress.by_chunk(small.len(), 64, &|range| {
        let places = small[range].iter();
        let of = |place: &u32| spring(body, &body.surface, *place, sees(*place));
        places.filter_map(of).collect()
    })?);
    Ok(out)
}

/// Returns the spring of a place.
fn spring(body: &Body, surface: &Surface, place: u32, sees: bool) -> Option<Spring> {
    let own = body.islands.of[place as usize];
    if own == NONE {
        return None;
    }
    let (stiffness, reach) = if sees { (STIFFNESS[0], REACH) } else { (STIFFNESS[1], f64::INFINITY) };
    let is_other = |corners: [u32; 3]| body.islands.of[corners[0] as usize] != own;
    let near = surface.nearest_of(body.shape.points[place as usize], reach, &is_other)?;
    let length = near.distance.max(SHORTEST);
    // It ends softly at the reach.
    let fade = (1.0 - (near.distance / reach).powi(2)).max(0.0).powi(2);
    let mut stiffness = fade * stiffness * body.shape.mass(place) / (length * length);
    if body.shape.is_border[place as usize] {
        // A crack: about as stiff as an edge, ending softly.
        let edges = body.shape.neighbours(place).map(|next| body.shape.points[next as usize]);
        let at = body.shape.points[place as usize];
        let (count, sum) = edges.fold((0.0, 0.0), |(count, sum), next| (count + 1.0, sum + next.distance(at)));
        let gap = near.distance * count / (CRACK * sum);
        stiffness = stiffness.max((4.0 * (1.0 - gap)).clamp(0.0, 1.0));
    }
    (stiffness > 0.0).then_some(Spring { place, target: near.places, shares: near.shares, stiffness })
}

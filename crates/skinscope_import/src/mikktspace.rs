//! Computes MikkTSpace tangents (Mikkelsen 2008) of the corners of a triangle list, in parts on all cores.
//!
//! The tangent of a corner depends only on the triangles around its position, so a part of the list together with all
//! triangles that touch it gives the same tangents as the whole list. Parts have the same size on every machine.

use bevy_mikktspace::{Geometry, TangentSpace, generate_tangents};
use glam::{Vec2, Vec4};
use skinscope_base::math::{Csr, Weld, WeldRule};
use skinscope_model::Primitive;

use super::error::guarded;
use super::{ImportError, Progress};

/// The most corners that may meet at one position. The generator recurses around a position and compares its corners with one
/// another, so a file with a million of them would exhaust the stack; no modelled surface comes near this number.
pub(super) const MOST_CORNERS: u32 = 512;

/// How many triangles a piece has: enough that few of them lie at its rim and are computed twice.
const PIECE: usize = 1 << 15;

/// The tangents of a surface's corners.
pub(super) struct Corners {
    /// The tangent of each index; `None` where the surface has none there.
    pub tangents: Vec<Option<Vec4>>,
    /// How many triangles were left out because too many meet at one of their corners.
    pub crowded: usize,
}

/// Makes the tangents of the corners of some triangles, whose vertices are those of `primitive`, for texture coordinates
/// `uvs`, one for each vertex.
pub(super) fn generate(
    primitive: &Primitive,
    (indices, uvs): (&[u32], &[Vec2]),
    progress: &Progress,
) -> Result<Corners, ImportError> {
    let surface = Surface::new(primitive, indices);
    let pieces: Vec<&[u32]> = surface.faces.chunks(PIECE).collect();
    let with_rims = progress.map(pieces.len(), &|i| surface.with_rim(pieces[i]))?;
    let total: usize = with_rims.iter().map(Vec::len).sum();
    let mut tangents = vec![None; indices.len()];
    // Where neighbours lie far apart in the list, pieces would be mostly rim: then all triangles are one piece.
    let whole = [&surface.faces[..]];
    let (own, work): (&[&[u32]], Vec<&[u32]>) = if total > surface.faces.len() * 3 / 2 {
        (&whole, whole.to_vec())
    } else {
        (&pieces, with_rims.iter().map(Vec::as_slice).collect())
    };
    let made = progress.map(work.len(), &|i| piece(&surface, uvs, own[i], work[i]))?;
    for (face, corners) in own.iter().copied().flatten().zip(made.iter().flatten()) {
        let at = *face as usize * 3;
        tangents[at..at + 3].copy_from_slice(corners);
    }
    Ok(Corners { tangents, crowded: surface.crowded })
}

/// The triangles around each group of welded corners of a surface.
struct Surface<'a> {
    primitive: &'a Primitive,
    /// The corners of its triangles.
    indices: &'a [u32],
    /// The triangles that have an area, rising. The others show nothing, and would cost the generator quadratic time.
    faces: Vec<u32>,
    crowded: usize,
    /// The groups of welded vertices.
    weld: Weld,
    /// The triangles around each group.
    around: Csr,
}

impl<'a> Surface<'a> {
    fn new(primitive: &'a Primitive, indices: &'a [u32]) -> Self {
        let weld = Weld::new(&primitive.positions, WeldRule::Exact, &|| false).unwrap_or_default();
        let mut counts = vec![0_u32; weld.first.len()];
        indices.iter().for_each(|v| counts[weld.group[*v as usize] as usize] += 1);
        let mut out = Self { primitive, indices, faces: Vec::new(), crowded: 0, weld, around: Csr::default() };
        for face in 0..(indices.len() / 3) as u32 {
            let [a, b, c] = out.corners(face);
            if a == b || b == c || c == a {
                continue;
            }
            if [a, b, c].iter().any(|p| counts[*p as usize] > MOST_CORNERS) {
                out.crowded += 1;
            } else {
                out.faces.push(face);
            }
        }
        let corners = out.faces.iter().flat_map(|face| out.corners(*face).map(|group| (group, *face)));
        out.around = Csr::new(out.weld.first.len(), corners);
        out
    }

    /// Returns the groups of a triangle's corners.
    fn corners(&self, face: u32) -> [u32; 3] {
        let at = face as usize * 3;
        [0, 1, 2].map(|c| self.weld.group[self.indices[at + c] as usize])
    }

    /// Returns `faces` and all triangles that share a group with one of them, rising.
    fn with_rim(&self, faces: &[u32]) -> Vec<u32> {
        let mut seen = vec![false; self.around.row_count()];
        let mut out = Vec::with_capacity(faces.len() * 2);
        for group in faces.iter().flat_map(|f| self.corners(*f)) {
            if !std::mem::replace(&mut seen[group as usize], true) {
                out.extend_from_slice(self.around.row(group as usize));
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }
}

/// Runs the generator on `faces` and returns the corners of those that are its `own`.
fn piece(surface: &Surface<'_>, uvs: &[Vec2], own: &[u32], faces: &[u32]) -> Vec<[Option<Vec4>; 3]> {
    let mut piece = Piece { surface, uvs, faces, tangents: vec![[None; 3]; faces.len()] };
    if !matches!(guarded(|| generate_tangents(&mut piece)), Some(Ok(()))) {
        return vec![[None; 3]; own.len()];
    }
    let mut own = own.iter().peekable();
    let all = faces.iter().zip(piece.tangents);
    all.filter_map(|(face, corners)| own.next_if(|o| *o == face).map(|_| corners)).collect()
}

struct Piece<'a> {
    surface: &'a Surface<'a>,
    uvs: &'a [Vec2],
    faces: &'a [u32],
    /// The tangents of the corners, by index in `faces`.
    tangents: Vec<[Option<Vec4>; 3]>,
}

impl Piece<'_> {
    fn vertex(&self, face: usize, corner: usize) -> usize {
        self.surface.indices[self.faces[face] as usize * 3 + corner] as usize
    }
}

impl Geometry for Piece<'_> {
    fn num_faces(&self) -> usize {
        self.faces.len()
    }
    fn num_vertices_of_face(&self, _face: usize) -> usize {
        3
    }
    fn position(&self, face: usize, corner: usize) -> [f32; 3] {
        self.surface.primitive.positions[self.vertex(face, corner)].to_array()
    }
    fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
        self.surface.primitive.normals[self.vertex(face, corner)].to_array()
    }
    fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
        // In MikkTSpace v points upwards, in glTF downwards.
        let uv = self.uvs[self.vertex(face, corner)];
        [uv.x, 1.0 - uv.y]
    }
    fn set_tangent(&mut self, space: Option<TangentSpace>, face: usize, corner: usize) {
        let tangent = space.map(|s| Vec4::from_array(s.tangent_encoded()));
        // The tangent is zero where the texture coordinates of all triangles around are the same.
        self.tangents[face][corner] = tangent.filter(|t| t.is_finite() && t.truncate().length_squared() > 0.5);
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    /// Makes a bumpy square of `side`² cells whose texture is mirrored in one half.
    fn bumpy(side: usize) -> Primitive {
        let mut p = Primitive::default();
        for i in 0..(side + 1) * (side + 1) {
            let (x, y) = ((i % (side + 1)) as f32, (i / (side + 1)) as f32);
            p.positions.push(Vec3::new(x, y, (x * 0.7).sin() * (y * 0.3).cos()));
            p.normals.push(Vec3::new(-(x * 0.7).cos() * 0.5, (y * 0.3).sin() * 0.2, 1.0).normalize());
            p.uvs[0].push(Vec2::new((x - side as f32 * 0.5).abs() + y * 0.1, y));
        }
        for cell in 0..side * side {
            let a = (cell / side * (side + 1) + cell % side) as u32;
            let b = a + side as u32 + 1;
            p.indices.extend([a, a + 1, b, a + 1, b + 1, b]);
        }
        p
    }

    #[test]
    fn pieces_give_the_tangents_of_the_whole() {
        let p = bumpy(200);
        let surface = Surface::new(&p, &p.indices);
        assert!(surface.faces.len() > 2 * PIECE && surface.with_rim(&surface.faces[..PIECE]).len() > PIECE);
        let whole: Vec<Option<Vec4>> =
            piece(&surface, &p.uvs[0], &surface.faces, &surface.faces).into_iter().flatten().collect();
        let pieces = generate(&p, (&p.indices, &p.uvs[0]), &Progress::silent()).unwrap();
        assert!(pieces.tangents == whole && pieces.crowded == 0);
        assert!(whole.iter().all(Option::is_some));
    }

    #[test]
    fn every_triangle_that_shares_a_group_is_in_the_rim() {
        let p = bumpy(20);
        let surface = Surface::new(&p, &p.indices);
        let rim = surface.with_rim(&surface.faces[100..200]);
        let groups: Vec<u32> = (100..200).flat_map(|f| surface.corners(f)).collect();
        let want: Vec<u32> = (0..800).filter(|f| surface.corners(*f).iter().any(|c| groups.contains(c))).collect();
        assert_eq!(rim, want);
    }
}

//! Tangents of surfaces whose file has none, for the lines that show them: computed by MikkTSpace at rest, as glTF asks (2.0, 3.7.2.1), and
//! carried with the triangles of the posed surface.

use glam::Vec3;
use skinscope_deform::Deformed;
use skinscope_import::corner_tangents;
use skinscope_model::{MeshId, Model, Primitive};

/// The tangents of the stored vertices of a model, by mesh and primitive; empty lists where the file has tangents, or none can be
/// computed.
#[derive(Clone, Debug, Default)]
pub(crate) struct ComputedTangents(Vec<Vec<Vec<Option<CarriedTangent>>>>);

/// The tangent of a vertex, in the frame of a triangle that it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CarriedTangent {
    /// The corners of the triangle; the vertex is the first.
    corners: [u32; 3],
    /// Its parts along the sides to the second and to the third corner, and along the unit normal of the triangle.
    parts: Vec3,
}

impl ComputedTangents {
    pub fn of(model: &Model) -> Self {
        Self(model.meshes.iter().map(|mesh| mesh.primitives.iter().map(of_primitive).collect()).collect())
    }

    /// Returns those of a primitive.
    pub fn of_primitive(&self, mesh: MeshId, primitive: usize) -> &[Option<CarriedTangent>] {
        self.0.get(mesh.index()).and_then(|mesh| mesh.get(primitive)).map_or(&[], |list| list)
    }
}

fn of_primitive(primitive: &Primitive) -> Vec<Option<CarriedTangent>> {
    let Some(tangents) = corner_tangents(primitive).filter(|_| primitive.tangents.is_empty()) else {
        return Vec::new();
    };
    let mut out = vec![None; primitive.positions.len()];
    for (triangle, tangents) in primitive.indices.as_chunks::<3>().0.iter().zip(tangents.as_chunks::<3>().0) {
        for (corner, tangent) in tangents.iter().enumerate() {
            let corners = [0, 1, 2].map(|i| triangle[(corner + i) % 3]);
            let slot: &mut Option<CarriedTangent> = &mut out[corners[0] as usize];
            if let Some(tangent) = tangent.filter(|_| slot.is_none()) {
                *slot = CarriedTangent::of(corners, &primitive.positions, tangent.truncate());
            }
        }
    }
    out
}

/// Returns the sides of a triangle at its first corner, and its unit normal.
fn frame([a, b, c]: [u32; 3], positions: &[Vec3]) -> Option<[Vec3; 3]> {
    let [a, b, c] = [positions.get(a as usize)?, positions.get(b as usize)?, positions.get(c as usize)?];
    let (u, v) = (*b - *a, *c - *a);
    Some([u, v, u.cross(v).try_normalize()?])
}

impl CarriedTangent {
    fn of(corners: [u32; 3], positions: &[Vec3], tangent: Vec3) -> Option<Self> {
        let [u, v, n] = frame(corners, positions)?;
        let parts = glam::Mat3::from_cols(u, v, n).inverse() * tangent;
        parts.is_finite().then_some(Self { corners, parts })
    }

    /// Returns the unit tangent of a posed vertex, perpendicular to its normal; zero where its triangle has no area.
    pub fn posed(&self, of: &Deformed) -> Vec3 {
        let (Some([u, v, n]), Some(normal)) =
            (frame(self.corners, &of.positions), of.normals.get(self.corners[0] as usize))
        else {
            return Vec3::ZERO;
        };
        let along = u * self.parts.x + v * self.parts.y + n * self.parts.z;
        (along - *normal * along.dot(*normal)).normalize_or_zero()
    }
}

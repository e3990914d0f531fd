//! Builds the rigs of examples: nodes, skins and simple shapes.

use std::f32::consts::FRAC_PI_2;

use glam::{Quat, Vec2, Vec3, Vec4};
use skinscope_anim as anim;
use skinscope_base::math::Transform;
use skinscope_model::{
    Influences, Instance, LocalPose, Material, MaterialId, Mesh, MeshId, Model, ModelParts, MorphTarget, NodeId,
    Primitive, Scene, Skeleton, Skin, SkinId, SourceInfo, Topology, WeightFormat,
};

/// A rig that is being built.
pub(super) struct Rig {
    parts: ModelParts,
}

impl Rig {
    /// Begins with one node, "root", at the origin.
    pub(super) fn new(name: &str) -> Self {
        let skeleton = Skeleton { rest: LocalPose::default(), ..Skeleton::default() };
        let source = SourceInfo { name: name.into(), version: "2.0".into(), ..SourceInfo::default() };
        let material = Material { roughness: 0.55, metallic: 0.0, double_sided: true, ..Material::default() };
        let materials = vec![Material { name: "skin".into(), ..material }];
        let mut out = Self { parts: ModelParts { source, skeleton, materials, ..ModelParts::default() } };
        out.node("root", None, Transform::IDENTITY);
        out
    }

    /// Adds a node. Nodes come depth first: one after its parent and all that is below earlier children.
    pub(super) fn node(&mut self, name: &str, parent: Option<NodeId>, parent_from_node: Transform) -> NodeId {
        let skeleton = &mut self.parts.skeleton;
        let id = NodeId::from_index(skeleton.parents.len());
        skeleton.parents.push(parent);
        skeleton.names.push(name.into());
        skeleton.file_index.push(id.0);
        skeleton.rest.transforms.push(parent_from_node);
        id
    }

    /// Adds a node at a position in its parent's space, metres.
    pub(super) fn joint(&mut self, name: &str, parent: NodeId, at: [f32; 3]) -> NodeId {
        self.node(name, Some(parent), Transform { translation: at.into(), ..Transform::IDENTITY })
    }

    /// Adds a skin of these joints, bound where they rest.
    pub(super) fn skin(&mut self, joints: &[NodeId]) -> SkinId {
        let mut rest = Vec::new();
        anim::local_to_model(&self.parts.skeleton, &self.parts.skeleton.rest, &mut rest);
        let inverse_bind = joints.iter().map(|joint| rest[joint.index()].inverse()).collect();
        let skin = Skin { name: "skin".into(), joints: joints.to_vec(), inverse_bind, ..Skin::default() };
        self.parts.skins.push(skin);
        SkinId::from_index(self.parts.skins.len() - 1)
    }

    /// Draws a shape that a skin moves.
    pub(super) fn skinned(&mut self, name: &str, skin: SkinId, shape: Shape) {
        self.draw(name, NodeId(0), Some(skin), shape);
    }

    /// Draws a shape in the space of a node, which moves it as a whole.
    pub(super) fn rigid(&mut self, name: &str, node: NodeId, shape: Shape) {
        self.draw(name, node, None, shape);
    }

    fn draw(&mut self, name: &str, node: NodeId, skin: Option<SkinId>, shape: Shape) {
        let mesh = MeshId::from_index(self.parts.meshes.len());
        let morph_names = shape.morphs.iter().map(|(name, _)| (*name).into()).collect();
        let morph_weights = vec![0.0; shape.morphs.len()];
        self.parts.meshes.push(Mesh {
            name: name.into(),
            primitives: vec![shape.primitive()],
            morph_names,
            ..Mesh::default()
        });
        self.parts.instances.push(Instance { node, mesh, skin, morph_weights, ..Instance::default() });
    }

    /// Makes the model.
    #[expect(clippy::panic, reason = "parts made here hold every invariant; a test builds the rig of each example")]
    pub(super) fn build(mut self) -> Model {
        let nodes = self.parts.skeleton.len();
        self.parts.scenes = vec![Scene { name: String::new(), roots: vec![NodeId(0)], contains: vec![true; nodes] }];
        // Stable: instances of one node stay in the order in which they were added.
        self.parts.instances.sort_by_key(|instance| instance.node);
        let all = &mut self.parts.skeleton.rest.morph_weights;
        for instance in &mut self.parts.instances {
            instance.morph_offset = all.len();
            all.extend(&instance.morph_weights);
        }
        match Model::build(self.parts) {
            Ok(model) => model,
            Err(error) => panic!("the rig of an example is broken: {error}"),
        }
    }
}

/// Triangles with colours and weights.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    indices: Vec<u32>,
    colors: Vec<Vec4>,
    influences: Option<Influences>,
    /// Shapes that can be added, by name.
    morphs: Vec<(&'static str, MorphTarget)>,
}

impl Shape {
    /// Makes it from positions and triangles, three numbers each.
    pub(super) fn of(positions: Vec<Vec3>, indices: Vec<u32>) -> Self {
        let mut out = Self { positions, indices, ..Self::default() };
        out.smooth();
        out
    }

    /// A tube along +Y: `rings` circles of `sides` vertices, of which vertex `ring * sides + side` stands at height `from` (ring 0)
    /// to `to`, side 0 towards +Z and then towards +X. `radius` gives its half widths along X and Z at a height. Both ends are
    /// closed by flat caps with vertices of their own.
    pub(super) fn tube([from, to]: [f32; 2], rings: usize, sides: usize, radius: impl Fn(f32) -> Vec2) -> Self {
        let mut out = Self::default();
        let point = |ring: usize, side: usize| {
            let y = from + (to - from) * ring as f32 / (rings - 1) as f32;
            let (sin, cos) = (std::f32::consts::TAU * side as f32 / sides as f32).sin_cos();
            let wide = radius(y);
            Vec3::new(wide.x * sin, y, wide.y * cos)
        };
        out.positions = (0..rings * sides).map(|i| point(i / sides, i % sides)).collect();
        // Triangles lean to one side at each vertex; the directions along and around the tube do not.
        let normal = |ring: usize, side: usize| {
            let along = point((ring + 1).min(rings - 1), side) - point(ring.saturating_sub(1), side);
            let around = point(ring, side + 1) - point(ring, side + sides - 1);
            around.cross(along).normalize_or(Vec3::Y)
        };
        let normals: Vec<Vec3> = (0..rings * sides).map(|i| normal(i / sides, i % sides)).collect();
        let at = |ring: usize, side: usize| (ring * sides + side % sides) as u32;
        for (ring, side) in (0..rings - 1).flat_map(|ring| (0..sides).map(move |side| (ring, side))) {
            let [a, b] = [at(ring, side), at(ring, side + 1)];
            let [c, d] = [at(ring + 1, side), at(ring + 1, side + 1)];
            out.indices.extend([a, b, c, b, d, c]);
        }
        for (ring, turns) in [(0, true), (rings - 1, false)] {
            let first = out.positions.len() as u32;
            let rim: Vec<Vec3> = (0..sides).map(|side| point(ring, side)).collect();
            let middle = rim.iter().sum::<Vec3>() / sides as f32;
            out.positions.extend(rim);
            out.positions.push(middle);
            for side in 0..sides as u32 {
                let (a, b) = (first + side, first + (side + 1) % sides as u32);
                let middle = first + sides as u32;
                out.indices.extend(if turns { [b, a, middle] } else { [a, b, middle] });
            }
        }
        out.smooth();
        out.normals[..normals.len()].copy_from_slice(&normals);
        out
    }

    /// A strip in the plane z = 0 along +Y, `rows` + 1 pairs of vertices at x = ∓`half_width`, of which pair `i` has the numbers
    /// `2 i` and `2 i + 1`.
    pub(super) fn strip([from, to]: [f32; 2], rows: usize, half_width: f32) -> Self {
        let mut out = Self::default();
        for row in 0..=rows {
            let y = from + (to - from) * row as f32 / rows as f32;
            out.positions.extend([Vec3::new(-half_width, y, 0.0), Vec3::new(half_width, y, 0.0)]);
        }
        for row in 0..rows as u32 {
            let a = 2 * row;
            out.indices.extend([a, a + 1, a + 2, a + 1, a + 3, a + 2]);
        }
        out.smooth();
        out
    }

    /// Sets the normals from the triangles.
    fn smooth(&mut self) {
        self.normals = normals(&self.positions, &self.indices);
    }

    /// Adds a morph target, which moves each vertex by its position. It comes after all that moves or turns the shape.
    pub(super) fn morphed(mut self, name: &'static str, by: impl Fn(Vec3) -> Vec3) -> Self {
        let positions: Vec<Vec3> = self.positions.iter().map(|p| by(*p)).collect();
        let moved: Vec<Vec3> = self.positions.iter().zip(&positions).map(|(p, d)| *p + *d).collect();
        let [before, after] = [&self.positions, &moved].map(|positions| normals(positions, &self.indices));
        let normals = after.iter().zip(&before).map(|(after, before)| *after - *before).collect();
        self.morphs.push((name, MorphTarget { positions, normals, tangents: Vec::new() }));
        self
    }

    /// A ball about the origin, as a tube with its poles up and down.
    pub(super) fn ball(radius: f32) -> Self {
        let round = |y: f32| Vec2::splat((radius * radius - y * y).max(1e-8).sqrt());
        let end = radius * 0.999;
        Self::tube([-end, end], 25, 32, round)
    }

    /// Lays a tube that stands along +Y down towards +X.
    pub(super) fn lying(self) -> Self {
        self.transformed(Transform { rotation: Quat::from_rotation_z(-FRAC_PI_2), ..Transform::IDENTITY })
    }

    /// Moves it, before it is bound.
    pub(super) fn at(self, offset: impl Into<Vec3>) -> Self {
        self.transformed(Transform { translation: offset.into(), ..Transform::IDENTITY })
    }

    /// Moves and turns it, before it is bound.
    pub(super) fn transformed(mut self, by: Transform) -> Self {
        let m = by.to_affine();
        self.positions.iter_mut().for_each(|p| *p = m.transform_point3(*p));
        self.normals.iter_mut().for_each(|n| *n = by.rotation * *n);
        self
    }

    /// Colours each vertex by its position. Colours are sRGB, as they are written: `0xrrggbb`.
    pub(super) fn painted(mut self, color: impl Fn(Vec3) -> u32) -> Self {
        self.colors = self.positions.iter().map(|p| linear(color(*p)).extend(1.0)).collect();
        self
    }

    /// Colours the vertices by number.
    pub(super) fn painted_by_number(mut self, color: impl Fn(usize) -> u32) -> Self {
        self.colors = (0..self.positions.len()).map(|i| linear(color(i)).extend(1.0)).collect();
        self
    }

    /// Gives each vertex joints (indices in the skin) and weights by its position: four at most.
    pub(super) fn weighted(self, weights: impl Fn(Vec3) -> Vec<(u16, f32)>) -> Self {
        let positions = self.positions.clone();
        self.weighted_by_number(|i| weights(positions[i]))
    }

    /// Gives the vertices joints and weights by number.
    pub(super) fn weighted_by_number(mut self, weights: impl Fn(usize) -> Vec<(u16, f32)>) -> Self {
        let mut influences = Influences { per_vertex: 4, format: WeightFormat::F32, ..Influences::default() };
        for i in 0..self.positions.len() {
            let own = weights(i);
            for slot in 0..4 {
                let (joint, weight) = own.get(slot).copied().unwrap_or((0, 0.0));
                influences.joints.push(joint);
                influences.weights.push(weight);
            }
        }
        self.influences = Some(influences);
        self
    }

    /// Adds a morph target, which moves each vertex and its normal by its number: the displacement, and what is added to the normal.
    pub(super) fn morphed_by_number(mut self, name: &'static str, by: impl Fn(usize) -> [Vec3; 2]) -> Self {
        let (positions, normals) = (0..self.positions.len()).map(|v| by(v).into()).unzip();
        self.morphs.push((name, MorphTarget { positions, normals, tangents: Vec::new() }));
        self
    }

    fn primitive(self) -> Primitive {
        let Self { positions, normals, indices, colors, influences, morphs } = self;
        Primitive {
            topology: Topology::Triangles,
            material: Some(MaterialId(0)),
            stored_vertices: positions.len(),
            indices,
            positions,
            normals,
            colors,
            stored_influences: influences,
            morphs: morphs.into_iter().map(|(_, morph)| morph).collect(),
            ..Primitive::default()
        }
    }
}

/// Returns the normals of vertices as their triangles have them, each as much as it is large.
fn normals(positions: &[Vec3], indices: &[u32]) -> Vec<Vec3> {
    let mut out = vec![Vec3::ZERO; positions.len()];
    for corners in indices.as_chunks::<3>().0 {
        let [a, b, c] = corners.map(|i| positions[i as usize]);
        let normal = (b - a).cross(c - a);
        for corner in corners {
            out[*corner as usize] += normal;
        }
    }
    out.iter_mut().for_each(|n| *n = n.normalize_or(Vec3::Z));
    out
}

/// Returns the linear colour of an sRGB one, `0xrrggbb`.
fn linear(srgb: u32) -> Vec3 {
    let channel = |shift: u32| {
        let v = f32::from((srgb >> shift) as u8) / 255.0;
        if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    };
    Vec3::new(channel(16), channel(8), channel(0))
}

/// A colour between two, `0xrrggbb`.
pub(super) fn mixed(a: u32, b: u32, share: f32) -> u32 {
    let channel = |shift: u32| {
        let [a, b] = [a, b].map(|c| f32::from((c >> shift) as u8));
        ((a + share * (b - a)).round() as u32) << shift
    };
    channel(16) | channel(8) | channel(0)
}

/// Returns the share of the way from `from` to `to`, 0…1, without a kink at either end.
pub(super) fn eased(from: f32, to: f32, at: f32) -> f32 {
    let t = ((at - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Changes the local transform of a node, by its name.
pub(super) fn change(skeleton: &Skeleton, local: &mut LocalPose, name: &str, to: impl FnOnce(&mut Transform)) {
    if let Some(at) = skeleton.names.iter().position(|n| n == name) {
        to(&mut local.transforms[at]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tubes_face_outward() {
        let tube = Shape::tube([-1.0, 2.0], 5, 12, |_| Vec2::new(0.3, 0.5));
        for corners in tube.indices.as_chunks::<3>().0 {
            let [a, b, c] = corners.map(|i| tube.positions[i as usize]);
            let normal = (b - a).cross(c - a);
            assert!(normal.dot((a + b + c) / 3.0 - Vec3::Y * 0.5) > 0.0, "{a} {b} {c}");
            assert!(corners.iter().all(|i| tube.normals[*i as usize].dot(normal) > 0.0));
        }
    }
}

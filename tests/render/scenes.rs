//! Frames to draw: posed models, and a plate whose picture is known in closed form.

use std::sync::Arc;

use glam::{Affine3A, Vec2, Vec3, Vec4};
use skinscope::anim::{self, SampleScratch};
use skinscope::deform::{self, Method};
use skinscope::frame::{Background, Camera, Display, Frame};
use skinscope::inspect::{self, Overlay};
use skinscope::math::{Projection, Transform};
use skinscope::model::{
    Filter, Image, ImageId, Influences, Instance, LocalPose, Material, MaterialId, Mesh, MeshId, Model, ModelParts,
    NodeId, Primitive, Scene, Skeleton, Skin, SkinId, SourceInfo, Texture, TextureSampler, Topology, WeightFormat,
};
use skinscope::session::{Document, PlaybackCommand, Session, Toggle, ViewCommand};

/// A pose of `clip` (none: rest) at `time_secs`.
pub fn pose(model: &Model, clip: Option<usize>, time_secs: f32) -> LocalPose {
    let mut pose = LocalPose::default();
    anim::reset_to_rest(&model.skeleton, &mut pose);
    if let Some(clip) = clip {
        anim::sample(model, &model.clips[clip], time_secs, &mut SampleScratch::default(), &mut pose);
    }
    pose
}

/// The methods that a shader can carry out.
pub fn shader_methods() -> impl Iterator<Item = &'static &'static Method> {
    deform::METHODS.iter().filter(|method| method.data.is_none() && method.pass.is_none())
}

/// Everything of the default scene in a pose, seen by the default camera.
pub fn frame(model: &Arc<Model>, pose: &LocalPose, method: &'static Method) -> Frame {
    let (mut matrices, mut palettes) = (Vec::new(), Vec::new());
    anim::local_to_model(&model.skeleton, pose, &mut matrices);
    deform::palettes(model, &matrices, &mut palettes);
    Frame {
        model: Some(Arc::clone(model)),
        method,
        parameters: deform::Deformation::from(method).values,
        palettes,
        morph_weights: pose.morph_weights.clone(),
        draws: model.instances_in_scene(model.default_scene).map(|(id, _)| id).collect(),
        ..Frame::default()
    }
}

/// A crowd of `members`, paused at `time_secs` of the clip of its first member.
pub fn crowd(model: &Arc<Model>, members: u32, method: &Method, time_secs: f32) -> Session {
    let mut session = Session::default();
    session.open(Document::new(Arc::clone(model), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(ViewCommand::SetMethod(method.id));
    // A figure by itself would have shadows that a crowd has not.
    session.apply(ViewCommand::Set(Toggle::Shadows, false));
    session.apply(ViewCommand::SetCrowd(members));
    session.apply(PlaybackCommand::Seek(time_secs));
    session.update_pose();
    session
}

/// An overlay by its id.
pub fn overlay(id: &str) -> Option<&'static Overlay> {
    Some(inspect::overlay(id).unwrap())
}

/// A camera on +Z that sees 2 × 2 metres around the origin, without perspective.
pub fn front() -> Camera {
    Camera {
        world_from_view: Affine3A::from_translation(Vec3::Z * 5.0),
        projection: Projection::Orthographic { height: 2.0 },
        near: 0.1,
        far: 10.0,
    }
}

/// A square plate in the xy plane that faces +Z, 1 × 1 metres around the origin, on two joints: its left edge follows
/// node 1, its right edge node 2. Node 0 carries it.
pub struct Plate {
    pub material: Material,
    /// Of node 0 when rigid, of both joints when skinned.
    pub transform: Transform,
    pub skinned: bool,
    pub normals: bool,
    /// As lines: its lower and upper edge and a diagonal. As points: its corners.
    pub topology: Topology,
    pub tangents: bool,
    /// Alpha of the vertices.
    pub alpha: f32,
    /// Each makes a texture, read with linear filters.
    pub images: Vec<Image>,
}

impl Default for Plate {
    fn default() -> Self {
        let material = Material { metallic: 0.0, ..Material::default() };
        Self {
            material,
            transform: Transform::IDENTITY,
            skinned: true,
            normals: true,
            topology: Topology::Triangles,
            tangents: false,
            alpha: 1.0,
            images: Vec::new(),
        }
    }
}

impl Plate {
    pub fn model(self) -> Arc<Model> {
        let corners = [Vec2::new(-0.5, -0.5), Vec2::new(0.5, -0.5), Vec2::new(0.5, 0.5), Vec2::new(-0.5, 0.5)];
        let influences = Influences {
            per_vertex: 4,
            joints: [[0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]].concat(),
            weights: [1.0, 0.0, 0.0, 0.0].repeat(4),
            format: WeightFormat::F32,
            ..Influences::default()
        };
        let primitive = Primitive {
            topology: self.topology,
            indices: vec![0, 1, 2, 0, 2, 3],
            positions: corners.map(|c| c.extend(0.0)).to_vec(),
            normals: if self.normals { vec![Vec3::Z; 4] } else { Vec::new() },
            // The first coordinates run right and up, so a picture's top is at the plate's bottom: bitangents point down.
            tangents: if self.tangents { vec![Vec4::new(1.0, 0.0, 0.0, -1.0); 4] } else { Vec::new() },
            uvs: [corners.map(|c| c + 0.5).to_vec(), Vec::new()],
            colors: vec![Vec4::new(1.0, 1.0, 1.0, self.alpha); 4],
            stored_influences: self.skinned.then_some(influences),
            stored_vertices: 4,
            material: Some(MaterialId(0)),
            ..Primitive::default()
        };
        let own = if self.skinned { Transform::IDENTITY } else { self.transform };
        let joint = if self.skinned { self.transform } else { Transform::IDENTITY };
        let skeleton = Skeleton {
            parents: vec![None, Some(NodeId(0)), Some(NodeId(0))],
            names: ["root", "left", "right"].map(String::from).to_vec(),
            file_index: vec![0, 1, 2],
            rest: LocalPose { transforms: vec![own, joint, joint], ..LocalPose::default() },
            residuals: Vec::new(),
            far: None,
        };
        let skin =
            Skin { joints: vec![NodeId(1), NodeId(2)], inverse_bind: vec![Affine3A::IDENTITY; 2], ..Skin::default() };
        let parts = ModelParts {
            source: SourceInfo::default(),
            skeleton,
            scenes: vec![Scene { roots: vec![NodeId(0)], contains: vec![true; 3], ..Scene::default() }],
            skins: vec![skin],
            meshes: vec![Mesh { primitives: vec![primitive], ..Mesh::default() }],
            instances: vec![Instance {
                node: NodeId(0),
                mesh: MeshId(0),
                skin: self.skinned.then_some(SkinId(0)),
                ..Instance::default()
            }],
            materials: vec![self.material],
            textures: (0..self.images.len())
                .map(|i| Texture {
                    image: Some(ImageId::from_index(i)),
                    sampler: TextureSampler { mip: Some(Filter::Linear), ..TextureSampler::default() },
                })
                .collect(),
            images: self.images,
            ..ModelParts::default()
        };
        Arc::new(Model::build(parts).unwrap())
    }

    /// From the front, with nothing behind it.
    pub fn frame(self) -> Frame {
        let model = self.model();
        let display = Display { background: Background::Transparent, ..Display::default() };
        Frame { camera: front(), display, ..frame(&model, &pose(&model, None, 0.0), deform::METHODS[0]) }
    }
}

/// Whether a vertex may be compared between CPU and device, where its weights are rounded.
pub fn is_steady(method: &Method, p: &Primitive, vertex: usize) -> bool {
    let of = |influences: &Influences| {
        let (joints, weights) = influences.of(vertex);
        (method.expects.is_steady)(joints, weights, deform::packed::MOST_MOVED)
    };
    p.stored_influences.as_ref().is_none_or(of)
}

/// The same scene from the other side.
pub fn seen_from_behind(mut frame: Frame) -> Frame {
    frame.camera.world_from_view = Affine3A::from_rotation_y(std::f32::consts::PI) * frame.camera.world_from_view;
    frame
}

/// True where no channel differs by more than `by`.
pub fn near(a: [u8; 4], b: [u8; 4], by: u8) -> bool {
    a.into_iter().zip(b).all(|(a, b)| a.abs_diff(b) <= by)
}

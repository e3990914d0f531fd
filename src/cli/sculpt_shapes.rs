//! What `skinscope sculpt` makes of sculpts: corrective shapes, and the keys of their weights.

use std::collections::BTreeSet;
use std::path::PathBuf;

use glam::{DVec3, Vec3};

use super::{CliError, printable};
use crate::deform::{Deformation, ParameterSettings};
use crate::edit::{AddedShapes, ShapeKeys};
use crate::math::Aabb;
use crate::model::{InstanceId, LocalPose, MeshId, Model, PrimitiveId};
use crate::parallel::JobContext;
use crate::session::MethodChoice;
use crate::solve::{
    DrivenShapes, Example, KeyedShapes, Layout, LayoutError, MethodSurface, Posed, PosedSkin, ShapeDriver, TakenBack,
    WeightKeys, kept_text, keys_of_weights, shown_by,
};

/// Between keys, the surface may be this share of its size from where the driver would put it, where keys are not too close for that.
const TOLERANCE: f64 = 1e-4;
/// The bounds of the same as a weight.
const WEIGHTS: [f64; 2] = [1e-4, 0.02];

/// Where the surface should be in a pose.
pub(super) enum Surface {
    /// The vertices, in the scene, metres.
    Points(Vec<DVec3>),
    /// Where this method puts it.
    Method(MethodChoice),
}

/// A shape that is asked for.
pub(super) struct Wanted {
    pub name: String,
    pub pose: LocalPose,
    pub surface: Surface,
    /// The files that it was read from.
    pub files: Vec<PathBuf>,
}

/// A shape of a primitive.
pub(super) struct Part {
    pub instance: InstanceId,
    pub at: PrimitiveId,
    pub back: TakenBack,
    /// The largest distance of the surface from where it should be before, metres.
    pub before: f64,
}

/// A shape: what is added to the primitives of a model.
pub(super) struct Shape {
    pub name: String,
    pub pose: LocalPose,
    pub parts: Vec<Part>,
}

impl Shape {
    pub fn moved(&self) -> usize {
        self.parts.iter().map(|part| part.back.moved()).sum()
    }

    pub fn flat(&self) -> usize {
        self.parts.iter().map(|part| part.back.flat.len()).sum()
    }

    /// Returns the largest of a number of all parts.
    pub fn largest(&self, of: impl Fn(&Part) -> f64) -> f64 {
        self.parts.iter().map(of).fold(0.0, f64::max)
    }
}

/// Returns all primitives that skins move, each with the instance that shows it.
fn skinned(model: &Model) -> Vec<(InstanceId, PrimitiveId)> {
    let primitives = |mesh: usize| {
        let all = model.meshes[mesh].vertex_lists().map(|(primitive, _)| primitive);
        all.map(move |primitive| PrimitiveId::new(MeshId::from_index(mesh), primitive))
    };
    let all = (0..model.meshes.len()).flat_map(primitives);
    all.filter_map(|at| Some((shown_by(model, at)?, at))).collect()
}

/// Where the vertices of a primitive should be.
pub(super) type Targets = ((InstanceId, PrimitiveId), Vec<DVec3>);

/// Finds where the vertices of each primitive should be, or where `at` is given those of this one alone.
pub(super) fn targets(model: &Model, at: Option<PrimitiveId>, wanted: &Wanted) -> Result<Vec<Targets>, CliError> {
    let of = |example: &Example<'_>| -> Vec<DVec3> {
        (0..example.vertices()).map(|vertex| example.target(vertex)).collect()
    };
    match &wanted.surface {
        Surface::Points(points) => {
            let file = wanted.files.last().map(|file| file.display().to_string()).unwrap_or_default();
            let unfit = |why: LayoutError| {
                CliError::Usage(printable(&format!("{file}: {why} (--primitive says which primitive)")))
            };
            let layout = Layout::in_order(model, at, points.len()).map_err(unfit)?;
            let examples = layout.examples(&Posed::new(model, &wanted.pose), points).map_err(unfit)?;
            Ok(layout.primitives().zip(&examples).map(|(of_shape, (_, example))| (of_shape, of(example))).collect())
        }
        Surface::Method(choice) => {
            let mut deformation = Deformation::from(choice.method);
            if let Some(pass) = choice.pass {
                deformation = deformation.then(pass, &ParameterSettings::default());
            }
            let mut all = skinned(model);
            all.retain(|(_, primitive)| at.is_none_or(|at| at == *primitive));
            let drawn: Vec<(InstanceId, usize)> = all.iter().map(|(id, at)| (*id, at.primitive)).collect();
            let unknown = || CliError::Usage(format!("{} cannot be worked out for this model", choice.id()));
            let mut surface = MethodSurface::new(model, deformation, &JobContext::of_waiting()).ok_or_else(unknown)?;
            let examples = surface.examples(&wanted.pose, &drawn);
            Ok(all.into_iter().zip(&examples).filter_map(|(at, example)| Some((at, of(example.as_ref()?)))).collect())
        }
    }
}

/// Takes a sculpt of a pose back through the skin by a method. Vertices that should be at no number stay.
pub(super) fn shape(
    model: &Model,
    (name, pose): (String, LocalPose),
    targets: &[Targets],
    method: MethodChoice,
) -> Result<Shape, CliError> {
    let mut parts = Vec::new();
    for ((instance, at), targets) in targets {
        let (instance, at) = (*instance, *at);
        let deformation = Deformation::from(method.method);
        let of = (instance, at.primitive);
        let Some(skin) = PosedSkin::new(model, &pose, of, deformation, &JobContext::of_waiting()) else { continue };
        let now = skin.as_it_is();
        let place = |(target, now): (&DVec3, &Vec3)| if target.is_nan() { now.as_dvec3() } else { *target };
        let targets: Vec<DVec3> = targets.iter().zip(&now).map(place).collect();
        let apart = now.iter().zip(&targets).map(|(now, target)| now.as_dvec3().distance(*target));
        let before = apart.fold(0.0, f64::max);
        parts.push(Part { instance, at, back: skin.take_back(&targets), before });
    }
    let shape = Shape { name, pose, parts };
    let why = match (shape.moved(), shape.flat()) {
        (0, 0) => "the surface is where the sculpt has it already, so that the shape would add nothing",
        (0, _) => "the skin is folded flat wherever the sculpt moves it, so that no shape gets it there",
        _ => return Ok(shape),
    };
    Err(CliError::Usage(printable(&format!("{}: {why}", shape.name))))
}

/// What the keys of a clip make of the shapes.
pub(super) struct ClipKeys {
    /// The index of the clip.
    pub clip: usize,
    pub keys: usize,
    /// The largest weight of each shape.
    pub most: Vec<f64>,
    /// How far the surface may be from where the driver would put it between keys, as far as weights say: metres, in the space of the mesh.
    pub error: f64,
}

/// The shapes of all meshes that have some, as they are stored, and what the clips make of them.
#[derive(Default)]
pub(super) struct Stored {
    pub added: Vec<AddedShapes>,
    pub clips: Vec<ClipKeys>,
}

/// Makes what is stored of shapes. `kept` is what the file has of drivers already.
pub(super) fn stored(
    model: &Model,
    shapes: &[Shape],
    drivers: &[ShapeDriver],
    mut kept: Vec<DrivenShapes>,
) -> Result<Stored, CliError> {
    let is_in = |part: &&Part| part.back.moved() > 0;
    let parts = || shapes.iter().flat_map(|shape| &shape.parts).filter(is_in);
    let meshes: BTreeSet<MeshId> = parts().map(|part| model.file_mesh(part.at.mesh)).collect();
    let mut out = Stored::default();
    for mesh in &meshes {
        let mut added = added(model, *mesh, shapes);
        let longest = parts().filter(|part| model.file_mesh(part.at.mesh) == *mesh).map(|part| part.back.longest());
        let longest = longest.fold(0.0, f64::max);
        let old = added.names.len() - shapes.len();
        for instance in instances(model, *mesh)? {
            let keyed = KeyedShapes { instance, drivers, tolerance: tolerance(model, *mesh, longest) };
            let clips = model.clips[..model.file_clips()].iter().enumerate();
            for (clip, keys) in clips.filter_map(|(at, clip)| Some((at, keys_of_weights(model, clip, keyed)?))) {
                out.clips.push(told(clip, &keys, longest));
                let node = model.skeleton.file_index[model.instances[instance.index()].node.index()];
                let WeightKeys { times, interpolation, values, .. } = keys;
                added.keys.push(ShapeKeys { animation: clip, node, times, interpolation, values });
            }
            let target = |shape: &usize| (old + shape, added.names[old + shape].clone());
            kept.extend(drivers.iter().map(|of| DrivenShapes {
                instance,
                driver: of.driver.clone(),
                targets: of.shapes.iter().map(target).collect(),
            }));
        }
        out.added.push(added);
    }
    let text = kept_text(model, &kept).unwrap_or_default();
    out.added.iter_mut().for_each(|added| added.drivers.clone_from(&text));
    Ok(out)
}

fn told(clip: usize, keys: &WeightKeys, longest: f64) -> ClipKeys {
    ClipKeys { clip, keys: keys.times.len(), most: keys.most.clone(), error: keys.error * longest }
}

/// Returns by how much a weight between keys may differ from what it should be, where offsets are no longer than this.
fn tolerance(model: &Model, mesh: MeshId, longest: f64) -> f64 {
    let points = model.meshes[mesh.index()].primitives.iter().flat_map(|primitive| &primitive.positions);
    let bounds = Aabb::from_points(points.copied());
    let size = f64::from((bounds.max - bounds.min).length());
    (TOLERANCE * size / longest).clamp(WEIGHTS[0], WEIGHTS[1])
}

/// Returns the instances that show a mesh of the file, which have to have one skin.
fn instances(model: &Model, mesh: MeshId) -> Result<Vec<InstanceId>, CliError> {
    let shows = |id: &usize| model.file_mesh(model.instances[*id].mesh) == mesh;
    let all: Vec<usize> = (0..model.instances.len()).filter(shows).collect();
    let skin = |id: &usize| model.instances[*id].skin.map(|skin| skin.index());
    if all.windows(2).any(|two| skin(&two[0]) != skin(&two[1])) {
        let why = "nodes show this mesh with several skins, and its morph targets would be those of all";
        return Err(CliError::Usage(printable(&format!("{}: {why}", model.meshes[mesh.index()].name))));
    }
    Ok(all.into_iter().map(InstanceId::from_index).collect())
}

/// Makes the morph targets of a mesh of the file.
fn added(model: &Model, mesh: MeshId, shapes: &[Shape]) -> AddedShapes {
    let source = &model.meshes[mesh.index()];
    let mut names = source.morph_names.clone();
    for shape in shapes {
        let name = |n: usize| if n == 1 { shape.name.clone() } else { format!("{} {n}", shape.name) };
        let free = (1..).map(name).find(|name| !names.contains(name));
        names.extend(free);
    }
    let of_shape = |shape: &Shape, primitive: usize, count: usize| {
        let is_own = |part: &&Part| model.file_mesh(part.at.mesh) == mesh && part.at.primitive == primitive;
        let own = shape.parts.iter().find(is_own);
        own.map_or_else(|| vec![Vec3::ZERO; count], |part| part.back.offsets.clone())
    };
    let of_primitive = |primitive: usize| {
        let own = &source.primitives[primitive];
        let shapes = shapes.iter().filter(|_| own.shares.is_none());
        shapes.map(|shape| of_shape(shape, primitive, own.stored_vertices)).collect()
    };
    AddedShapes {
        mesh: mesh.index(),
        names,
        offsets: (0..source.primitives.len()).map(of_primitive).collect(),
        ..AddedShapes::default()
    }
}

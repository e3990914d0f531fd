//! Shapes of sculpts: where the surface should be in a pose is taken back through the skin.

use glam::{DVec3, Vec3};
use skinscope_base::parallel::JobContext;
use skinscope_deform::Deformation;
use skinscope_model::{InstanceId, LocalPose, MeshId, Model, PrimitiveId};
use skinscope_solve::{
    DirectionOffsets, Example, Layout, LayoutError, MethodSurface, Posed, PosedSkin, ShapedSkin, TakenBack,
    direction_offsets, shown_by,
};

use super::ShapeError;

/// A shape of a primitive.
#[derive(Clone, Debug)]
pub struct Part {
    /// The instance in whose skin it was taken back.
    pub instance: InstanceId,
    /// The primitive.
    pub at: PrimitiveId,
    /// What is added to it at rest.
    pub back: TakenBack,
    /// The largest distance of the surface from where it should be before, metres.
    pub before: f64,
}

/// A shape: what is added to the primitives of a model.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The name.
    pub name: String,
    /// The pose in which there is all of it.
    pub pose: LocalPose,
    /// What it adds to each primitive.
    pub parts: Vec<Part>,
    /// What is added to the normals and tangents of these primitives and of those around them; empty where they stay.
    pub directions: Vec<(PrimitiveId, DirectionOffsets)>,
    /// The vertices that were put somewhere, where the others only go along; empty where the sculpt is of a whole surface.
    pub dragged: Vec<(PrimitiveId, usize)>,
}

impl Shape {
    /// Returns how many vertices it moves.
    #[must_use]
    pub fn moved(&self) -> usize {
        self.parts.iter().map(|part| part.back.moved()).sum()
    }

    /// Returns how many vertices stay, since the skin is folded flat there.
    #[must_use]
    pub fn flat(&self) -> usize {
        self.parts.iter().map(|part| part.back.flat.len()).sum()
    }

    /// Returns the largest of a number of all parts.
    pub fn largest(&self, of: impl Fn(&Part) -> f64) -> f64 {
        self.parts.iter().map(of).fold(0.0, f64::max)
    }
}

/// Returns all primitives that skins move, each with the instance that shows it.
#[must_use]
pub fn skinned(model: &Model) -> Vec<(InstanceId, PrimitiveId)> {
    let primitives = |mesh: usize| {
        let all = model.meshes[mesh].vertex_lists().map(|(primitive, _)| primitive);
        all.map(move |primitive| PrimitiveId::new(MeshId::from_index(mesh), primitive))
    };
    let all = (0..model.meshes.len()).flat_map(primitives);
    all.filter_map(|at| Some((shown_by(model, at)?, at))).collect()
}

/// A primitive, and the instance that shows it.
type Place = (InstanceId, PrimitiveId);
/// Where the vertices of a primitive should be: those of the file, in the scene, metres.
pub type Targets = (Place, Vec<DVec3>);

fn targets_of(example: &Example<'_>) -> Vec<DVec3> {
    (0..example.vertices()).map(|vertex| example.target(vertex)).collect()
}

/// Finds where a mesh has the vertices of each primitive, or where `at` is given those of this one alone. Without a layout the vertices of the
/// mesh are in the order of the file.
///
/// # Errors
/// The mesh does not fit the model.
pub fn targets_of_mesh(
    model: &Model,
    pose: &LocalPose,
    (at, layout): (Option<PrimitiveId>, Option<&Layout>),
    points: &[DVec3],
) -> Result<Vec<Targets>, LayoutError> {
    let in_order = || Layout::in_order(model, at, points.len());
    let layout = layout.map_or_else(in_order, |layout| Ok(layout.clone()))?;
    let examples = layout.examples(&Posed::new(model, pose), points)?;
    Ok(layout.primitives().zip(&examples).map(|(of, (_, example))| (of, targets_of(example))).collect())
}

/// Finds where a method puts the vertices of each primitive that a skin moves, or where `at` is given those of this one alone; `None` where it
/// cannot be worked out for the model, and where the job was cancelled.
#[must_use]
pub fn targets_of_method(
    model: &Model,
    pose: &LocalPose,
    at: Option<PrimitiveId>,
    method: Deformation<'_>,
    context: &JobContext,
) -> Option<Vec<Targets>> {
    let mut all = skinned(model);
    all.retain(|(_, primitive)| at.is_none_or(|at| at == *primitive));
    let drawn: Vec<(InstanceId, usize)> = all.iter().map(|(id, at)| (*id, at.primitive)).collect();
    let mut surface = MethodSurface::new(model, method, context)?;
    let examples = surface.examples(pose, &drawn);
    Some(all.into_iter().zip(&examples).filter_map(|(at, example)| Some((at, targets_of(example.as_ref()?)))).collect())
}

/// Takes a sculpt of a pose back through the skin by a method that moves each vertex alone. Vertices that should be at no number stay. Normals
/// follow where that is asked for. Where the job is cancelled, the result is of no use.
///
/// # Errors
/// The shape would add nothing.
pub fn shape(
    model: &Model,
    (name, pose): (String, LocalPose),
    targets: &[Targets],
    (method, with_normals): (Deformation<'_>, bool),
    context: &JobContext,
) -> Result<Shape, ShapeError> {
    let data = method.method.data.filter(|_| method.data.is_none()).and_then(|source| (source.make)(model, context));
    let mut method = method;
    method.data = method.data.or(data.as_ref());
    let (mut parts, mut skins) = (Vec::new(), Vec::new());
    for place in looked_at(model, targets, with_normals) {
        let of = (place.0, place.1.primitive);
        let Some(skin) = PosedSkin::new(model, &pose, of, method, context) else { continue };
        if let Some((_, targets)) = targets.iter().find(|(sculpted, _)| *sculpted == place) {
            parts.push(part(&skin, place, targets));
        }
        skins.push((place, skin));
    }
    let directions = if with_normals { directions(model, &parts, &skins) } else { Vec::new() };
    let shape = Shape { name, pose, parts, directions, dragged: Vec::new() };
    let why = match (shape.moved(), shape.flat()) {
        (0, 0) => "the surface is where the sculpt has it already, so that the shape would add nothing",
        (0, _) => "the skin is folded flat wherever the sculpt moves it, so that no shape gets it there",
        _ => return Ok(shape),
    };
    Err(ShapeError(format!("{}: {why}", shape.name)))
}

/// Returns the primitives that a sculpt is of, and with `around` the others of their skins, which share normals with them along the borders of
/// materials.
fn looked_at(model: &Model, targets: &[Targets], around: bool) -> Vec<Place> {
    let skin = |id: &InstanceId| model.instances[id.index()].skin;
    let mut out = skinned(model);
    out.retain(|place| {
        let is_own = |(other, _): &Targets| other == place || around && skin(&other.0) == skin(&place.0);
        targets.iter().any(is_own)
    });
    out
}

fn part(skin: &PosedSkin<'_>, (instance, at): Place, targets: &[DVec3]) -> Part {
    let now = skin.as_it_is();
    let place = |(target, now): (&DVec3, &Vec3)| if target.is_nan() { now.as_dvec3() } else { *target };
    let targets: Vec<DVec3> = targets.iter().zip(&now).map(place).collect();
    let apart = now.iter().zip(&targets).map(|(now, target)| now.as_dvec3().distance(*target));
    let before = apart.fold(0.0, f64::max);
    Part { instance, at, back: skin.take_back(&targets), before }
}

/// Returns what a shape adds to normals and tangents.
fn directions(model: &Model, parts: &[Part], skins: &[(Place, PosedSkin<'_>)]) -> Vec<(PrimitiveId, DirectionOffsets)> {
    let mut shaped = Vec::with_capacity(skins.len());
    for ((instance, at), skin) in skins {
        let own = parts.iter().find(|part| part.at == *at);
        let offsets = own.map_or(&[][..], |part| &part.back.offsets[..]);
        shaped.push(ShapedSkin { of: (*instance, at.primitive), skin, offsets });
    }
    skins.iter().map(|((_, at), _)| *at).zip(direction_offsets(model, &shaped)).collect()
}

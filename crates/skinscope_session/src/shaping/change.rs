//! Gives a model more shapes, or fewer, or gives them other names: its morph targets, the keys of its clips and what drives the shapes follow.

use std::collections::BTreeSet;

use glam::Vec3;
use skinscope_base::math::Aabb;
use skinscope_model::{
    BuildError, ClipId, ClipSource, InstanceId, MeshId, Model, MorphTarget, PrimitiveId, ShapeChange, ShapeTarget,
    ShapeTrack,
};
use skinscope_solve::{
    DirectionOffsets, DrivenShapes, Driver, KeyedShapes, ShapeDriver, WeightKeys, kept_shapes, kept_text,
    keys_of_weights,
};

use super::{Shape, ShapeError};

/// Between keys, the surface may be this share of its size from where the driver would put it, where keys are not too close for that.
const TOLERANCE: f64 = 1e-4;
/// The bounds of the same as a weight.
const WEIGHTS: [f64; 2] = [1e-4, 0.02];
/// No message lists more names than this.
const MOST_LISTED: usize = 16;

/// What the keys of a clip make of new shapes.
#[derive(Clone, Debug)]
pub struct ClipKeys {
    /// The index of the clip.
    pub clip: usize,
    /// How many keys of weights it has.
    pub keys: usize,
    /// The largest weight of each shape.
    pub most: Vec<f64>,
    /// How far the surface may be from where the driver would put it between keys, as far as weights say: metres, in the space of the mesh.
    pub error: f64,
}

/// A model with more shapes, and what its clips make of these.
#[derive(Debug)]
pub struct Reshaped {
    /// The model.
    pub model: Model,
    /// What the clips make of the new shapes, for each mesh that has them.
    pub clips: Vec<ClipKeys>,
}

impl From<BuildError> for ShapeError {
    fn from(why: BuildError) -> Self {
        Self(why.to_string())
    }
}

/// Keys that a clip is to have: where they are computed from, and which of what is computed each target is.
struct Columns<'a> {
    keyed: KeyedShapes<'a>,
    /// For each target that the mesh is to have: its number among the targets that the mesh has, followed by the shapes of the drivers.
    columns: Vec<usize>,
}

impl Columns<'_> {
    /// Returns the keys of all clips that need some.
    fn tracks(&self, model: &Model) -> Vec<(ShapeTrack, WeightKeys)> {
        (0..model.clips.len()).filter_map(|clip| self.track(model, clip)).collect()
    }

    fn track(&self, model: &Model, at: usize) -> Option<(ShapeTrack, WeightKeys)> {
        let clip = &model.clips[at];
        let is_keyed = clip.source == ClipSource::Keyed;
        let tolerance = if is_keyed { f64::INFINITY } else { self.keyed.tolerance };
        let keys = keys_of_weights(model, clip, KeyedShapes { tolerance, ..self.keyed })?;
        if is_keyed && clip.times.first() != Some(&keys.times) {
            // All channels of a clip that was keyed here have the same keys.
            return None;
        }
        let instance = self.keyed.instance;
        let old = model.instances[instance.index()].morph_weights.len();
        let width = old + self.keyed.drivers.iter().map(|of| of.shapes.len()).sum::<usize>();
        let row = |row: &[f32]| -> Vec<f32> { self.columns.iter().map(|column| row[*column]).collect() };
        let values = keys.values.chunks_exact(width.max(1)).flat_map(row).collect();
        let (times, interpolation) = (keys.times.clone(), keys.interpolation);
        let track = ShapeTrack { clip: ClipId::from_index(at), instance, times, interpolation, values };
        Some((track, keys))
    }
}

/// Gives a model the shapes that the drivers bring in, after those that it has.
///
/// # Errors
/// What drives the shapes that the model has cannot be read, or a mesh cannot have more morph targets.
pub fn add_shapes(model: &Model, shapes: &[Shape], drivers: &[ShapeDriver]) -> Result<Reshaped, ShapeError> {
    let mut kept = kept_of(model)?;
    let parts = || shapes.iter().flat_map(|shape| &shape.parts).filter(|part| part.back.moved() > 0);
    let meshes: BTreeSet<MeshId> = parts().map(|part| model.file_mesh(part.at.mesh)).collect();
    let (mut change, mut clips) = (ShapeChange::default(), Vec::new());
    for mesh in meshes {
        let targets = with_new(model, mesh, shapes);
        let longest = parts().filter(|part| model.file_mesh(part.at.mesh) == mesh).map(|part| part.back.longest());
        let longest = longest.fold(0.0, f64::max);
        let old = targets.len() - shapes.len();
        for instance in instances(model, mesh)? {
            let keyed = KeyedShapes { instance, drivers, tolerance: tolerance(model, mesh, longest) };
            for (track, keys) in (Columns { keyed, columns: (0..targets.len()).collect() }).tracks(model) {
                clips.push(told(track.clip.index(), &keys, longest));
                change.tracks.push(track);
            }
            let target = |shape: &usize| (old + shape, targets[old + shape].name.clone());
            kept.extend(drivers.iter().map(|of| DrivenShapes {
                instance,
                driver: of.driver.clone(),
                targets: of.shapes.iter().map(target).collect(),
            }));
        }
        change.meshes.push((mesh, targets));
    }
    let model = changed(model, change, &kept)?;
    Ok(Reshaped { model, clips })
}

/// Takes morph targets away by their names, whatever brings them in. Shapes that were driven together with them are driven without them.
///
/// # Errors
/// There is no target of a name, or the model cannot be without it.
pub fn remove_shapes(model: &Model, names: &[String]) -> Result<Model, ShapeError> {
    names.iter().try_for_each(|name| check_name(model, name))?;
    let all = kept_of(model)?;
    let goes = |name: &String| names.contains(name);
    let mut kept: Vec<DrivenShapes> = Vec::new();
    let mut change = ShapeChange::default();
    for (mesh, of) in model.file_meshes() {
        let own = |shapes: &&DrivenShapes| model.file_mesh(model.instances[shapes.instance.index()].mesh) == mesh;
        if !of.morph_names.iter().any(goes) {
            kept.extend(all.iter().filter(own).cloned());
            continue;
        }
        let stays: Vec<usize> = (0..of.morph_names.len()).filter(|at| !goes(&of.morph_names[*at])).collect();
        for instance in instances(model, mesh)? {
            let left = Left::of(&stays, all.iter().filter(|shapes| shapes.instance == instance))?;
            change.tracks.extend(left.redriven.tracks(model, instance, &stays));
            kept.extend(left.kept);
        }
        change.meshes.push((mesh, stays.iter().map(|at| kept_target(&of.morph_names, *at)).collect()));
    }
    changed(model, change, &kept)
}

/// Gives a morph target another name, in all meshes that have one of the name.
///
/// # Errors
/// There is none of the name, or one that is called so already.
pub fn rename_shape(model: &Model, old: &str, new: &str) -> Result<Model, ShapeError> {
    check_name(model, old)?;
    let mut kept = kept_of(model)?;
    let mut change = ShapeChange::default();
    let name = |name: &String| if name == old { new.to_owned() } else { name.clone() };
    for (mesh, of) in model.file_meshes().filter(|(_, of)| of.morph_names.iter().any(|name| name == old)) {
        if new.is_empty() || of.morph_names.iter().any(|name| name == new) {
            let why = if new.is_empty() { "a shape needs a name" } else { "another shape is called so" };
            return Err(ShapeError(format!("{old}: {why}")));
        }
        let target = |at: usize| ShapeTarget { name: name(&of.morph_names[at]), ..kept_target(&of.morph_names, at) };
        change.meshes.push((mesh, (0..of.morph_names.len()).map(target).collect()));
    }
    for shapes in &mut kept {
        shapes.targets.iter_mut().for_each(|(_, own)| *own = name(own));
    }
    changed(model, change, &kept)
}

/// Gives a model morph targets that it had once, and the clips keys of them by what drives these.
///
/// # Errors
/// They do not fit the model.
pub(crate) fn restore_shapes(model: &Model, change: &ShapeChange) -> Result<Model, ShapeError> {
    let model = model.with_shapes(change)?;
    let kept = kept_of(&model)?;
    let mut again = ShapeChange::default();
    for (mesh, _) in &change.meshes {
        let names = &model.meshes[mesh.index()].morph_names;
        let all: Vec<usize> = (0..names.len()).collect();
        for instance in instances(&model, *mesh)? {
            let mut redriven = Redriven::default();
            for shapes in kept.iter().filter(|shapes| shapes.instance == instance) {
                redriven.add(shapes.driver.clone(), shapes.targets.iter().map(|(target, _)| *target));
            }
            again.tracks.extend(redriven.tracks(&model, instance, &all));
        }
        again.meshes.push((*mesh, all.iter().map(|at| kept_target(names, *at)).collect()));
    }
    changed(&model, again, &kept)
}

/// Targets that a mesh has, whose keys are computed anew.
#[derive(Default)]
struct Redriven {
    /// What drives them, each with the numbers of its shapes in `targets`.
    drivers: Vec<ShapeDriver>,
    /// The targets, by their numbers.
    targets: Vec<usize>,
}

impl Redriven {
    fn add(&mut self, driver: Driver, targets: impl Iterator<Item = usize>) {
        let first = self.targets.len();
        self.targets.extend(targets);
        self.drivers.push(ShapeDriver { driver, shapes: (first..self.targets.len()).collect() });
    }

    /// Returns the keys of the targets that stay, which are those of `stays`.
    fn tracks(&self, model: &Model, instance: InstanceId, stays: &[usize]) -> Vec<ShapeTrack> {
        if self.drivers.is_empty() {
            return Vec::new();
        }
        let mesh = model.instances[instance.index()].mesh;
        let tolerance = tolerance(model, mesh, longest_offset(model, mesh, &self.targets));
        let count = model.meshes[mesh.index()].morph_names.len();
        let column = |at: &usize| self.targets.iter().position(|of| of == at).map_or(*at, |new| count + new);
        let keyed = KeyedShapes { instance, drivers: &self.drivers, tolerance };
        let columns = Columns { keyed, columns: stays.iter().map(column).collect() };
        columns.tracks(model).into_iter().map(|(track, _)| track).collect()
    }
}

/// What is left of the drivers of an instance where only some of its targets stay.
#[derive(Default)]
struct Left {
    kept: Vec<DrivenShapes>,
    /// The targets whose drivers are others than before.
    redriven: Redriven,
}

impl Left {
    fn of<'d>(stays: &[usize], all: impl Iterator<Item = &'d DrivenShapes>) -> Result<Self, ShapeError> {
        let mut out = Self::default();
        for shapes in all {
            let (rest, examples) = shapes.driver.rotations();
            let place = |target: usize| stays.iter().position(|at| *at == target);
            let left = shapes.targets.iter().zip(examples);
            let left: Vec<_> =
                left.filter_map(|((at, name), example)| Some((*at, (place(*at)?, name.clone()), example))).collect();
            let targets: Vec<(usize, String)> = left.iter().map(|(_, target, _)| target.clone()).collect();
            if left.len() == shapes.targets.len() {
                out.kept.push(DrivenShapes { targets, ..shapes.clone() });
            } else if !left.is_empty() {
                let examples = left.iter().map(|(.., example)| (*example).clone()).collect();
                let driver = Driver::new(shapes.driver.joints().to_vec(), rest.to_vec(), examples);
                let driver = driver.map_err(|why| ShapeError(why.to_string()))?;
                out.redriven.add(driver.clone(), left.iter().map(|(at, ..)| *at));
                out.kept.push(DrivenShapes { instance: shapes.instance, driver, targets });
            }
        }
        Ok(out)
    }
}

/// Returns what drives the shapes of a model.
pub(super) fn kept_of(model: &Model) -> Result<Vec<DrivenShapes>, ShapeError> {
    kept_shapes(model).map_err(|why| ShapeError(why.to_string()))
}

/// Makes the change, with what drives shapes from then on.
fn changed(model: &Model, change: ShapeChange, kept: &[DrivenShapes]) -> Result<Model, ShapeError> {
    let drivers = Some(kept).filter(|kept| !kept.is_empty()).and_then(|kept| kept_text(model, kept));
    Ok(model.with_shapes(&ShapeChange { drivers: drivers.map(Into::into), ..change })?)
}

/// Checks that a mesh has a morph target of a name.
pub(super) fn check_name(model: &Model, name: &str) -> Result<(), ShapeError> {
    let all: BTreeSet<&str> = model.meshes.iter().flat_map(|mesh| &mesh.morph_names).map(String::as_str).collect();
    if all.contains(name) {
        return Ok(());
    }
    let mut known: Vec<&str> = all.iter().take(MOST_LISTED).copied().collect();
    known.extend((all.len() > MOST_LISTED).then_some("…"));
    let known = if known.is_empty() { "there is none".to_owned() } else { format!("there are {}", known.join(", ")) };
    Err(ShapeError(format!("no shape is called \"{name}\": {known}")))
}

fn kept_target(names: &[String], at: usize) -> ShapeTarget {
    ShapeTarget { name: names[at].clone(), from: Some(at), ..ShapeTarget::default() }
}

fn told(clip: usize, keys: &WeightKeys, longest: f64) -> ClipKeys {
    ClipKeys { clip, keys: keys.times.len(), most: keys.most.clone(), error: keys.error * longest }
}

/// Returns the length of the longest offset of some targets of a mesh.
fn longest_offset(model: &Model, mesh: MeshId, targets: &[usize]) -> f64 {
    let primitives = model.meshes[mesh.index()].primitives.iter();
    let offsets =
        primitives.flat_map(|primitive| targets.iter().map(move |at| &primitive.morphs[*at].positions)).flatten();
    offsets.map(|offset| f64::from(offset.length())).fold(0.0, f64::max)
}

/// Returns by how much a weight between keys may differ from what it should be, where offsets are no longer than this.
fn tolerance(model: &Model, mesh: MeshId, longest: f64) -> f64 {
    let points = model.meshes[mesh.index()].primitives.iter().flat_map(|primitive| &primitive.positions);
    let bounds = Aabb::from_points(points.copied());
    let size = f64::from((bounds.max - bounds.min).length());
    (TOLERANCE * size / longest).clamp(WEIGHTS[0], WEIGHTS[1])
}

/// Returns the instances that show a mesh of the file, which have to have one skin.
fn instances(model: &Model, mesh: MeshId) -> Result<Vec<InstanceId>, ShapeError> {
    let shows = |id: &usize| model.file_mesh(model.instances[*id].mesh) == mesh;
    let all: Vec<usize> = (0..model.instances.len()).filter(shows).collect();
    let skin = |id: &usize| model.instances[*id].skin.map(|skin| skin.index());
    if all.windows(2).any(|two| skin(&two[0]) != skin(&two[1])) {
        let why = "nodes show this mesh with several skins, and its morph targets would be those of all";
        return Err(ShapeError(format!("{}: {why}", model.meshes[mesh.index()].name)));
    }
    Ok(all.into_iter().map(InstanceId::from_index).collect())
}

/// Makes the morph targets of a mesh of the file: those that it has, and a new one of each shape, of a name that no other has.
fn with_new(model: &Model, mesh: MeshId, shapes: &[Shape]) -> Vec<ShapeTarget> {
    let source = &model.meshes[mesh.index()];
    let of_shape = |shape: &Shape, primitive: usize| -> MorphTarget {
        let own = &source.primitives[primitive];
        if own.shares.is_some() {
            return MorphTarget::default();
        }
        let is_own = |part: &&super::Part| model.file_mesh(part.at.mesh) == mesh && part.at.primitive == primitive;
        let part = shape.parts.iter().find(is_own);
        let positions = part.map_or_else(|| vec![Vec3::ZERO; own.stored_vertices], |part| part.back.offsets.clone());
        let is_own =
            |(at, _): &&(PrimitiveId, DirectionOffsets)| model.file_mesh(at.mesh) == mesh && at.primitive == primitive;
        let directions = shape.directions.iter().find(is_own).map(|(_, found)| found.clone()).unwrap_or_default();
        MorphTarget { positions, normals: directions.normals, tangents: directions.tangents }
    };
    let mut out: Vec<ShapeTarget> =
        (0..source.morph_names.len()).map(|at| kept_target(&source.morph_names, at)).collect();
    for shape in shapes {
        let name = |n: usize| if n == 1 { shape.name.clone() } else { format!("{} {n}", shape.name) };
        let free = (1..).map(name).find(|name| !out.iter().any(|target| target.name == *name));
        let offsets = (0..source.primitives.len()).map(|primitive| of_shape(shape, primitive)).collect();
        out.push(ShapeTarget { name: free.unwrap_or_default(), from: None, offsets });
    }
    out
}

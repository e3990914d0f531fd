//! Gives a model more shapes, or fewer, or gives them other names: its morph targets, the keys of its clips and what drives the shapes follow.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::{Quat, Vec3};
use skinscope_base::math::Aabb;
use skinscope_base::parallel::JobContext;
use skinscope_model::{
    BuildError, ClipId, ClipSource, InstanceId, MeshId, Model, MorphTarget, PrimitiveId, ShapeChange, ShapeTarget,
    ShapeTrack,
};
use skinscope_solve::{
    DirectionOffsets, DrivenShapes, Driver, KeyedShapes, ShapeDriver, WeightKeys, fitting_shapes, kept_shapes,
    kept_text, keys_of_weights,
};

use super::names::{Target, TargetName};
use super::{Part, Shape, ShapeError};

/// Between keys, the surface may be this share of its size from where the driver would put it, where keys are not too close for that.
const TOLERANCE: f64 = 1e-4;
/// The bounds of the same as a weight.
const WEIGHTS: [f64; 2] = [1e-4, 0.02];

/// What the keys of a clip make of new shapes.
#[derive(Clone, Debug)]
pub struct ClipKeys {
    /// The index of the clip.
    pub clip: usize,
    /// How many keys of weights it has.
    pub keys: usize,
    /// The largest weight of each shape.
    pub most: Vec<f64>,
    /// How far the surface may be from where the driver would put it between keys, as far as weights say: metres, in the scene.
    pub error: f64,
}

/// A model with more shapes, and what its clips make of these.
#[derive(Debug)]
pub struct Reshaped {
    /// The model.
    pub model: Model,
    /// What each shape is called there: as it should be, with a number where the model has a morph target of that name.
    pub names: Vec<String>,
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
    /// Returns the keys of all clips that need some; of a job that is cancelled those that were found until then.
    fn tracks(&self, model: &Model, context: &JobContext) -> Vec<(ShapeTrack, WeightKeys)> {
        let clips = (0..model.clips.len()).take_while(|_| !context.is_cancelled());
        clips.filter_map(|clip| self.track(model, clip)).collect()
    }

    fn track(&self, model: &Model, at: usize) -> Option<(ShapeTrack, WeightKeys)> {
        let clip = &model.clips[at];
        let is_keyed = clip.source == ClipSource::Keyed;
        let tolerance = if is_keyed { f64::INFINITY } else { self.keyed.tolerance };
        let mut keys = keys_of_weights(model, clip, KeyedShapes { tolerance, ..self.keyed })?;
        if let Some(times) = clip.times.first().filter(|_| is_keyed && keys.times.len() == 1) {
            // As much of it all the time.
            keys.values = keys.values.repeat(times.len());
            keys.times.clone_from(times);
        }
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

/// Gives a model the shapes that the drivers bring in, after those that it has. Each mesh has those alone that move vertices of it. Where the job
/// is cancelled, the result is of no use.
///
/// # Errors
/// What drives the shapes that the model has cannot be read, or a mesh cannot have more morph targets.
pub fn add_shapes(
    model: &Model,
    shapes: &[Shape],
    drivers: &[ShapeDriver],
    context: &JobContext,
) -> Result<Reshaped, ShapeError> {
    let (mut kept, text) = if shapes.is_empty() { kept_or_text(model) } else { (kept_of(model)?, None) };
    let (mut change, mut clips, names) = (ShapeChange::default(), Vec::new(), free_names(model, shapes));
    for mesh in meshes_of(model, shapes) {
        let own = OwnShapes::of(model, mesh, (shapes, drivers))?;
        let mut targets: Vec<ShapeTarget> = kept_targets(&model.meshes[mesh.index()].morph_names);
        let old = targets.len();
        targets.extend(own.numbers.iter().map(|at| new_target(model, mesh, &shapes[*at], &names[*at])));
        for instance in instances(model, mesh)? {
            let keyed = KeyedShapes { instance, drivers: &own.drivers, tolerance: tolerance(model, mesh, own.longest) };
            for (track, keys) in (Columns { keyed, columns: (0..targets.len()).collect() }).tracks(model, context) {
                clips.push(own.told(track.clip.index(), &keys, shapes.len()));
                change.tracks.push(track);
            }
            let target = |shape: &usize| (old + shape, targets[old + shape].name.clone());
            kept.extend(own.drivers.iter().map(|of| DrivenShapes {
                instance,
                driver: of.driver.clone(),
                targets: of.shapes.iter().map(target).collect(),
            }));
        }
        change.meshes.push((mesh, targets));
    }
    let model = changed(model, change, &kept, text)?;
    Ok(Reshaped { model, names, clips })
}

/// Returns the meshes of the file whose vertices some shapes move.
fn meshes_of(model: &Model, shapes: &[Shape]) -> BTreeSet<MeshId> {
    let parts = shapes.iter().flat_map(|shape| &shape.parts).filter(|part| part.back.moved() > 0);
    parts.map(|part| model.file_mesh(part.at.mesh)).collect()
}

/// The shapes that move vertices of a mesh, and what brings them in there.
struct OwnShapes {
    /// Their numbers among all shapes, rising.
    numbers: Vec<usize>,
    /// Each shape by its place in `numbers`.
    drivers: Vec<ShapeDriver>,
    /// The length of the longest offset.
    longest: f64,
    /// The largest distance of the surface from where it should be, metres.
    farthest: f64,
}

impl OwnShapes {
    fn of(model: &Model, mesh: MeshId, (shapes, drivers): (&[Shape], &[ShapeDriver])) -> Result<Self, ShapeError> {
        let is_own = |part: &&Part| model.file_mesh(part.at.mesh) == mesh && part.back.moved() > 0;
        let numbers: Vec<usize> = (0..shapes.len()).filter(|at| shapes[*at].parts.iter().any(|p| is_own(&p))).collect();
        let parts = || shapes.iter().flat_map(|shape| &shape.parts).filter(is_own);
        let drivers = drivers.iter().filter_map(|of| driver_of(of, &numbers).transpose());
        Ok(Self {
            drivers: drivers.collect::<Result<_, _>>()?,
            longest: parts().map(|part| part.back.longest()).fold(0.0, f64::max),
            farthest: parts().map(|part| part.before).fold(0.0, f64::max),
            numbers,
        })
    }

    /// Says what the keys of a clip make of the shapes, of which there are `count` in all meshes.
    fn told(&self, clip: usize, keys: &WeightKeys, count: usize) -> ClipKeys {
        let mut most = vec![0.0; count];
        self.numbers.iter().zip(&keys.most).for_each(|(at, own)| most[*at] = *own);
        ClipKeys { clip, keys: keys.times.len(), most, error: keys.error * self.farthest }
    }
}

/// Returns what brings in those shapes of a driver that a mesh has, by their places in `numbers`; `None` where it has none of them. In the poses of
/// the others there is none of its own, so that weights are the same as those of all together.
fn driver_of(of: &ShapeDriver, numbers: &[usize]) -> Result<Option<ShapeDriver>, ShapeError> {
    let (rest, examples) = of.driver.rotations();
    let (mut shapes, mut own, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for (shape, example) in of.shapes.iter().zip(examples) {
        match numbers.binary_search(shape) {
            Ok(place) => {
                shapes.push(place);
                own.push(example.clone());
            }
            Err(_) => others.push(example.clone()),
        }
    }
    if others.is_empty() || shapes.is_empty() {
        return Ok((!shapes.is_empty()).then(|| ShapeDriver { driver: of.driver.clone(), shapes }));
    }
    others.extend(of.driver.others().iter().cloned());
    let driver = Driver::new(of.driver.joints().to_vec(), rest.to_vec(), own);
    let driver = driver.map_err(|why| ShapeError(why.to_string()))?.without(others);
    Ok(Some(ShapeDriver { driver, shapes }))
}

/// Takes morph targets away, whatever brings them in. Shapes that were driven together with them are driven without them.
///
/// # Errors
/// A target is not there, it is not clear which is meant, or the model cannot be without it.
pub fn remove_shapes(model: &Model, names: &[TargetName], context: &JobContext) -> Result<Model, ShapeError> {
    let mut gone: BTreeSet<Target> = BTreeSet::new();
    for name in names {
        gone.extend(name.find(model)?);
    }
    let (all, text) = kept_or_text(model);
    let count: usize = model.file_meshes().map(|(_, of)| of.morph_names.len()).sum();
    let text = text.filter(|_| count > gone.len());
    let mesh_of = |shapes: &DrivenShapes| model.file_mesh(model.instances[shapes.instance.index()].mesh);
    let mut staying: Vec<(&Driver, &Vec<Quat>)> = Vec::new();
    for of in &all {
        let mesh = mesh_of(of);
        let examples = of.targets.iter().zip(of.driver.rotations().1);
        let examples = examples.filter(|((at, _), _)| !gone.contains(&(mesh, *at)));
        let driver = &of.driver;
        staying.extend(examples.map(|(_, example)| (driver, example)));
    }
    let mut kept: Vec<DrivenShapes> = Vec::new();
    let mut change = ShapeChange::default();
    for (mesh, of) in model.file_meshes() {
        let stays: Vec<usize> = (0..of.morph_names.len()).filter(|at| !gone.contains(&(mesh, *at))).collect();
        let others = || all.iter().any(|shapes| mesh_of(shapes) == mesh && loses_others(shapes, &staying));
        if stays.len() == of.morph_names.len() && !others() {
            kept.extend(all.iter().filter(|shapes| mesh_of(shapes) == mesh).cloned());
            continue;
        }
        for instance in instances(model, mesh)? {
            let own = all.iter().filter(|shapes| shapes.instance == instance);
            let left = Left::of(&stays, &staying, own)?;
            change.tracks.extend(left.redriven.tracks(model, (instance, &stays), context));
            kept.extend(left.kept);
        }
        change.meshes.push((mesh, stays.iter().map(|at| kept_target(&of.morph_names, *at)).collect()));
    }
    changed(model, change, &kept, text)
}

/// Gives morph targets another name.
///
/// # Errors
/// There is none, it is not clear which is meant, or another target of the mesh is called so already.
pub fn rename_shape(model: &Model, old: &TargetName, new: &str) -> Result<Model, ShapeError> {
    let found = old.find(model)?;
    let (mut kept, text) = kept_or_text(model);
    let mut change = ShapeChange::default();
    for (mesh, at) in &found {
        let of = &model.meshes[mesh.index()];
        if new.is_empty() || of.morph_names.iter().any(|name| name == new) {
            let why = if new.is_empty() { "a shape needs a name" } else { "another shape is called so" };
            return Err(ShapeError(format!("{old}: {why}")));
        }
        let mut targets = kept_targets(&of.morph_names);
        new.clone_into(&mut targets[*at].name);
        change.meshes.push((*mesh, targets));
    }
    for shapes in &mut kept {
        let mesh = model.file_mesh(model.instances[shapes.instance.index()].mesh);
        let own = shapes.targets.iter_mut().filter(|(at, _)| found.contains(&(mesh, *at)));
        own.for_each(|(_, name)| new.clone_into(name));
    }
    changed(model, change, &kept, text)
}

/// Leaves out what drives shapes of the file and does not fit the model any more, so that others can be made. The morph targets stay, with their
/// keys. `None` where all of it fits.
///
/// # Errors
/// The model cannot be without it.
pub fn without_unfit_drivers(model: &Model) -> Result<Option<Model>, ShapeError> {
    match kept_of(model) {
        Ok(_) => Ok(None),
        Err(_) => changed(model, ShapeChange::default(), &fitting_shapes(model), None).map(Some),
    }
}

/// Gives a model morph targets that it had once, and the clips keys of them by what drives these.
///
/// # Errors
/// They do not fit the model.
pub(crate) fn restore_shapes(model: &Model, change: &ShapeChange) -> Result<Model, ShapeError> {
    let shaped = model.with_shapes(change)?;
    let (kept, text) = kept_or_text(&shaped);
    let mut again = ShapeChange::default();
    for (mesh, targets) in &change.meshes {
        let before = model.meshes[mesh.index()].morph_names.len();
        if targets.iter().map(|target| target.from).eq((0..before).map(Some)) {
            // Other names change no keys.
            continue;
        }
        let names = &shaped.meshes[mesh.index()].morph_names;
        let all: Vec<usize> = (0..names.len()).collect();
        for instance in instances(&shaped, *mesh)? {
            let mut redriven = Redriven::default();
            for shapes in kept.iter().filter(|shapes| shapes.instance == instance) {
                redriven.add(shapes.driver.clone(), shapes.targets.iter().map(|(target, _)| *target));
            }
            again.tracks.extend(redriven.tracks(&shaped, (instance, &all), &JobContext::of_waiting()));
        }
        again.meshes.push((*mesh, kept_targets(names)));
    }
    changed(&shaped, again, &kept, text)
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
    fn tracks(
        &self,
        model: &Model,
        (instance, stays): (InstanceId, &[usize]),
        context: &JobContext,
    ) -> Vec<ShapeTrack> {
        if self.drivers.is_empty() {
            return Vec::new();
        }
        let mesh = model.instances[instance.index()].mesh;
        let tolerance = tolerance(model, mesh, longest_offset(model, mesh, &self.targets));
        let count = model.meshes[mesh.index()].morph_names.len();
        let column = |at: &usize| self.targets.iter().position(|of| of == at).map_or(*at, |new| count + new);
        let keyed = KeyedShapes { instance, drivers: &self.drivers, tolerance };
        let columns = Columns { keyed, columns: stays.iter().map(column).collect() };
        columns.tracks(model, context).into_iter().map(|(track, _)| track).collect()
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
    /// Finds what is left of drivers. `staying` are the examples of all shapes that stay, with their drivers.
    fn of<'d>(
        stays: &[usize],
        staying: &[(&Driver, &Vec<Quat>)],
        all: impl Iterator<Item = &'d DrivenShapes>,
    ) -> Result<Self, ShapeError> {
        let mut out = Self::default();
        for shapes in all {
            let (rest, examples) = shapes.driver.rotations();
            let place = |target: usize| stays.iter().position(|at| *at == target);
            let left = shapes.targets.iter().zip(examples);
            let left: Vec<_> =
                left.filter_map(|((at, name), example)| Some((*at, (place(*at)?, name.clone()), example))).collect();
            let targets: Vec<(usize, String)> = left.iter().map(|(_, target, _)| target.clone()).collect();
            // In the poses of shapes that go it may show.
            let is_there = |other: &&Vec<Quat>| is_there(shapes, other, staying);
            let others: Vec<Vec<Quat>> = shapes.driver.others().iter().filter(is_there).cloned().collect();
            if left.len() == shapes.targets.len() && others.len() == shapes.driver.others().len() {
                out.kept.push(DrivenShapes { targets, ..shapes.clone() });
            } else if !left.is_empty() {
                let examples = left.iter().map(|(.., example)| (*example).clone()).collect();
                let driver = Driver::new(shapes.driver.joints().to_vec(), rest.to_vec(), examples);
                let driver = driver.map_err(|why| ShapeError(why.to_string()))?.without(others);
                out.redriven.add(driver.clone(), left.iter().map(|(at, ..)| *at));
                out.kept.push(DrivenShapes { instance: shapes.instance, driver, targets });
            }
        }
        Ok(out)
    }
}

/// Returns whether a pose in which there is none of some shapes is that of another shape, which stays.
fn is_there(shapes: &DrivenShapes, other: &[Quat], staying: &[(&Driver, &Vec<Quat>)]) -> bool {
    let mut seen = staying.iter().filter_map(|(of, example)| shapes.driver.rotations_in(of, example));
    seen.any(|seen| seen == *other)
}

/// Returns whether shapes, of which there is none in the poses of others, may show in some of these from now on, since the others go.
fn loses_others(shapes: &DrivenShapes, staying: &[(&Driver, &Vec<Quat>)]) -> bool {
    shapes.driver.others().iter().any(|other| !is_there(shapes, other, staying))
}

/// Returns what drives the shapes of a model.
pub(super) fn kept_of(model: &Model) -> Result<Vec<DrivenShapes>, ShapeError> {
    kept_shapes(model).map_err(|why| ShapeError(why.to_string()))
}

/// Returns what drives the shapes of a model; where that cannot be used, its text, which stays as it is.
fn kept_or_text(model: &Model) -> (Vec<DrivenShapes>, Option<Arc<str>>) {
    match kept_of(model) {
        Ok(kept) => (kept, None),
        Err(_) => (Vec::new(), model.source.kept_shapes.clone()),
    }
}

/// Makes the change, with what drives shapes from then on; where nothing does, this text of it stays.
fn changed(
    model: &Model,
    change: ShapeChange,
    kept: &[DrivenShapes],
    text: Option<Arc<str>>,
) -> Result<Model, ShapeError> {
    let drivers = Some(kept).filter(|kept| !kept.is_empty()).and_then(|kept| kept_text(model, kept));
    Ok(model.with_shapes(&ShapeChange { drivers: drivers.map(Arc::from).or(text), ..change })?)
}

fn kept_targets(names: &[String]) -> Vec<ShapeTarget> {
    (0..names.len()).map(|at| kept_target(names, at)).collect()
}

fn kept_target(names: &[String], at: usize) -> ShapeTarget {
    ShapeTarget { name: names[at].clone(), from: Some(at), ..ShapeTarget::default() }
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

/// Returns a name for each shape that no morph target of any mesh has, so that what is renamed or removed by its name later is this shape alone.
fn free_names(model: &Model, shapes: &[Shape]) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(shapes.len());
    for shape in shapes {
        let name = |n: usize| if n == 1 { shape.name.clone() } else { format!("{} {n}", shape.name) };
        let taken = model.meshes.iter().flat_map(|mesh| &mesh.morph_names).chain(&out);
        let is_free = |name: &String| !taken.clone().any(|other| other == name);
        let free = (1..).map(name).find(is_free);
        out.push(free.unwrap_or_default());
    }
    out
}

/// Makes the morph target that a mesh of the file gains of a shape, of this name.
fn new_target(model: &Model, mesh: MeshId, shape: &Shape, name: &str) -> ShapeTarget {
    let source = &model.meshes[mesh.index()];
    let of_primitive = |primitive: usize| -> MorphTarget {
        let own = &source.primitives[primitive];
        if own.shares.is_some() {
            return MorphTarget::default();
        }
        let is_own = |part: &&Part| model.file_mesh(part.at.mesh) == mesh && part.at.primitive == primitive;
        let part = shape.parts.iter().find(is_own);
        let positions = part.map_or_else(|| vec![Vec3::ZERO; own.stored_vertices], |part| part.back.offsets.clone());
        let is_own =
            |(at, _): &&(PrimitiveId, DirectionOffsets)| model.file_mesh(at.mesh) == mesh && at.primitive == primitive;
        let directions = shape.directions.iter().find(is_own).map(|(_, found)| found.clone()).unwrap_or_default();
        MorphTarget { positions, normals: directions.normals, tangents: directions.tangents }
    };
    let offsets = (0..source.primitives.len()).map(of_primitive).collect();
    ShapeTarget { name: name.to_owned(), from: None, offsets }
}

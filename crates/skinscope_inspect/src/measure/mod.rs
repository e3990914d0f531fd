//! The truth meter: what a pose does to a surface, measured against the surface at rest.
//!
//! *Edge stretch* is the length of an edge as posed over that at rest; *area* the same of a triangle, and of the whole surface.
//! *Volume* is signed and of each part that hangs together (`⅙ Σ a · (b × c)`), and of each joint's region: the triangles that the joint
//! holds most of. Open parts and regions are closed by a fan over each border; those that then enclose next to nothing have none. A
//! triangle is *inverted* where it faces away from where the matrices of its corners carry its normal. A *fold* is an edge whose two
//! triangles lie almost on each other, and did not at rest. *Normal error* is the angle between a carried normal and the one that
//! is computed from the posed triangles.
//!
//! The rest surface is the stored one, morph targets included at their present weights. Where the rest pose shows it larger or smaller as
//! a whole (a mesh in centimetres below a joint that scales it to metres), it is taken as large as that.
//!
//! [`skinscope_deform::Patch`] measures the surroundings of one joint against limits, for the checks of the range of motion; this measures
//! everything that is drawn, in numbers that curves and overlays show.

#[cfg(test)]
mod cut_tests;
#[cfg(test)]
mod drawn_tests;
mod normals;
mod read;
mod rest;
mod results;
mod split;
mod table;
#[cfg(test)]
mod tests;
mod topology;
mod total;
mod values;
#[cfg(test)]
mod worst_tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use glam::{Affine3A, Vec3, Vec4};
use skinscope_anim::local_to_model;
use skinscope_base::parallel::JobContext;
use skinscope_deform::{
    self as deform, Deformed, DeformedAttributes, JointNormals, METHODS, MethodData, NORMAL_MODES, NormalSource,
    Surface, SurfaceInput,
};
use skinscope_model::{InstanceId, MeshId, Model, SkinId};

use self::normals::{Carrier, NormalGroups, NormalReading};
use self::read::{Memory, Posed, Readings, read};
use self::rest::RestSizes;
pub use self::results::{NormalModeMeasures, PartVolume, PrimitiveMeasures, SurfaceMeasures};
use self::split::SplitMeasurer;
pub use self::table::{MEASURES, Measure, Unit, measure};
use self::topology::MeasuredTopology;
use self::total::Total;
use self::values::worse;
use super::PerVertex;
pub use super::VertexMeasure;
use crate::surface_source::SurfaceSource;

/// Measures surfaces of one model, pose by pose. What does not change with the pose is found out once.
#[derive(Clone, Debug)]
pub struct Measurer {
    model: Arc<Model>,
    /// Whether each primitive of the file is measured alone ([`Wanted::by_primitive`]).
    by_primitive: bool,
    parts: Vec<MeasuredPart>,
    /// The memory of the surface that was deformed last by [`Measurer::deform_and_measure`].
    surface: Surface,
    /// Measures what a method draws with some vertices at several positions.
    split: Option<Box<SplitMeasurer>>,
}

/// The skinned surface of an instance, or a primitive of it.
#[derive(Clone, Debug)]
struct MeasuredPart {
    instance: InstanceId,
    mesh: MeshId,
    source: SurfaceSource,
    skin: SkinId,
    topology: Arc<MeasuredTopology>,
    /// How many times as large the rest pose shows the mesh.
    scale: f32,
    groups: Option<Arc<NormalGroups>>,
    rest: Option<Arc<Rest>>,
    memory: Memory,
    /// The normal error of each stored vertex in the last reading for which it was asked.
    errors: Vec<f32>,
    /// The memory of the vertices of several lists, gathered in one.
    gathered: Deformed,
}

/// The rest surface with some weights of its morph targets.
#[derive(Clone, Debug)]
struct Rest {
    morph_weights: Vec<f32>,
    sizes: RestSizes,
    /// The normals of groups, once they were asked for.
    normals: Option<Vec<Vec3>>,
}

/// What is asked of a reading in addition to the measures that are always taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Whether the normal error is measured.
    pub normal_error: bool,
    /// Whether the errors of all modes of the normals of linear blending are measured ([`SurfaceMeasures::normal_modes`]).
    pub normal_modes: bool,
    /// The measure whose numbers are wanted for each vertex.
    pub vertices: Option<VertexMeasure>,
    /// Whether, of the other measures, only those of the overlay of [`Wanted::vertices`] are wanted ([`Measure::overlay`]). The rest is then
    /// not measured and has the numbers of a surface at rest, or none. Without [`Wanted::vertices`] it changes nothing.
    pub overlay_only: bool,
    /// Whether each primitive of the file is measured alone, so that a cut between primitives is a border; else all
    /// skinned primitives of a mesh are one surface.
    pub by_primitive: bool,
}

impl Wanted {
    /// Returns whether measures that were taken for `other` have all that is wanted here of the surface as a whole.
    #[must_use]
    pub fn is_measured_by(self, other: Self) -> bool {
        self.by_primitive == other.by_primitive && !other.overlay_only
            || self.overlay_only && self.vertices == other.vertices
    }
}

impl Measurer {
    /// Prepares to measure surfaces of `model`; `None` soon after `stop` returns true.
    #[must_use]
    pub fn new(model: &Arc<Model>, stop: &dyn Fn() -> bool) -> Option<Self> {
        Self::of(model, None, false, stop)
    }

    /// Prepares to measure each skinned primitive of the file alone ([`Wanted::by_primitive`]).
    #[must_use]
    pub fn by_primitive(model: &Arc<Model>, stop: &dyn Fn() -> bool) -> Option<Self> {
        Self::of(model, None, true, stop)
    }

    /// Returns whether it measures what is wanted.
    #[must_use]
    pub fn is_for(&self, wanted: Wanted) -> bool {
        self.by_primitive == wanted.by_primitive
    }

    /// Does the same. Vertices that stand at one position at rest are welded, but not where `parted` has different vectors for them.
    fn of(
        model: &Arc<Model>,
        parted: Option<&MethodData>,
        by_primitive: bool,
        stop: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let scales = rest_scales(model);
        let mut known: HashMap<MeshId, Vec<(SurfaceSource, Arc<MeasuredTopology>)>> = HashMap::new();
        let mut parts = Vec::new();
        for (i, instance) in model.instances.iter().enumerate() {
            let (Some(skin), id) = (instance.skin, InstanceId::from_index(i)) else { continue };
            if let Entry::Vacant(entry) = known.entry(instance.mesh) {
                let vectors = |list: usize| parted.map(|data| data.vectors_of(id, list));
                let owned = |list: usize| vectors(list).map(<[_]>::to_vec);
                let mut surfaces = Vec::new();
                for source in SurfaceSource::all(model, instance.mesh, by_primitive, &owned) {
                    let Some(own) = model.influences(instance.mesh, source.lists[0]) else { continue };
                    let parted = parted.map(|_| vectors_of(&source, &|list| vectors(list).unwrap_or_default()));
                    let mesh = &model.meshes[instance.mesh.index()];
                    let (primitive, influences) = (source.primitive(mesh), source.influences(own));
                    let topology = MeasuredTopology::new(primitive, influences, parted.as_deref(), stop)?;
                    surfaces.push((source, Arc::new(topology)));
                }
                entry.insert(surfaces);
            }
            parts.extend(known[&instance.mesh].iter().map(|(source, topology)| MeasuredPart {
                instance: id,
                mesh: instance.mesh,
                source: source.clone(),
                skin,
                topology: Arc::clone(topology),
                scale: scales[skin.index()],
                groups: None,
                rest: None,
                memory: Memory::default(),
                errors: Vec::new(),
                gathered: Deformed::default(),
            }));
        }
        let (model, surface) = (Arc::clone(model), Surface::default());
        (!stop()).then_some(Self { model, by_primitive, parts, surface, split: None })
    }

    /// Returns the model that it measures.
    #[must_use]
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Deforms the surface and measures it as [`Measurer::measure`] does. Where a method computes each vertex alone, what measures need
    /// beside the positions comes from the same pass over the vertices.
    pub fn deform_and_measure(&mut self, input: &SurfaceInput<'_>, wanted: Wanted) -> (SurfaceMeasures, PerVertex) {
        let is_whole = input.method.needs_surface();
        let attributes = if is_whole { DeformedAttributes::ALL } else { Readings::of(wanted).attributes() };
        let mut surface = std::mem::take(&mut self.surface);
        surface.deform(input, attributes);
        let out = self.measure(input, &surface, wanted);
        self.surface = surface;
        out
    }

    /// Measures `surface`, which was deformed from `input`, on all cores. Data that the method needs and that is not there is computed
    /// anew. The error of normals is that of the mode that is applied; a pass after the method makes normals of its own, whose error is not
    /// measured. Skinned primitives that are not drawn count for nothing. With it come the numbers of vertices that are wanted; primitives
    /// that are not measured have none.
    pub fn measure(
        &mut self,
        input: &SurfaceInput<'_>,
        surface: &Surface,
        wanted: Wanted,
    ) -> (SurfaceMeasures, PerVertex) {
        let made = input.method.method.data.filter(|_| input.method.data.is_none());
        let made = made.and_then(|source| (source.make)(input.model, &JobContext::of_waiting()));
        let mut input = *input;
        input.method.data = input.method.data.or(made.as_ref());
        let split = input.method.data.filter(|data| data.split.is_some() && surface.split_model().is_some());
        let Some(data) = split else { return self.measure_parts(&input, surface, wanted) };
        let is_joined = input.method.has_pass();
        let known = self.split.take().filter(|known| known.is_for(data, is_joined));
        let Some(mut split) = known.or_else(|| SplitMeasurer::new(data, is_joined, self.by_primitive).map(Box::new))
        else {
            return (Total::default().finished(), PerVertex::empty(&self.model));
        };
        let out = split.measure(&self.model, &input, surface, wanted);
        self.split = Some(split);
        out
    }

    /// Measures a surface that has the vertices of the model that is measured.
    fn measure_parts(
        &mut self,
        input: &SurfaceInput<'_>,
        surface: &Surface,
        wanted: Wanted,
    ) -> (SurfaceMeasures, PerVertex) {
        let mut packed = Vec::new();
        deform::pack(&input.method, input.palettes, &mut packed);
        let mut total = Total::default();
        let mut values = PerVertex::empty(&self.model);
        let model = Arc::clone(&self.model);
        let stride = input.method.vec4s_per_joint;
        let has_pass = input.method.has_pass();
        let mode = input.method.normal_mode();
        let is_carried = !has_pass || matches!(mode, Some(NormalSource::Triangles));
        let has_modes = !has_pass && std::ptr::eq(input.method.method, METHODS[0]);
        let readings = Readings::of(wanted);
        let wanted = Wanted {
            normal_error: wanted.normal_error && is_carried,
            normal_modes: wanted.normal_modes && has_modes,
            ..wanted
        };
        for part in &mut self.parts {
            let source = part.source.clone();
            let lists = source.lists.iter().map(|list| Some(&surface.part(part.instance, *list)?.deformed));
            let Some(lists) = lists.collect::<Option<Vec<&Deformed>>>() else { continue };
            let (first, Some(own)) = input.model.binding(part.instance, source.lists[0]) else { continue };
            let influences = source.influences(own);
            let joints = model.skins[part.skin.index()].joints.len();
            let palette = &packed[first as usize * stride..][..joints * stride];
            let of_list = |list| input.method.data.map_or(&[][..], |data| data.vectors_of(part.instance, list));
            let vectors = vectors_of(&source, &of_list);
            let mut gathered = std::mem::take(&mut part.gathered);
            if source.is_gathered() {
                source.gather(&lists, &mut gathered);
            }
            let deformed = if source.is_gathered() { &gathered } else { lists[0] };
            let posed = Posed { deformed, influences, palette, method: input.method, vectors: &vectors };
            let with_normals = wanted.normal_error || wanted.normal_modes;
            let rest = part.at_rest(&model, input.morph_weights, with_normals);
            let reading = read(&part.topology, &rest.sizes, posed, readings, &mut part.memory);
            let matrices = input.palettes.get(first as usize..first as usize + joints).unwrap_or_default();
            let (normals, modes) = part.read_normals(&rest, posed, matrices, mode, wanted);
            if let Some(measure) = wanted.vertices {
                let of_mesh = &mut values.values[part.mesh.index()];
                part.write_values(measure, (&rest, posed.deformed), wanted, of_mesh);
            }
            total.add(&model, part, &rest, reading, (normals, &modes));
            total.add_zero_normals(part, posed.deformed);
            part.gathered = gathered;
        }
        (total.finished(), values)
    }
}

impl MeasuredPart {
    /// Returns the surface at rest with these weights of morph targets, measured anew where they have changed.
    fn at_rest(&mut self, model: &Model, morph_weights: &[f32], with_normals: bool) -> Arc<Rest> {
        let instance = &model.instances[self.instance.index()];
        let primitive = self.source.primitive(&model.meshes[self.mesh.index()]);
        let weights = &morph_weights[instance.morph_offset..][..instance.morph_weights.len()];
        let groups = with_normals.then(|| {
            let groups = self.groups.get_or_insert_with(|| Arc::new(NormalGroups::new(primitive, &self.topology)));
            Arc::clone(groups)
        });
        let known = self.rest.take().filter(|rest| rest.morph_weights == weights || primitive.morphs.is_empty());
        let mut rest = known.unwrap_or_else(|| {
            let mut positions = Vec::new();
            deform::morphed(primitive, weights, &mut positions);
            let sizes = RestSizes::new(&self.topology, positions, self.scale);
            Arc::new(Rest { morph_weights: weights.to_vec(), sizes, normals: None })
        });
        if let Some(groups) = groups.filter(|_| rest.normals.is_none()) {
            let normals = groups.at_rest(&self.topology, &rest.sizes);
            Arc::make_mut(&mut rest).normals = Some(normals);
        }
        Arc::clone(self.rest.insert(rest))
    }

    /// Measures the normals that `source` makes (`None`: the method), and those of every mode of linear blending, as far as they are wanted.
    /// `matrices` are those of the skin's joints.
    fn read_normals(
        &mut self,
        rest: &Rest,
        posed: Posed<'_>,
        matrices: &[Affine3A],
        source: Option<NormalSource>,
        wanted: Wanted,
    ) -> (Option<NormalReading>, Vec<NormalReading>) {
        let (Some(groups), Some(at_rest)) = (&self.groups, &rest.normals) else { return (None, Vec::new()) };
        if !wanted.normal_error && !wanted.normal_modes {
            return (None, Vec::new());
        }
        let truth = groups.posed(&self.topology, posed, &self.memory.normals, self.memory.is_mirrored);
        let joints: Vec<JointNormals> = matrices.iter().map(JointNormals::of).collect();
        let read = |source: NormalSource, errors: &mut Vec<f32>| {
            let carrier = match source {
                NormalSource::Method => Carrier::Method,
                NormalSource::Joints(turn) => Carrier::Joints(turn, &joints),
                NormalSource::Triangles => Carrier::Triangles,
            };
            groups.read(&rest.sizes, [at_rest, &truth], posed, carrier, errors)
        };
        let own = wanted.normal_error.then(|| read(source.unwrap_or(NormalSource::Method), &mut self.errors));
        let mut errors = Vec::new();
        let modes = NORMAL_MODES.iter().filter(|_| wanted.normal_modes);
        (own, modes.map(|mode| read(mode.source, &mut errors)).collect())
    }

    /// Writes the numbers of vertices in the last reading to `out`; where another instance of the mesh has written some before, the
    /// worse ones.
    fn write_values(
        &self,
        measure: VertexMeasure,
        (rest, deformed): (&Rest, &Deformed),
        wanted: Wanted,
        of_mesh: &mut [Vec<f32>],
    ) {
        let mut list = Vec::new();
        match measure {
            VertexMeasure::NormalError if wanted.normal_error => list = self.normal_errors(deformed),
            VertexMeasure::NormalError => list.resize(self.topology.welded.len(), -1.0),
            measure => list = values::values(measure, &self.topology, &rest.sizes, &self.memory),
        }
        for (primitive, list) in self.source.scatter(list) {
            let out = &mut of_mesh[primitive];
            if out.is_empty() {
                *out = list;
            } else {
                out.iter_mut().zip(&list).for_each(|(a, b)| *a = worse(measure, *a, *b));
            }
        }
    }
}

/// Returns the vectors of the vertices of a surface; `of` are those of a primitive.
fn vectors_of<'a>(source: &SurfaceSource, of: &dyn Fn(usize) -> &'a [Vec4]) -> Cow<'a, [Vec4]> {
    if !source.is_gathered() {
        return Cow::Borrowed(of(source.lists[0]));
    }
    Cow::Owned(source.vectors(&source.lists.iter().map(|list| of(*list)).collect::<Vec<_>>()))
}

impl MeasuredPart {
    /// Returns the normal error of each stored vertex in the last reading: below zero where its normal has length zero and some triangle
    /// stands at it, as [`SurfaceMeasures::zero_normals`] counts; 0 where there is nothing to compare with.
    fn normal_errors(&self, deformed: &Deformed) -> Vec<f32> {
        let of = |(vertex, error): (usize, &f32)| {
            let is_zero = self.topology.used[vertex] && deformed.is_normal_lost(vertex);
            if is_zero { -1.0 } else { error.max(0.0) }
        };
        self.errors.iter().enumerate().map(of).collect()
    }
}

/// Returns for each skin how many times as large the rest pose shows its meshes: the scale that all its joints share there, else 1.
fn rest_scales(model: &Model) -> Vec<f32> {
    let (mut pose, mut palettes) = (Vec::new(), Vec::new());
    local_to_model(&model.skeleton, &model.skeleton.rest, &mut pose);
    deform::palettes(model, &pose, &mut palettes);
    let size = |m: &Affine3A| m.matrix3.determinant().abs().cbrt();
    let firsts = &model.palette_layout().skins;
    model
        .skins
        .iter()
        .zip(firsts)
        .map(|(skin, first)| {
            let sizes = palettes[*first as usize..][..skin.joints.len()].iter().map(size);
            let (least, most) = sizes.fold((f32::INFINITY, 0.0_f32), |(a, b), size| (a.min(size), b.max(size)));
            let shared = least > 0.0 && most.is_finite() && most <= least * 1.001;
            // Rounding is no scale.
            if shared && (most - 1.0).abs() > 2e-3 { 0.5 * (least + most) } else { 1.0 }
        })
        .collect()
}

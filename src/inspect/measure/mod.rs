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
//! [`crate::deform::Patch`] measures the surroundings of one joint against limits, for the checks of the range of motion; this measures
//! everything that is drawn, in numbers that curves and overlays show.

mod normals;
mod read;
mod rest;
mod table;
#[cfg(test)]
mod tests;
mod topology;
mod values;

use std::collections::HashMap;
use std::sync::Arc;

use glam::{Affine3A, Vec3};

use self::normals::NormalGroups;
use self::read::{Memory, Posed, PrimitiveReading, read};
use self::rest::RestSizes;
pub use self::table::{MEASURES, Measure, Unit, measure};
use self::topology::{MeasuredTopology, NONE};
pub use self::values::VertexMeasure;
use super::{PerVertex, VertexRef};
use crate::anim::local_to_model;
use crate::deform::{self, Surface, SurfaceInput};
use crate::model::{InstanceId, MeshId, Model, NodeId, SkinId};

/// Measures surfaces of one model, pose by pose. What does not change with the pose is found out once.
#[derive(Clone, Debug)]
pub struct Measurer {
    model: Arc<Model>,
    parts: Vec<MeasuredPart>,
}

/// A skinned primitive of an instance.
#[derive(Clone, Debug)]
struct MeasuredPart {
    instance: InstanceId,
    mesh: MeshId,
    primitive: usize,
    skin: SkinId,
    topology: Arc<MeasuredTopology>,
    /// How many times as large the rest pose shows the mesh.
    scale: f32,
    groups: Option<Arc<NormalGroups>>,
    rest: Option<Arc<Rest>>,
    memory: Memory,
    /// The normal error of each stored vertex in the last reading for which it was asked.
    errors: Vec<f32>,
}

/// The rest surface with some weights of its morph targets.
#[derive(Clone, Debug)]
struct Rest {
    morph_weights: Vec<f32>,
    sizes: RestSizes,
    /// The normals of groups, once they were asked for.
    normals: Option<Vec<Vec3>>,
}

/// What is asked of a reading beside the measures that are always taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Whether the normal error is measured.
    pub normal_error: bool,
    /// The measure whose numbers are wanted for each vertex.
    pub vertices: Option<VertexMeasure>,
}

/// The measures of everything that is skinned, in one pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMeasures {
    /// The least and the greatest length of an edge, posed over rest; both 1 where there are no edges.
    pub stretch: [f32; 2],
    /// The mean over all edges.
    pub stretch_mean: f64,
    /// The least and the greatest area of a triangle, posed over rest; both 1 where there are no triangles.
    pub triangle: [f32; 2],
    /// The area of the whole surface, posed over rest; 1 where it has none.
    pub area: f64,
    /// How many triangles are inverted.
    pub inverted: usize,
    /// How many edges the surface folds back on itself at.
    pub folds: usize,
    /// The sharpest of these folds, degrees; 0 where there are none.
    pub sharpest: f32,
    /// The volume of all parts that enclose one, posed over rest; `None` where no part does.
    pub volume: Option<f64>,
    /// The volume of each joint's region, posed over rest, by joint; regions that enclose none are left out.
    pub regions: Vec<(NodeId, f64)>,
    /// The largest and the mean normal error, degrees; `None` where it was not asked for.
    pub normal_error: Option<[f64; 2]>,
    /// The measures of each skinned primitive.
    pub primitives: Vec<PrimitiveMeasures>,
    /// Vertices of the shortest and longest edge, of the least and largest triangle, of an inverted triangle, of the sharpest fold,
    /// with the largest normal error, and of the region whose volume has changed most.
    pub at: [Option<VertexRef>; 8],
}

/// The measures of one skinned primitive, as those of [`SurfaceMeasures`].
#[derive(Clone, Debug, PartialEq)]
pub struct PrimitiveMeasures {
    /// The instance that draws it.
    pub instance: InstanceId,
    /// Its number in the instance's mesh.
    pub primitive: usize,
    /// See [`SurfaceMeasures::stretch`].
    pub stretch: [f32; 2],
    /// See [`SurfaceMeasures::stretch_mean`].
    pub stretch_mean: f64,
    /// See [`SurfaceMeasures::triangle`].
    pub triangle: [f32; 2],
    /// See [`SurfaceMeasures::area`].
    pub area: f64,
    /// See [`SurfaceMeasures::inverted`].
    pub inverted: usize,
    /// See [`SurfaceMeasures::folds`].
    pub folds: usize,
    /// See [`SurfaceMeasures::sharpest`].
    pub sharpest: f32,
    /// The parts that hang together.
    pub parts: Vec<PartVolume>,
    /// See [`SurfaceMeasures::normal_error`].
    pub normal_error: Option<[f64; 2]>,
}

/// The volume of a part of a surface whose triangles are joined over edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartVolume {
    /// How many triangles it has.
    pub triangles: usize,
    /// Whether every edge runs once each way; other parts are closed by fans over their borders.
    pub closed: bool,
    /// The signed volume at rest, cubic metres; `None` where it encloses none.
    pub rest: Option<f64>,
    /// The signed volume as posed, cubic metres.
    pub posed: f64,
}

impl PartVolume {
    /// Returns the volume as posed over that at rest.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        self.rest.map(|rest| self.posed / rest)
    }
}

impl Measurer {
    /// Prepares to measure surfaces of `model`; `None` soon after `stop` returns true.
    #[must_use]
    pub fn new(model: &Arc<Model>, stop: &dyn Fn() -> bool) -> Option<Self> {
        let scales = rest_scales(model);
        let mut known: HashMap<(MeshId, usize), Arc<MeasuredTopology>> = HashMap::new();
        let mut parts = Vec::new();
        for (i, instance) in model.instances.iter().enumerate() {
            let Some(skin) = instance.skin else { continue };
            for primitive in 0..model.meshes[instance.mesh.index()].primitives.len() {
                let Some(influences) = model.influences(instance.mesh, primitive) else { continue };
                let source = &model.meshes[instance.mesh.index()].primitives[primitive];
                let topology = match known.get(&(instance.mesh, primitive)) {
                    Some(topology) => Arc::clone(topology),
                    None => Arc::new(MeasuredTopology::new(source, influences, stop)?),
                };
                known.insert((instance.mesh, primitive), Arc::clone(&topology));
                parts.push(MeasuredPart {
                    instance: InstanceId::from_index(i),
                    mesh: instance.mesh,
                    primitive,
                    skin,
                    topology,
                    scale: scales[skin.index()],
                    groups: None,
                    rest: None,
                    memory: Memory::default(),
                    errors: Vec::new(),
                });
            }
        }
        (!stop()).then(|| Self { model: Arc::clone(model), parts })
    }

    /// Returns the model that it measures.
    #[must_use]
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Measures `surface`, which was deformed from `input`, on all cores. A method that needs data must have it there. Normals are measured
    /// where the method carries them and nothing changes them afterwards. Skinned primitives that are not drawn count for nothing.
    /// With it come the numbers of vertices that are wanted; primitives that are not measured have none.
    pub fn measure(
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
        let (mut list, stride) = (Vec::new(), input.method.vec4s_per_joint);
        // Where vertices stand in several places each triangle moves as a whole, and nothing is deformed.
        let parts = self.parts.iter_mut().filter(|_| surface.split_model().is_none());
        // What changes the surface as a whole makes normals of its own, which are not those of the file carried.
        let carries = input.method.normal_mode().is_none() && input.method.pass.is_none();
        let wanted =
            Wanted { normal_error: wanted.normal_error && carries && input.method.method.pass.is_none(), ..wanted };
        for part in parts {
            let Some(posed) = surface.part(part.instance, part.primitive) else { continue };
            let (first, Some(influences)) = input.model.binding(part.instance, part.primitive) else { continue };
            let joints = model.skins[part.skin.index()].joints.len();
            let palette = &packed[first as usize * stride..][..joints * stride];
            let vectors = input.method.data.map_or(&[][..], |data| data.vectors_of(part.instance, part.primitive));
            let posed = Posed { deformed: &posed.deformed, influences, palette, method: input.method, vectors };
            let rest = part.at_rest(&model, input.morph_weights, wanted.normal_error);
            let reading = read(&part.topology, &rest.sizes, posed, &mut part.memory);
            let normals = part.groups.as_ref().zip(rest.normals.as_ref()).filter(|_| wanted.normal_error);
            let normals = normals.map(|(groups, at_rest)| {
                let surface = (&*part.topology, &rest.sizes);
                groups.read(surface, at_rest, posed, &part.memory.normals, &mut part.errors)
            });
            if let Some(measure) = wanted.vertices {
                match measure {
                    VertexMeasure::NormalError if wanted.normal_error => list.clone_from(&part.errors),
                    VertexMeasure::NormalError => {
                        list.clear();
                        list.resize(part.topology.welded.len(), -1.0);
                    }
                    measure => values::values(measure, &part.topology, &rest.sizes, &part.memory, &mut list),
                }
                let out = &mut values.values[part.mesh.index()][part.primitive];
                if out.is_empty() {
                    out.clone_from(&list);
                } else {
                    // The mesh is drawn several times.
                    out.iter_mut().zip(&list).for_each(|(a, b)| *a = measure.worse(*a, *b));
                }
            }
            total.add(&model, part, &rest, reading, normals);
        }
        (total.finished(), values)
    }
}

impl MeasuredPart {
    /// Returns the surface at rest with these weights of morph targets, measured anew where they have changed.
    fn at_rest(&mut self, model: &Model, morph_weights: &[f32], with_normals: bool) -> Arc<Rest> {
        let instance = &model.instances[self.instance.index()];
        let primitive = &model.meshes[self.mesh.index()].primitives[self.primitive];
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
}

/// Sums over primitives.
#[derive(Debug, Default)]
struct Total {
    out: SurfaceMeasures,
    /// The number of edges and the sum of their ratios.
    edges: (usize, f64),
    /// Posed, then at rest.
    area: [f64; 2],
    volume: [f64; 2],
    /// With each joint the volume of its region, posed and at rest, and a vertex of it.
    regions: Vec<(NodeId, [f64; 2], VertexRef)>,
    normals: Option<(f64, f64, usize)>,
}

impl Total {
    fn add(
        &mut self,
        model: &Model,
        part: &MeasuredPart,
        rest: &Rest,
        reading: PrimitiveReading,
        normals: Option<normals::NormalReading>,
    ) {
        let out = &mut self.out;
        let is_first = out.primitives.is_empty();
        let place =
            |vertex: u32| VertexRef { instance: part.instance, primitive: part.primitive, vertex: vertex as usize };
        let mut keep = |slot: usize, is_worse: bool, at: Option<u32>| {
            if let Some(at) = at.filter(|_| is_worse || out.at[slot].is_none()) {
                out.at[slot] = Some(place(at));
            }
        };
        keep(0, reading.stretch[0] < out.stretch[0], reading.at_stretch[0]);
        keep(1, reading.stretch[1] > out.stretch[1], reading.at_stretch[1]);
        keep(2, reading.triangle[0] < out.triangle[0], reading.at_triangle[0]);
        keep(3, reading.triangle[1] > out.triangle[1], reading.at_triangle[1]);
        keep(4, false, reading.at_inverted);
        keep(5, reading.sharpest.to_degrees() > out.sharpest, reading.at_fold);
        if let Some(normals) = &normals {
            let before = self.normals.unwrap_or_default();
            keep(6, f64::from(normals.worst.0) > before.0, Some(normals.worst.1));
            let worst = before.0.max(normals.worst.0.into());
            self.normals = Some((worst, before.1 + normals.sum, before.2 + normals.count));
        }
        let join = |out: &mut [f32; 2], of: [f32; 2], measured: bool| match (measured, is_first) {
            (true, true) => *out = of,
            (true, false) => *out = [out[0].min(of[0]), out[1].max(of[1])],
            (false, true) => *out = [1.0; 2],
            (false, false) => {}
        };
        join(&mut out.stretch, reading.stretch, reading.edges > 0);
        join(&mut out.triangle, reading.triangle, reading.at_triangle[0].is_some());
        out.inverted += reading.inverted;
        out.folds += reading.folds;
        out.sharpest = out.sharpest.max(reading.sharpest.to_degrees());
        self.edges = (self.edges.0 + reading.edges, self.edges.1 + reading.stretch_sum);
        self.area = [self.area[0] + reading.area, self.area[1] + rest.sizes.area];
        let topology = &part.topology;
        let volumes = topology.parts.iter().zip(&rest.sizes.part_volumes).zip(&reading.part_volumes);
        let parts: Vec<PartVolume> = volumes
            .map(|((part, rest), posed)| PartVolume {
                triangles: part.triangles,
                closed: part.closed,
                rest: *rest,
                posed: *posed,
            })
            .collect();
        for (posed, at_rest) in parts.iter().filter_map(|part| Some((part.posed, part.rest?))) {
            // A part that is stored inside out counts like any other.
            self.volume[0] += posed * at_rest.signum();
            self.volume[1] += at_rest.abs();
        }
        let skin = &model.skins[part.skin.index()].joints;
        let pieces = topology.pieces.iter().zip(&rest.sizes.piece_volumes).zip(&reading.piece_volumes);
        for (i, ((piece, at_rest), posed)) in (0_u32..).zip(pieces) {
            let (Some(at_rest), false) = (at_rest, piece.joint == NONE) else { continue };
            let Some(joint) = skin.get(piece.joint as usize) else { continue };
            let volumes = [posed * at_rest.signum(), at_rest.abs()];
            match self.regions.iter_mut().find(|(of, ..)| of == joint) {
                Some((_, sums, _)) => *sums = [sums[0] + volumes[0], sums[1] + volumes[1]],
                None => {
                    let first = topology.piece_of.partition_point(|of| *of < i);
                    let after = topology.piece_of.partition_point(|of| *of <= i);
                    // The triangle in the middle of its list is more likely in the middle of the region than the first.
                    let middle = topology.places[(first + after) / 2][0];
                    self.regions.push((*joint, volumes, place(middle)));
                }
            }
        }
        out.primitives.push(PrimitiveMeasures {
            instance: part.instance,
            primitive: part.primitive,
            stretch: reading.stretch,
            stretch_mean: mean(reading.stretch_sum, reading.edges),
            triangle: reading.triangle,
            area: ratio([reading.area, rest.sizes.area]).unwrap_or(1.0),
            inverted: reading.inverted,
            folds: reading.folds,
            sharpest: reading.sharpest.to_degrees(),
            parts,
            normal_error: normals.map(|n| [n.worst.0.into(), n.sum / n.count.max(1) as f64]),
        });
    }

    fn finished(mut self) -> SurfaceMeasures {
        if self.out.primitives.is_empty() {
            (self.out.stretch, self.out.triangle) = ([1.0; 2], [1.0; 2]);
        }
        self.regions.sort_unstable_by_key(|(joint, ..)| *joint);
        let ratios = self.regions.iter().filter_map(|(joint, sums, at)| Some((*joint, ratio(*sums)?, *at)));
        let ratios: Vec<(NodeId, f64, VertexRef)> = ratios.collect();
        let regions: Vec<(NodeId, f64)> = ratios.iter().map(|(joint, ratio, _)| (*joint, *ratio)).collect();
        let worst = table::worst_region(&regions);
        self.out.at[7] = worst.and_then(|(worst, _)| ratios.iter().find(|(joint, ..)| *joint == worst)).map(|r| r.2);
        SurfaceMeasures {
            stretch_mean: mean(self.edges.1, self.edges.0),
            area: ratio(self.area).unwrap_or(1.0),
            volume: ratio(self.volume),
            regions,
            normal_error: self.normals.map(|(worst, sum, count)| [worst, sum / count.max(1) as f64]),
            ..self.out
        }
    }
}

/// Returns the mean of ratios; 1 where there are none.
fn mean(sum: f64, count: usize) -> f64 {
    if count > 0 { sum / count as f64 } else { 1.0 }
}

fn ratio([posed, rest]: [f64; 2]) -> Option<f64> {
    (rest > 0.0).then(|| posed / rest)
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

//! One figure that other programs packed in every way (`tests/fixtures/README.md`): what is decoded is what was
//! encoded, within the precision of the packing.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test's helpers may stop the test")]

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Affine3A, Vec3};
use skinscope::anim::{self, SampleScratch};
use skinscope::deform;
use skinscope::export::baked_surface;
use skinscope::import::{Options, Progress, import_file};
use skinscope::model::{LocalPose, Model, Primitive};

/// At a frame of 30 Hz, so that keys resampled at that rate are exact there.
const TIME_SECS: f32 = 11.0 / 30.0;
/// Single precision along the way, metres.
const ROUNDING: f32 = 2e-6;

/// Largest errors that a packing may make.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// Of a coordinate, metres.
    position: f32,
    /// Radians.
    normal: f32,
    tangent: f32,
    /// Of a component; `None`: stored for a texture transform and not to be compared.
    uv: Option<f32>,
    color: f32,
    /// Of one weight.
    weight: f32,
    /// Of a component of a rotation, and of a translation in metres.
    keys: (f32, f32),
    morphs: bool,
}

const EXACT: Bounds = Bounds {
    position: 0.0,
    normal: 0.0,
    tangent: 0.0,
    uv: Some(0.0),
    color: 0.0,
    weight: 0.0,
    keys: (0.0, 0.0),
    morphs: true,
};

/// Half a step of `bits` over `range`.
fn half_step(range: f32, bits: u32) -> f32 {
    0.5 * range / ((1 << bits) - 1) as f32
}

/// Radians that an octahedral code of `bits` can be off. Half a step in each of two coordinates of −1…1 moves a point
/// of the octahedron by √3 times that at most in space, and its nearest points are 1/√3 from the centre; then the
/// three numbers are rounded to the same bits.
fn octahedral(bits: u32) -> f32 {
    let plane = half_step(2.0, bits) * 2.0_f32.sqrt();
    3.0 * plane + half_step(2.0, bits) * 3.0_f32.sqrt()
}

/// Radians that a unit vector can be off when each component is.
fn componentwise(error: f32) -> f32 {
    error * 3.0_f32.sqrt()
}

struct Figure {
    model: Arc<Model>,
    /// Rest, rest with the morph target, and a moment of the clip; model space.
    poses: Vec<Vec<Vec3>>,
    normals: Vec<Vec3>,
}

impl Figure {
    fn open(name: &str) -> Self {
        let path = format!("{}/tests/fixtures/{name}.glb", env!("CARGO_MANIFEST_DIR"));
        let import = import_file(path.as_ref(), &Options::default(), &Progress::silent());
        let import = import.unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(import.warnings.is_empty(), "{name}: {}", import.warnings[0]);
        let model = import.model;
        let mut rest = LocalPose::default();
        anim::reset_to_rest(&model.skeleton, &mut rest);
        let (mut morphed, mut moved) = (rest.clone(), rest.clone());
        morphed.morph_weights.fill(1.0);
        anim::sample(&model, &model.clips[0], TIME_SECS, &mut SampleScratch::default(), &mut moved);
        let surface = |pose| baked_surface(&model, &anim::drawn_at_rest(&model, 0), pose, deform::METHODS[0]).remove(0);
        let poses = [&rest, &morphed, &moved].map(|pose| surface(pose).positions).into();
        let normals = surface(&rest).normals;
        Self { model, poses, normals }
    }

    fn primitive(&self) -> &Primitive {
        &self.model.meshes[0].primitives[0]
    }

    fn extent(&self) -> f32 {
        let positions = &self.primitive().positions;
        let reach = |pick: fn(Vec3, Vec3) -> Vec3| positions.iter().copied().reduce(pick).unwrap();
        (reach(Vec3::max) - reach(Vec3::min)).max_element()
    }

    /// What the packing of coordinates divides by, metres: it stands in the inverse bind matrices.
    fn scale(&self) -> f32 {
        let of = |figure: &Self| figure.model.skins[0].inverse_bind[0].matrix3.x_axis.length();
        of(self) / of(&Self::open("figure"))
    }

    /// The longest way between where two joints of a vertex would take it alone, metres.
    fn spread(&self) -> f32 {
        let mut pose = LocalPose::default();
        anim::reset_to_rest(&self.model.skeleton, &mut pose);
        anim::sample(&self.model, &self.model.clips[0], TIME_SECS, &mut SampleScratch::default(), &mut pose);
        let (mut matrices, mut palettes) = (Vec::new(), Vec::<Affine3A>::new());
        anim::local_to_model(&self.model.skeleton, &pose, &mut matrices);
        deform::palettes(&self.model, &matrices, &mut palettes);
        let primitive = self.primitive();
        let influences = primitive.stored_influences.as_ref().unwrap();
        let mut longest = 0.0_f32;
        for (v, position) in primitive.positions.iter().enumerate() {
            let of_vertex = v * influences.per_vertex..(v + 1) * influences.per_vertex;
            let joints = of_vertex.filter(|i| influences.weights[*i] > 0.0).map(|i| influences.joints[i]);
            let places: Vec<Vec3> = joints.map(|j| palettes[usize::from(j)].transform_point3(*position)).collect();
            longest = places.iter().flat_map(|a| places.iter().map(|b| a.distance(*b))).fold(longest, f32::max);
        }
        longest
    }

    /// How far vertex `b` of `other` is off vertex `a`, of what is allowed: 1 is just in bounds.
    fn off(&self, a: usize, other: &Self, b: usize, bounds: &Bounds, metres: &[f32; 3]) -> f32 {
        let (p, q) = (self.primitive(), other.primitive());
        let mut worst = 0.0_f32;
        let mut count = |error: f32, allowed: f32| worst = worst.max(error / (allowed + ROUNDING));
        for (pose, allowed) in metres.iter().enumerate() {
            if pose != 1 || bounds.morphs {
                count(self.poses[pose][a].distance(other.poses[pose][b]), *allowed);
            }
        }
        count(self.normals[a].angle_between(other.normals[b]), bounds.normal + 1e-3);
        count(p.tangents[a].truncate().angle_between(q.tangents[b].truncate()), bounds.tangent + 1e-3);
        count((p.tangents[a].w - q.tangents[b].w).abs(), 0.0);
        count((p.colors[a] - q.colors[b]).abs().max_element(), bounds.color);
        if let Some(uv) = bounds.uv {
            count((p.uvs[0][a] - q.uvs[0][b]).abs().max_element(), uv);
        }
        worst
    }

    /// Triangles as corners that start with the least, sorted, each corner named by the first vertex at its place in
    /// `self`.
    fn triangles(&self, other: &Self) -> Vec<[usize; 3]> {
        let place = |p: &Vec3| p.to_array().map(f32::to_bits);
        let mut first = BTreeMap::new();
        for (i, p) in self.poses[0].iter().enumerate() {
            first.entry(place(p)).or_insert(i);
        }
        let nearest = |p: Vec3| {
            let near = self.poses[0].iter().min_by(|a, b| a.distance(p).total_cmp(&b.distance(p))).unwrap();
            first[&place(near)]
        };
        let names: Vec<usize> = other.poses[0].iter().map(|p| nearest(*p)).collect();
        let mut out: Vec<[usize; 3]> = Vec::new();
        for corners in other.primitive().indices.as_chunks::<3>().0 {
            let mut named = corners.map(|i| names[i as usize]);
            let least = (0..3).min_by_key(|i| named[*i]).unwrap();
            named.rotate_left(least);
            out.push(named);
        }
        out.sort_unstable();
        out
    }
}

/// Holds a packed figure against the plain one: each vertex of either has one in the other within all bounds, and the
/// triangles are the same.
fn compare(name: &str, bounds: Bounds) {
    let plain = Figure::open("figure");
    let packed = Figure::open(name);
    let space = bounds.position * 3.0_f32.sqrt();
    let diagonal = {
        let (low, high) = plain.poses[0].iter().fold((Vec3::MAX, Vec3::MIN), |(l, h), p| (l.min(*p), h.max(*p)));
        low.distance(high)
    };
    // A rotation whose components are off by e is off by an angle of 4e at most (each of four counts twice); up to
    // three joints turn one after the other. Weights whose errors cancel move a vertex between its joints.
    let turned = 3.0 * 4.0 * bounds.keys.0 * diagonal + bounds.keys.1 * 3.0_f32.sqrt();
    let weighed = 4.0 * bounds.weight * plain.spread();
    let metres = [space, if bounds.morphs { 2.0 * space } else { 0.0 }, space + turned + weighed];
    let (n, m) = (plain.poses[0].len(), packed.poses[0].len());
    let mut table = vec![f32::MAX; n + m];
    for a in 0..n {
        for b in 0..m {
            let off = plain.off(a, &packed, b, &bounds, &metres);
            table[a] = table[a].min(off);
            table[n + b] = table[n + b].min(off);
        }
    }
    let worst = table.iter().copied().fold(0.0, f32::max);
    eprintln!("{name:28} {m:5} vertices, {worst:.2} of the bounds; positions {:.1e} m", metres[0]);
    assert!(worst <= 1.0, "{name}: {worst} of the bounds {bounds:?}, {metres:?}");
    assert_eq!(plain.triangles(&plain), plain.triangles(&packed), "{name}: triangles");
    assert_eq!(packed.model.skins[0].joints.len(), plain.model.skins[0].joints.len(), "{name}");
}

#[test]
fn quantized_figures_stay_on_their_grid() {
    compare("figure", EXACT);
    compare("figure_quantized", quantized());
}

/// `gltf-transform quantize`: a coordinate in 14 bits with sign, spread over normalised 16; directions in 10. Its high
/// bits are repeated in the low ones, which is off by one of these at most.
fn quantized() -> Bounds {
    let spread = 2.0 * half_step(1.0, 15);
    Bounds {
        position: Figure::open("figure_quantized").scale() * (half_step(1.0, 13) + spread),
        normal: componentwise(half_step(1.0, 9) + spread),
        tangent: componentwise(half_step(1.0, 9) + spread),
        uv: Some(half_step(1.0, 12) + 2.0 * half_step(1.0, 16)),
        // Rounded, and rounded again so that they sum to one.
        weight: 2.0 * half_step(1.0, 8),
        ..EXACT
    }
}

#[test]
fn meshopt_figures_of_two_encoders_stay_in_their_bounds() {
    compare("figure_meshopt", quantized());
    let filtered = Bounds {
        normal: octahedral(8),
        tangent: octahedral(8),
        // Rotations in 16 bits, translations with a mantissa of 12 and its sign, below 2 m.
        keys: (half_step(2.0_f32.sqrt(), 15) + half_step(1.0, 15), 2.0 / (1 << 11) as f32),
        ..quantized()
    };
    compare("figure_meshopt_filtered", filtered);
    let packed = Bounds {
        position: 0.5 * Figure::open("figure_gltfpack_ext").scale(),
        normal: octahedral(8),
        tangent: octahedral(8),
        uv: None,
        weight: 2.0 * half_step(1.0, 8),
        keys: (half_step(2.0_f32.sqrt(), 13) + half_step(1.0, 15), 2.0 / (1 << 15) as f32),
        ..EXACT
    };
    compare("figure_gltfpack_ext", packed);
    // Floats with a mantissa of 16 and 12 bits, colours in 10.
    let floats = Bounds {
        position: 2.0 / (1 << 15) as f32,
        normal: octahedral(10),
        uv: Some(1.0 / (1 << 11) as f32),
        color: 3.0 * half_step(1.0, 9),
        ..packed
    };
    compare("figure_gltfpack_khr", floats);
}

#[test]
fn draco_streams_give_the_vertices_that_went_in() {
    let extent = Figure::open("figure").extent();
    let bounds = Bounds {
        position: half_step(extent, 14),
        normal: octahedral(10),
        tangent: componentwise(half_step(2.0, 12)),
        uv: Some(half_step(1.0, 12)),
        morphs: false,
        ..EXACT
    };
    for name in ["figure_draco_edgebreaker", "figure_draco_valence", "figure_draco_sequential"] {
        compare(name, bounds);
    }
    // Displacements stand beside the stream and apply to its vertices in order.
    compare("figure_draco_morph", Bounds { morphs: true, ..bounds });
}

//! Compares vertices that are deformed in batches with the same vertices deformed one by one, on one thread and on
//! many.

use glam::{Affine3A, DAffine3, Mat3A, Quat, Vec3, Vec4};
use skinscope_base::math::test_random::Random;
use skinscope_model::InstanceId;
use skinscope_model::test_shapes::{Tube, obstacle_course, tube};

use super::*;

fn matrix(random: &mut Random) -> Affine3A {
    let turn = Quat::from_axis_angle(random.vector().normalize_or(Vec3::Y), 3.0 * random.unit());
    let mirror = if random.unit() < 0.2 { -1.0 } else { 1.0 };
    let scale = Vec3::new(mirror, 1.0, 1.0) + 0.4 * random.vector();
    Affine3A::from_scale_rotation_translation(scale, turn, random.vector())
}

/// Vertices with every kind of value that a file may hold.
struct TestVertices {
    matrices: Vec<Affine3A>,
    per_vertex: usize,
    joints: Vec<u16>,
    weights: Vec<f32>,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    tangents: Vec<Vec4>,
}

impl TestVertices {
    fn new(count: usize, per_vertex: usize) -> Self {
        let mut random = Random((count * 31 + per_vertex) as u32);
        let joints = 23;
        let mut weight = |slot: usize| match (random.unit(), slot) {
            (r, _) if r < 0.3 => 0.0,
            (r, 1) if r < 0.35 => -0.2,
            (r, _) => r,
        };
        let weights = (0..count * per_vertex).map(|i| weight(i % per_vertex)).collect();
        let flat = Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0));
        let matrices = (0..joints).map(|i| if i == 3 { flat } else { matrix(&mut random) }).collect();
        let mut vectors = |scale: f32| (0..count).map(|_| random.vector() * scale).collect::<Vec<_>>();
        let (positions, mut normals, tangents) = (vectors(10.0), vectors(1.0), vectors(2.0));
        for normal in normals.iter_mut().step_by(17) {
            *normal = Vec3::ZERO;
        }
        let side = |i: usize| if i.is_multiple_of(3) { -1.0 } else { 1.0 };
        Self {
            matrices,
            per_vertex,
            joints: (0..count * per_vertex).map(|i| (i * 7 % joints) as u16).collect(),
            weights,
            positions,
            normals,
            tangents: tangents.iter().enumerate().map(|(i, t)| t.extend(side(i))).collect(),
        }
    }

    fn movers(&self) -> BatchInfluences<'_> {
        BatchInfluences::Each { per_vertex: self.per_vertex, joints: &self.joints, weights: &self.weights }
    }

    fn packed(&self, method: &Method) -> Vec<Vec4> {
        let mut out = Vec::new();
        pack(method, &self.matrices, &mut out);
        out
    }

    /// Deforms all vertices at once.
    fn deformed(&self, method: &Method, wanted: DeformedAttributes) -> Deformed {
        let count = |wanted: bool| if wanted { self.positions.len() } else { 0 };
        let mut out = Deformed {
            attributes: wanted,
            positions: vec![Vec3::NAN; self.positions.len()],
            normals: vec![Vec3::NAN; count(wanted.normals)],
            tangents: vec![Vec4::NAN; count(wanted.tangents)],
            determinants: vec![f32::NAN; count(wanted.determinants)],
            carries: vec![Mat3A::NAN; count(wanted.carries)],
            filled: Vec::new(),
        };
        let batch = Batch {
            positions: &self.positions,
            normals: &self.normals,
            tangents: &self.tangents,
            movers: self.movers(),
            values: MethodInput::of(method).values,
            vectors: &[],
        };
        let mut lists = BatchOut {
            positions: &mut out.positions,
            normals: &mut out.normals,
            tangents: &mut out.tangents,
            determinants: &mut out.determinants,
            carries: &mut out.carries,
        };
        (method.deform_all)(&self.packed(method), &batch, &mut lists);
        out
    }

    /// Deforms one vertex.
    fn single(&self, method: &Method, vertex: usize) -> (Vec3, Vec3, Vec4, f32) {
        let pairs = vertex * self.per_vertex..(vertex + 1) * self.per_vertex;
        let (joints, weights) = (&self.joints[pairs.clone()], &self.weights[pairs]);
        let (normal, tangent) = (self.normals[vertex], self.tangents[vertex].truncate());
        let v = Vertex { position: self.positions[vertex], normal, tangent };
        let moved = method.deform(&self.packed(method), joints, weights, v);
        let side = if moved.determinant < 0.0 { -1.0 } else { 1.0 };
        let tangent = moved.vertex.tangent.extend(self.tangents[vertex].w * side);
        (moved.vertex.position, moved.vertex.normal, tangent, moved.determinant)
    }
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|n| n.to_bits()).collect()
}

fn same(a: &Deformed, b: &Deformed) -> bool {
    let vectors = |a: &[Vec3], b: &[Vec3]| bits(bytemuck::cast_slice(a)) == bits(bytemuck::cast_slice(b));
    vectors(&a.positions, &b.positions)
        && vectors(&a.normals, &b.normals)
        && bits(bytemuck::cast_slice(&a.tangents)) == bits(bytemuck::cast_slice(&b.tangents))
        && bits(&a.determinants) == bits(&b.determinants)
}

#[test]
fn a_vertex_among_others_is_what_it_is_alone() {
    for method in METHODS {
        for per_vertex in [1, 3, 4, 7, 8, 12] {
            for count in [1, 2, 3, 4, 5, 131, 400] {
                let crowd = TestVertices::new(count, per_vertex);
                let all = crowd.deformed(method, DeformedAttributes::ALL);
                for i in 0..count {
                    let (position, normal, tangent, determinant) = crowd.single(method, i);
                    let one = Deformed {
                        positions: vec![position],
                        normals: vec![normal],
                        tangents: vec![tangent],
                        determinants: vec![determinant],
                        ..Deformed::default()
                    };
                    let among = Deformed {
                        positions: vec![all.positions[i]],
                        normals: vec![all.normals[i]],
                        tangents: vec![all.tangents[i]],
                        determinants: vec![all.determinants[i]],
                        ..Deformed::default()
                    };
                    assert!(same(&one, &among), "{} {per_vertex} {count} {i}: {one:?} {among:?}", method.id);
                }
            }
        }
    }
}

/// Without tangents linear blending may use the wide registers; the result is the same.
#[test]
fn what_else_is_asked_for_changes_nothing() {
    for method in METHODS {
        let crowd = TestVertices::new(1000, 4);
        let all = crowd.deformed(method, DeformedAttributes::ALL);
        for i in 0..8 {
            let wanted = DeformedAttributes {
                normals: i & 1 != 0,
                tangents: i & 2 != 0,
                determinants: i & 4 != 0,
                carries: false,
            };
            let some = crowd.deformed(method, wanted);
            let mut want = all.clone();
            if !wanted.normals {
                want.normals.clear();
            }
            if !wanted.tangents {
                want.tangents.clear();
            }
            if !wanted.determinants {
                want.determinants.clear();
            }
            assert!(same(&some, &want), "{} {wanted:?}", method.id);
        }
    }
}

#[test]
fn a_matrix_that_is_not_finite_matters_only_where_it_has_weight() {
    for method in METHODS {
        for broken in [Affine3A::from_scale(Vec3::NAN), Affine3A::from_translation(Vec3::INFINITY)] {
            for wanted in [DeformedAttributes::ALL, DeformedAttributes { tangents: false, ..DeformedAttributes::ALL }] {
                let sound = TestVertices::new(600, 4);
                let mut crowd = TestVertices::new(600, 4);
                crowd.matrices[5] = broken;
                let (want, got) = (sound.deformed(method, wanted), crowd.deformed(method, wanted));
                let (mut spared, mut broken) = (0, 0);
                for i in 0..600 {
                    let pairs = 4 * i..4 * i + 4;
                    let has = |weighty: bool| {
                        let joints = crowd.joints[pairs.clone()].iter().zip(&crowd.weights[pairs.clone()]);
                        joints.filter(|(j, w)| **j == 5 && (**w != 0.0) == weighty).count() > 0
                    };
                    let slots = crowd.joints[pairs.clone()].iter().zip(&crowd.weights[pairs.clone()]);
                    let mover = |(joint, weight): (&u16, &f32)| {
                        let matrix = crowd.matrices[usize::from(*joint)].to_cols_array().map(f64::from);
                        let matrix = DAffine3::from_cols_array(&matrix);
                        ExactInfluence { joint: usize::from(*joint), weight: f64::from(*weight), matrix }
                    };
                    let movers: Vec<ExactInfluence> = slots.map(mover).collect();
                    let is_broken = !(method.exact)(&movers, crowd.positions[i].as_dvec3(), &MethodInput::of(method))
                        .map
                        .is_finite();
                    assert!(has(true) || !is_broken, "{} {i}", method.id);
                    broken += usize::from(is_broken);
                    if is_broken {
                        assert!(!got.positions[i].is_finite(), "{} {i}", method.id);
                        assert!(got.normals[i] == Vec3::ZERO || got.normals[i].is_normalized());
                    } else {
                        spared += usize::from(has(false));
                        assert_eq!(got.positions[i], want.positions[i], "{} {i}", method.id);
                        assert_eq!(got.normals[i], want.normals[i], "{} {i}", method.id);
                    }
                }
                assert!(spared > 10, "{spared} vertices have the joint without weight");
                assert!(broken > 10, "{broken} vertices follow it");
            }
        }
    }
}

/// Makes a pose with all nodes anywhere and all morph targets at work.
fn posed(model: &Model, method: &Method) -> (Vec<f32>, Vec<Vec4>) {
    let mut random = Random(9);
    let nodes: Vec<Affine3A> = (0..model.skeleton.len()).map(|_| matrix(&mut random)).collect();
    let weights = model.skeleton.rest.morph_weights.iter().map(|_| random.unit()).collect();
    let (mut all, mut packed) = (Vec::new(), Vec::new());
    palettes(model, &nodes, &mut all);
    pack(method, &all, &mut packed);
    (weights, packed)
}

#[test]
fn a_vertex_asked_for_alone_is_where_the_surface_has_it() {
    let models = [obstacle_course(), tube(Tube { joints: 9, rings: 40, influences: 4, ..Tube::default() })];
    for (model, method) in models.iter().flat_map(|model| METHODS.iter().map(move |method| (model, method))) {
        let (weights, packed) = posed(model, method);
        let mut out = Deformed::default();
        for (i, instance) in model.instances.iter().enumerate() {
            for p in 0..model.meshes[instance.mesh.index()].primitives.len() {
                let id = InstanceId::from_index(i);
                deform_primitive(model, id, p, &packed, &weights, method, &mut out);
                let alone = VertexDeformer::new(model, (id, p), &packed, &weights, method);
                let (every, mut some) = ((0..out.positions.len() as u32).step_by(3).collect::<Vec<_>>(), Vec::new());
                alone.positions(&every, &mut some);
                assert_eq!(some, every.iter().map(|v| out.positions[*v as usize]).collect::<Vec<_>>());
                for (vertex, position) in out.positions.iter().enumerate() {
                    assert_eq!(alone.position(vertex), *position, "{} {i} {p} {vertex}", method.id);
                }
            }
        }
    }
}

#[test]
fn any_number_of_threads_makes_the_same_surface() {
    let mut parts = (*tube(Tube { joints: 20, rings: 500, sides: 170, influences: 4, ..Tube::default() })).clone();
    let waves: Vec<Vec3> =
        parts.meshes[0].primitives[0].positions.iter().map(|p| Vec3::new(0.1 * p.z, 0.1 * p.x, 0.1 * p.y)).collect();
    let target = |weight: f32| skinscope_model::MorphTarget {
        positions: waves.iter().map(|w| *w * weight).collect(),
        normals: waves.clone(),
        ..Default::default()
    };
    parts.meshes[0].primitives[0].morphs = vec![target(1.0), target(-0.5)];
    parts.meshes[0].morph_names = vec!["a".into(), "b".into()];
    parts.instances[0].morph_weights = vec![0.0; 2];
    parts.skeleton.rest.morph_weights = vec![0.0; 2];
    let model = Model::build(parts).unwrap();
    for method in METHODS {
        for weights in [[0.0, 0.0], [0.7, 0.3]] {
            let (_, packed) = posed(&model, method);
            let on = |threads: usize| {
                let mut out = Deformed::default();
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| deform_primitive(&model, InstanceId(0), 0, &packed, &weights, method, &mut out));
                out
            };
            let one = on(1);
            let every: Vec<u32> = (0..85_000).collect();
            let mut alone = Vec::new();
            VertexDeformer::new(&model, (InstanceId(0), 0), &packed, &weights, method).positions(&every, &mut alone);
            assert_eq!(one.positions, alone);
            for threads in [2, 3, 16] {
                assert!(same(&on(threads), &one), "{}, {threads} threads, {weights:?}", method.id);
            }
        }
    }
}

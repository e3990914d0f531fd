//! What holds of every stroke, whatever it says: random strokes on a tube and on the built-in character.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

mod shells;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use glam::{Quat, Vec3};
use serde_json::{Map, Value, json};
use skinscope::import::{Options, Progress, import_file};
use skinscope::math::test_random::Random;
use skinscope::model::test_shapes::{Tube, tube, with_two_skins, with_vertices};
use skinscope::model::{MeshId, Model, ModelParts};
use skinscope::paint::{Canvas, parse};

/// The joints of a vertex that have weight, with their weights.
type Row = BTreeMap<u16, f32>;

/// Returns the rows of a primitive.
fn rows(model: &Model, mesh: u32, primitive: usize) -> Vec<Row> {
    let influences = model.influences(MeshId(mesh), primitive).unwrap();
    let row = |vertex| {
        let (joints, weights) = influences.of(vertex);
        let mut out = Row::new();
        for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            *out.entry(*joint).or_default() += weight;
        }
        out
    };
    (0..influences.vertices()).map(row).collect()
}

/// Carries out strokes, and returns the model with their weights.
fn painted(model: &Arc<Model>, strokes: &[Value]) -> Arc<Model> {
    let text = json!({ "schema": 1, "strokes": strokes }).to_string();
    let script = parse(text.as_bytes(), Path::new(""), model).unwrap();
    let mut canvas = Canvas::new(Arc::clone(model));
    script.strokes.iter().for_each(|stroke| _ = canvas.paint(stroke).unwrap());
    Arc::clone(canvas.model())
}

fn weight(row: &Row, joint: u16) -> f32 {
    row.get(&joint).copied().unwrap_or(0.0)
}

fn joint(number: usize) -> String {
    format!("joint {number}")
}

/// One of `0..count`.
fn below(random: &mut Random, count: usize) -> usize {
    ((random.unit() * count as f32) as usize).min(count - 1)
}

fn one_of<'a>(random: &mut Random, list: &[&'a str]) -> &'a str {
    list[below(random, list.len())]
}

/// Makes a stroke on the tube that [`long_tube`] makes; the second is the number of the joint, the third that of the locked one.
fn random_stroke(random: &mut Random) -> (Map<String, Value>, u16, u16) {
    let brushes = ["add", "subtract", "replace", "scale", "give", "smooth", "sharpen", "relax", "average"];
    let falloffs = ["smooth", "linear", "sharp", "sphere", "root", "constant"];
    let painted = below(random, JOINTS);
    let to = (painted + 1 + below(random, JOINTS - 1)) % JOINTS;
    let locked = below(random, JOINTS);
    let places = (0..1 + below(random, 4)).map(|_| {
        let at = Vec3::new(random.unit() - 0.5, 2.0 * random.unit(), random.unit() - 0.5);
        json!({ "position": [at.x, at.y, at.z], "pressure": 0.25 + random.unit(), "time": random.unit() })
    });
    let dabs: Vec<Value> = places.collect();
    let stroke = json!({
        "brush": one_of(random, &brushes), "joint": joint(painted), "to": joint(to),
        "value": random.unit(), "factor": 2.0 * random.unit(), "strength": random.unit(),
        "radius": 0.1 + 0.5 * random.unit(), "falloff": one_of(random, &falloffs),
        "distance": one_of(random, &["surface", "volume"]), "accumulate": random.unit() < 0.5,
        "floor": 0.2 * random.unit(), "ceiling": 0.5 + 0.5 * random.unit(), "normalise": random.unit() < 0.7,
        "locked": [joint(locked)], "clip": "Bend", "dabs": dabs,
    });
    let Value::Object(mut stroke) = stroke else { return (Map::new(), 0, 0) };
    if random.unit() < 0.5 {
        stroke.insert("max_influences".into(), json!(1 + below(random, 4)));
    }
    (stroke, painted as u16, locked as u16)
}

const JOINTS: usize = 5;

fn long_tube() -> Arc<Model> {
    Arc::new(tube(Tube { joints: JOINTS, rings: 13, sides: 10, influences: 3, ..Tube::default() }))
}

#[test]
fn random_strokes_keep_locks_sums_limits_and_the_number_of_joints() {
    let mut random = Random(53);
    let model = long_tube();
    let mut touched = 0;
    for number in 0..150 {
        // Some weights that are not those of the tube alone.
        let (first, ..) = random_stroke(&mut random);
        let (stroke, joint, locked) = random_stroke(&mut random);
        let of = |key: &str| stroke.get(key).cloned().unwrap_or_default();
        let (brush, normalise) = (of("brush"), of("normalise") == json!(true));
        let most = of("max_influences").as_u64().map_or(4, |most| most as usize);
        let limits = ["floor", "ceiling"].map(|key| of(key).as_f64().unwrap() as f32);
        let before = rows(&painted(&model, &[Value::Object(first.clone())]), 0, 0);
        let after = rows(&painted(&model, &[Value::Object(first), Value::Object(stroke.clone())]), 0, 0);
        for (vertex, (old, new)) in before.iter().zip(&after).enumerate().filter(|(_, (old, new))| old != new) {
            touched += 1;
            let what = format!("stroke {number}, vertex {vertex}, {brush}: {old:?} {new:?}");
            assert_eq!(weight(old, locked).to_bits(), weight(new, locked).to_bits(), "{what}");
            assert!(new.len() <= most, "{what}");
            assert!(new.values().all(|weight| weight.is_finite() && *weight > 0.0), "{what}");
            let [sum, sum_now] = [old, new].map(|row| row.values().sum::<f32>());
            let was_whole = (sum - 1.0).abs() < 1e-3;
            if normalise {
                let is_one = brush != "give" && (was_whole || sum == 0.0);
                let wanted = if is_one { 1.0 } else { sum };
                assert!((sum_now - wanted).abs() < 2e-6, "{what}");
            }
            let is_of_joint = ["add", "subtract", "replace", "scale"].iter().any(|id| brush == *id);
            if is_of_joint && of("max_influences").is_null() && normalise && was_whole {
                let [floor, ceiling] = limits;
                let (was, is) = (weight(old, joint), weight(new, joint));
                assert!(is <= ceiling.max(was) + 1e-6 && is >= floor.min(was) - 1e-6, "{what}");
            }
            let has_slot = old.len() < 4 || old.contains_key(&joint);
            if is_of_joint && of("max_influences").is_null() && !normalise && has_slot {
                for other in (0..JOINTS as u16).filter(|other| *other != joint) {
                    assert_eq!(weight(old, other).to_bits(), weight(new, other).to_bits(), "{what}");
                }
            }
        }
    }
    assert!(touched > 1000, "{touched} vertices in all: is this test still asking for some?");
}

#[test]
fn the_order_of_vertices_does_not_matter() {
    let mut random = Random(7);
    // With room for all joints, so that none of two equal ones has to go.
    let model = Arc::new(tube(Tube { joints: JOINTS, rings: 13, sides: 10, influences: JOINTS, ..Tube::default() }));
    let count = rows(&model, 0, 0).len();
    let mut order: Vec<u32> = (0..count as u32).collect();
    (1..count).for_each(|i| order.swap(i, below(&mut random, i + 1)));
    let other = Arc::new(with_vertices(&model, &order));
    for _ in 0..40 {
        let (mut stroke, ..) = random_stroke(&mut random);
        stroke.insert("distance".into(), json!("volume"));
        stroke.remove("max_influences");
        let stroke = [Value::Object(stroke)];
        let [here, there] = [&model, &other].map(|model| rows(&painted(model, &stroke), 0, 0));
        for (row, vertex) in there.iter().zip(&order) {
            let wanted = &here[*vertex as usize];
            let differs = (0..JOINTS as u16).any(|joint| (weight(row, joint) - weight(wanted, joint)).abs() > 1e-5);
            assert!(!differs, "vertex {vertex}: {wanted:?} {row:?}");
        }
    }
}

fn character() -> Arc<Model> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    import_file(&file, &Options::default(), &Progress::silent()).unwrap().model
}

/// Strokes on both sides of the character, which begin at vertices at least so far from its middle.
fn strokes_on_both_sides(model: &Model, names: &[&str], least: f32) -> Vec<Value> {
    let primitive = &model.meshes[0].primitives[0];
    let vertices: Vec<usize> =
        (0..primitive.stored_vertices).filter(|vertex| primitive.positions[*vertex].x.abs() >= least).collect();
    let mut random = Random(11);
    let mut out = Vec::new();
    for brush in ["add", "give", "smooth", "replace", "average", "subtract", "add", "smooth"] {
        for _ in 0..2 {
            let mut vertex = || vertices[below(&mut random, vertices.len())];
            let dabs = [vertex(), vertex()].map(|vertex| json!({ "vertex": [0, 0, vertex] }));
            out.push(json!({
                "brush": brush, "joint": names[below(&mut random, names.len())], "to": "Chest", "value": random.unit(),
                "strength": 0.1 + 0.6 * random.unit(), "radius": 0.03 + 0.1 * random.unit(), "mirror": "x",
                "distance": "volume", "accumulate": random.unit() < 0.5, "dabs": dabs,
            }));
        }
    }
    out
}

#[test]
fn strokes_on_both_sides_leave_a_symmetric_character_symmetric() {
    let model = character();
    let joints = &model.skins[0].joints;
    let names: Vec<&str> = joints.iter().map(|node| model.skeleton.names[node.index()].as_str()).collect();
    let partner = |name: &str| match name.rsplit_once('.') {
        Some((stem, "L")) => format!("{stem}.R"),
        Some((stem, "R")) => format!("{stem}.L"),
        _ => name.to_owned(),
    };
    let opposite: Vec<u16> =
        names.iter().map(|name| names.iter().position(|other| *other == partner(name)).unwrap() as u16).collect();
    let primitive = &model.meshes[0].primitives[0];
    let key = |at: Vec3| (at + Vec3::ZERO).to_array().map(f32::to_bits);
    let mut places: HashMap<[u32; 3], usize> = HashMap::new();
    for (vertex, at) in primitive.positions.iter().take(primitive.stored_vertices).enumerate() {
        places.entry(key(*at)).or_insert(vertex);
    }
    // On the arms alone, and everywhere, the middle included, where four joints are the most that fit.
    for least in [0.25, 0.0] {
        let strokes = strokes_on_both_sides(&model, &names, least);
        let (before, after) = (rows(&model, 0, 0), rows(&painted(&model, &strokes), 0, 0));
        let changed = before.iter().zip(&after).filter(|(old, new)| old != new).count();
        assert!(changed > 100, "{changed}");
        let mut worst = 0.0_f32;
        for (vertex, row) in after.iter().enumerate() {
            let at = primitive.positions[vertex];
            let image = &after[places[&key(Vec3::new(-at.x, at.y, at.z))]];
            for (joint, other) in (0..).zip(&opposite) {
                worst = worst.max((weight(row, joint) - weight(image, *other)).abs());
            }
        }
        assert!(worst <= 1e-6, "from {least} m on, the sides differ by {worst}");
    }
}

#[test]
fn a_mesh_that_two_skins_move_has_the_same_numbers_for_both() {
    let model = Arc::new(with_two_skins(&tube(Tube { joints: 4, ..Tube::default() }), |_| {}));
    assert_eq!(model.meshes.len(), 2, "each list of joints has a copy of the mesh");
    let stroke = json!({
        "brush": "add", "joint": "joint 1", "strength": 0.5, "radius": 0.4, "dabs": [{ "vertex": [0, 0, 70] }],
    });
    let after = painted(&model, &[stroke]);
    assert!(rows(&after, 0, 0) != rows(&model, 0, 0));
    assert!(rows(&after, 0, 0) == rows(&after, 1, 0), "the file stores them once");
    // The first node that draws it has joint 1 as its joint of that number.
    assert!(weight(&rows(&after, 0, 0)[70], 1) > weight(&rows(&model, 0, 0)[70], 1));
}

#[test]
fn points_of_one_place_are_those_of_one_skin() {
    // The same tube twice, with a skin for each.
    let one = tube(Tube { joints: 4, ..Tube::default() });
    let mut parts: ModelParts = (*one).clone();
    parts.meshes.push(parts.meshes[0].clone());
    parts.skins.push(parts.skins[0].clone());
    let second = skinscope::model::Instance {
        mesh: MeshId(1),
        skin: Some(skinscope::model::SkinId(1)),
        ..parts.instances[0].clone()
    };
    parts.instances.push(second);
    let model = Arc::new(Model::build(parts).unwrap());
    let stroke = |distance: &str| {
        json!({
            "brush": "add", "joint": "joint 2", "strength": 0.5, "radius": 0.4, "distance": distance,
            "dabs": [{ "vertex": [0, 0, 70] }],
        })
    };
    let along = painted(&model, &[stroke("surface")]);
    assert!(rows(&along, 0, 0) != rows(&model, 0, 0));
    assert!(rows(&along, 1, 0) == rows(&model, 1, 0), "the way over one mesh leads to no mesh of another skin");
    let through = painted(&model, &[stroke("volume")]);
    assert!(rows(&through, 1, 0) == rows(&through, 0, 0), "the straight way does");
}

#[test]
fn no_weight_is_lost_to_a_joint_that_a_skin_does_not_have() {
    // The same tube twice, with a skin for each; the second one has the root in place of the last joint.
    let one = tube(Tube { joints: 4, ..Tube::default() });
    let mut parts: ModelParts = (*one).clone();
    parts.meshes.push(parts.meshes[0].clone());
    parts.skins.push(parts.skins[0].clone());
    parts.skins[1].joints[3] = skinscope::model::NodeId(0);
    let second = skinscope::model::Instance {
        mesh: MeshId(1),
        skin: Some(skinscope::model::SkinId(1)),
        ..parts.instances[0].clone()
    };
    parts.instances.push(second);
    let model = Arc::new(Model::build(parts).unwrap());
    let stroke = |brush: &str| {
        json!({
            "brush": brush, "joint": "joint 1", "to": "joint 3", "strength": 0.5, "radius": 9, "distance": "volume",
            "dabs": [{ "vertex": [0, 0, 70] }],
        })
    };
    let given = painted(&model, &[stroke("give")]);
    assert!(rows(&given, 0, 0) != rows(&model, 0, 0));
    assert!(rows(&given, 1, 0) == rows(&model, 1, 0), "nothing is given to a joint that is not there");
    let mut average = stroke("average");
    average.as_object_mut().unwrap().remove("joint");
    let even = painted(&model, &[average]);
    assert!(rows(&even, 1, 0) != rows(&model, 1, 0));
    for (vertex, row) in rows(&even, 1, 0).iter().enumerate() {
        let sum: f32 = row.values().sum();
        assert!((sum - 1.0).abs() < 1e-5, "vertex {vertex}: {row:?}");
    }
}

#[test]
fn a_place_is_looked_for_on_the_surface_that_is_drawn() {
    let shape = Tube::default();
    let whole = tube(shape);
    // Two vertices at a place near the upper end: the first follows joint 1, the second stays with joint 0.
    let at = (shape.rings - 1) * shape.sides;
    let count = shape.rings * shape.sides;
    let vertices: Vec<u32> = (0..count as u32).chain([at as u32]).collect();
    let mut parts: ModelParts = (*with_vertices(&whole, &vertices)).clone();
    let stored = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    for (vertex, joint) in [(at, 1), (count, 0)] {
        let slots = vertex * stored.per_vertex..(vertex + 1) * stored.per_vertex;
        stored.joints[slots.clone()].copy_from_slice(&[joint, 0, 0, 0]);
        stored.weights[slots].copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
    }
    let rest = parts.meshes[0].primitives[0].positions[at];
    let model = Arc::new(Model::build(parts).unwrap());
    // In the middle of the clip joint 1 is turned by 30 degrees about X.
    let posed = Vec3::Y + Quat::from_rotation_x(30_f32.to_radians()) * (rest - Vec3::Y);
    let radius = 2.0 * posed.distance(rest);
    let stroke = json!({
        "brush": "replace", "value": 0, "joint": "joint 1", "radius": radius, "falloff": "linear", "normalise": false,
        "distance": "volume", "clip": "Bend", "time": 0.5, "dabs": [{ "position": rest.to_array() }],
    });
    let after = rows(&painted(&model, &[stroke]), 0, 0);
    // The second vertex stands there, so that the first one, half the radius away, loses half.
    assert!((weight(&after[at], 1) - 0.5).abs() < 1e-4, "{:?}", after[at]);
    assert!(after[at] == after[count], "points of one place end with one row");
}

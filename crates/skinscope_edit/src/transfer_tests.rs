use glam::Vec3;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Influences, ModelParts, NodeId, PrimitiveId};

use super::*;
use crate::{Transferred, apply, check};

const SIDES: u32 = 24;
const RINGS: u32 = 12;

/// Two upright tubes, 20 cm apart from axis to axis, each moved by a joint of its own that hangs on the first joint; `names` are those of
/// the joints. With a `seam` a strip of triangles joins both.
fn legs(radius: f32, names: [&str; 3], seam: bool) -> Model {
    let mut parts: ModelParts = (*tube(Tube { joints: 3, ..Tube::default() })).clone();
    let (mut positions, mut indices, mut joints) = (Vec::new(), Vec::new(), Vec::new());
    for leg in 0..2_u32 {
        let middle = if leg == 0 { 0.1 } else { -0.1 };
        for ring in 0..RINGS {
            for side in 0..SIDES {
                let (sin, cos) = (std::f32::consts::TAU * side as f32 / SIDES as f32).sin_cos();
                positions.push(Vec3::new(middle + radius * cos, ring as f32 * 0.08, -radius * sin));
                joints.extend([1 + leg as u16, 0, 0, 0]);
                if ring + 1 < RINGS {
                    let at = |ring: u32, side: u32| (leg * RINGS + ring) * SIDES + side % SIDES;
                    let [a, b, c, d] = [at(ring, side), at(ring, side + 1), at(ring + 1, side + 1), at(ring + 1, side)];
                    indices.extend([a, b, c, a, c, d]);
                }
            }
        }
    }
    if seam {
        // From the inner side of one to that of the other, at the top.
        let at = |leg: u32, side: u32| (leg * RINGS + RINGS - 1) * SIDES + side;
        let half = SIDES / 2;
        indices.extend([at(0, half), at(1, 0), at(0, half + 1), at(1, 0), at(1, SIDES - 1), at(0, half + 1)]);
    }
    let vertices = positions.len();
    let weights = (0..vertices).flat_map(|_| [1.0, 0.0, 0.0, 0.0]).collect();
    let primitive = &mut parts.meshes[0].primitives[0];
    *primitive = skinscope_model::Primitive {
        stored_influences: Some(Influences { per_vertex: 4, joints, weights, ..Influences::default() }),
        stored_vertices: vertices,
        positions,
        indices,
        ..Default::default()
    };
    let nodes: Vec<NodeId> = parts.skins[0].joints.clone();
    for (node, name) in nodes.iter().zip(names) {
        parts.skeleton.names[node.index()] = name.to_owned();
        parts.skeleton.parents[node.index()] = (*node != nodes[0]).then_some(nodes[0]);
        parts.skeleton.rest.transforms[node.index()] = skinscope_base::math::Transform::default();
    }
    parts.skins[0].inverse_bind.fill(glam::Affine3A::IDENTITY);
    Model::build(parts).unwrap()
}

/// How many vertices of trousers of a radius have less than a share by their own leg of a body, whose legs have a radius of 9 cm.
fn wrong(radius: f32, seam: bool, names: [&str; 3], least: f64) -> usize {
    let mut parts: ModelParts = (*legs(radius, ["Hips", "Leg.L", "Leg.R"], seam)).clone();
    // Before they move with the first joint.
    parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().joints.fill(0);
    let model = Model::build(parts).unwrap();
    let settings = Settings { donor: Some(Donor(Arc::new(legs(0.09, names, false)))), ..Settings::default() };
    let mut sheet = Sheet::of(&model);
    check(&TRANSFER, &sheet, &settings).unwrap();
    apply(&TRANSFER, &mut sheet, &settings);
    let table = &sheet.tables[0];
    let leg = |row: usize| 1 + (row / (RINGS * SIDES) as usize) as u16;
    let share = |row: usize| {
        let own = table.slots(row).filter(|slot| table.joints[*slot] == leg(row));
        own.map(|slot| table.weights[slot]).sum::<f64>()
    };
    (0..table.vertices()).filter(|row| share(*row) < least).count()
}

#[test]
fn each_leg_of_trousers_follows_its_own_leg_however_wide_they_are() {
    for radius in [0.095, 0.11, 0.13, 0.16, 0.21, 0.25] {
        assert_eq!(wrong(radius, false, ["Hips", "Leg.L", "Leg.R"], 0.99), 0, "{radius}");
    }
    // A prefix and another case are the same names.
    assert_eq!(wrong(0.13, false, ["mixamorig:Hips", "mixamorig:leg.L", "mixamorig:LEG.R"], 0.99), 0);
}

#[test]
fn trousers_of_one_piece_follow_each_leg_too() {
    for radius in [0.095, 0.13, 0.16] {
        // Next to the strip between both the weights run over.
        assert_eq!(wrong(radius, true, ["Hips", "Leg.L", "Leg.R"], 0.8), 0, "{radius}");
    }
}

#[test]
fn from_itself_nothing_changes_and_from_other_names_nothing_is_taken() {
    let model = legs(0.13, ["Hips", "Leg.L", "Leg.R"], true);
    let given = |donor: Model| Settings { donor: Some(Donor(Arc::new(donor))), ..Settings::default() };
    let mut sheet = Sheet::of(&model);
    let applied = apply(&TRANSFER, &mut sheet, &given(legs(0.13, ["Hips", "Leg.L", "Leg.R"], true)));
    let report = sheet.transferred.take().unwrap();
    assert_eq!((applied.vertices, report.inpainted, report.unmatched), (0, 0, 0));
    let refused = check(&TRANSFER, &sheet, &given(legs(0.09, ["a", "b", "Lag.R"], false))).unwrap_err().to_string();
    assert!(refused.contains("“Lag.R” (nearest here: Leg.R"), "{refused}");
    // One leg alone has a counterpart: the other stays, and is counted and named.
    apply(&TRANSFER, &mut sheet, &given(legs(0.13, ["Hips", "Leg.L", "Other"], true)));
    let report = sheet.transferred.take().unwrap();
    assert!(report.unmatched > 200 && report.missing == ["Other"], "{report:?}");
}

#[test]
fn a_surface_that_faces_the_other_way_takes_the_closest_weights() {
    let model = legs(0.095, ["Hips", "Leg.L", "Leg.R"], false);
    let mut parts: ModelParts = (*model).clone();
    parts.meshes[0].primitives[0].indices.as_chunks_mut::<3>().0.iter_mut().for_each(|t| t.swap(0, 1));
    parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().joints.fill(0);
    let inside_out = Model::build(parts).unwrap();
    let mut sheet = Sheet::of(&inside_out);
    let donor = Donor(Arc::new(legs(0.09, ["Hips", "Leg.L", "Leg.R"], false)));
    apply(&TRANSFER, &mut sheet, &Settings { donor: Some(donor), ..Settings::default() });
    let own = (RINGS * SIDES) as usize;
    let table = &sheet.tables[0];
    assert!((0..table.vertices()).all(|row| table.joints[table.slots(row)][0] == 1 + (row / own) as u16));
}

#[test]
fn a_character_that_faces_the_other_way_gives_its_left_to_the_left() {
    let donor = Arc::new(legs(0.09, ["Hips", "Leg.L", "Leg.R"], false));
    let mut parts: ModelParts = (*legs(0.095, ["Hips", "Leg.L", "Leg.R"], false)).clone();
    let primitive = &mut parts.meshes[0].primitives[0];
    primitive.positions.iter_mut().for_each(|p| *p *= Vec3::new(-1.0, 1.0, -1.0));
    let influences = primitive.stored_influences.as_mut().unwrap();
    let wanted = influences.joints.clone();
    influences.joints.fill(0);
    parts.facing = skinscope_model::Facing::MinusZ;
    let model = Model::build(parts).unwrap();
    let settings = Settings { donor: Some(Donor(donor)), ..Settings::default() };
    let mut sheet = Sheet::of(&model);
    apply(&TRANSFER, &mut sheet, &settings);
    let table = &sheet.tables[0];
    let wrong = (0..table.vertices()).filter(|row| table.joints[row * table.per_vertex] != wanted[row * 4]);
    assert_eq!(wrong.count(), 0);
}

/// Transfers the weights of `donor` onto `model`; returns the report, and the first joint of each vertex.
fn transferred(model: &Model, donor: Model, names: &[(&str, &str)]) -> (Transferred, Vec<u16>) {
    let mut settings = Settings { donor: Some(Donor(Arc::new(donor))), ..Settings::default() };
    names.iter().for_each(|(from, to)| settings.names.set(from, Some(*to)));
    let mut sheet = Sheet::of(model);
    apply(&TRANSFER, &mut sheet, &settings);
    let table = &sheet.tables[0];
    let joints = (0..table.vertices()).map(|row| table.joints[table.slots(row)][0]).collect();
    (sheet.transferred.take().unwrap(), joints)
}

#[test]
fn the_vertex_that_is_farthest_from_the_other_surface_is_reported() {
    let mut parts: ModelParts = (*legs(0.095, ["Hips", "Leg.L", "Leg.R"], false)).clone();
    let vertex = ((RINGS - 1) * SIDES + 5) as usize;
    parts.meshes[0].primitives[0].positions[vertex].y += 0.5;
    let model = Model::build(parts).unwrap();
    let (report, _) = transferred(&model, legs(0.09, ["Hips", "Leg.L", "Leg.R"], false), &[]);
    assert_eq!(report.at, Some((PrimitiveId::default(), vertex)));
    assert!((report.largest - 0.5).abs() < 0.01 && report.mean < 0.01, "{report:?}");
}

#[test]
fn a_joint_that_the_mapping_gives_to_another_one_is_no_counterpart_of_its_namesake() {
    let names = ["Hips", "Leg.L", "Leg.R"];
    let (report, joints) = transferred(&legs(0.095, names, false), legs(0.09, names, false), &[("Leg.L", "Leg.R")]);
    assert_eq!(report.missing, ["Leg.R"]);
    let own = (RINGS * SIDES) as usize;
    assert!(joints[..own].iter().all(|joint| *joint == 2));
    assert_eq!(report.unmatched, own);
}

/// A body whose limbs have these names, with `@` for the side: arm, forearm and hand, thigh, shin and foot.
fn body(limbs: [&str; 6], bones: bool) -> Model {
    use skinscope_model::test_shapes::{Joint, rigged};
    let mut joints: Vec<Joint> = Vec::new();
    let mut add = |name: String, parent: Option<usize>, place: Vec3| {
        joints.push(Joint { name, parent, place, turned: glam::Quat::IDENTITY });
        joints.len() - 1
    };
    let hips = add("Hips".into(), None, Vec3::Y);
    let spine = add("Spine".into(), Some(hips), Vec3::Y * 1.2);
    for (side, x) in [("Left", 1.0), ("Right", -1.0)] {
        for (names, root, at) in [(&limbs[..3], spine, 1.4), (&limbs[3..], hips, 0.9)] {
            let mut parent = root;
            for (i, name) in names.iter().enumerate() {
                let place = if at > 1.0 {
                    Vec3::new(x * (0.2 + 0.3 * i as f32), at, 0.0)
                } else {
                    Vec3::new(x * 0.1, at - 0.4 * i as f32, 0.0)
                };
                parent = add(name.replace('@', side), Some(parent), place);
            }
        }
    }
    let mut parts: ModelParts = (*rigged(&joints)).clone();
    if bones {
        let known = ["hips", "spine", "leftUpperArm", "leftLowerArm", "leftHand"];
        let legs = ["leftUpperLeg", "leftLowerLeg", "leftFoot"];
        let right: Vec<String> = known[2..].iter().chain(&legs).map(|bone| bone.replace("left", "right")).collect();
        let all: Vec<String> = known.into_iter().chain(legs).map(str::to_owned).chain(right).collect();
        // Nodes are depth first: the spine with both arms comes before the legs.
        let order = [0, 1, 2, 3, 4, 8, 9, 10, 5, 6, 7, 11, 12, 13];
        parts.humanoid = order.iter().zip(&all).map(|(node, bone)| (NodeId(*node), bone.clone())).collect();
        parts.humanoid.sort();
    }
    Model::build(parts).unwrap()
}

#[test]
fn the_weights_of_a_bone_that_the_other_humanoid_lacks_go_to_the_one_above() {
    let donor = body(["@Arm", "@ForeArm", "@Hand", "@UpLeg", "@Leg", "@Foot"], false);
    let model = body(["@Arm", "@Elbow", "@Wrist", "@Leg", "@Knee", "@Ankle"], true);
    let mut parts: ModelParts = (*model).clone();
    parts.humanoid.retain(|(_, bone)| !bone.ends_with("Foot"));
    let model = Model::build(parts).unwrap();
    let node = |model: &Model, name: &str| {
        model.skeleton.names.iter().position(|other| other == name).map(NodeId::from_index).unwrap()
    };
    let sheet = Sheet::of(&model);
    let found = |mapping: &NodeMap| {
        let named = by_name(&model, &sheet.tables[0], &donor, mapping);
        with_lacking(&model, &donor, mapping, named).get(&node(&donor, "LeftFoot").0).copied()
    };
    assert_eq!(found(&NodeMap::new()), Some(node(&model, "LeftKnee").0));
    assert_eq!(found(&NodeMap::from([(node(&donor, "LeftFoot"), None)])), None);
}

#[test]
fn weights_go_from_bone_to_bone_and_never_to_a_joint_that_only_looks_alike() {
    let donor = body(["@Arm", "@ForeArm", "@Hand", "@UpLeg", "@Leg", "@Foot"], false);
    // Here `LeftLeg` is the thigh, as the file says or as its family says.
    for (limbs, bones) in [
        (["@Arm", "@Elbow", "@Wrist", "@Leg", "@Knee", "@Ankle"], true),
        (["@Arm", "@Elbow", "@Wrist", "@Leg", "@Knee", "@Ankle"], false),
        (["@ arm", "@ elbow", "@ wrist", "@ leg", "@ knee", "@ ankle"], true),
    ] {
        let model = body(limbs, bones);
        let settings = Settings {
            donor: Some(Donor(Arc::new(body(["@Arm", "@ForeArm", "@Hand", "@UpLeg", "@Leg", "@Foot"], false)))),
            ..Settings::default()
        };
        let mut sheet = Sheet::of(&model);
        let named = by_name(&model, &sheet.tables[0], &donor, &NodeMap::new());
        let name = |model: &Model, node: u32| model.skeleton.names[node as usize].clone();
        let there = |limb: usize| ["Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot"][limb];
        for (limb, here) in limbs.iter().enumerate() {
            let node = donor.skeleton.names.iter().position(|n| *n == format!("Left{}", there(limb))).unwrap();
            assert_eq!(name(&model, named[&(node as u32)]), here.replace('@', "Left"), "{limbs:?} {bones}");
        }
        // Both bodies are one: each vertex has the weights that it had.
        apply(&TRANSFER, &mut sheet, &settings);
        let table = &sheet.tables[0];
        let before = Sheet::of(&model);
        for row in 0..table.vertices() {
            let of = |table: &Table| {
                let mut shares = Vec::new();
                table.shares(row, &mut shares);
                shares.retain(|(_, share)| *share > 1e-6);
                shares.iter().map(|(key, _)| *key).collect::<Vec<_>>()
            };
            assert_eq!(of(table), of(&before.tables[0]), "{limbs:?} {bones} {row}");
        }
    }
}

/// A model of some quads in planes across Y, each with vertices of its own: its height, the way it faces, and the joint that moves it.
fn quads(all: &[(f32, f32, u16)]) -> Model {
    let mut parts: ModelParts = (*legs(0.1, ["Hips", "Leg.L", "Leg.R"], false)).clone();
    let (mut positions, mut normals, mut indices, mut joints) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (height, way, joint) in all {
        let first = positions.len() as u32;
        for [x, z] in [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
            positions.push(Vec3::new(x, *height, z));
            normals.push(Vec3::Y * *way);
            joints.extend([*joint, 0, 0, 0]);
        }
        let corners = if *way > 0.0 { [0, 2, 1, 0, 3, 2] } else { [0, 1, 2, 0, 2, 3] };
        indices.extend(corners.map(|corner| first + corner));
    }
    let count = positions.len();
    parts.meshes[0].primitives[0] = skinscope_model::Primitive {
        stored_influences: Some(Influences {
            per_vertex: 4,
            joints,
            weights: (0..count).flat_map(|_| [1.0, 0.0, 0.0, 0.0]).collect(),
            ..Influences::default()
        }),
        stored_vertices: count,
        positions,
        normals,
        indices,
        ..Default::default()
    };
    Model::build(parts).unwrap()
}

/// How many vertices change, and what is reported, when a model takes its own weights.
fn onto_itself(model: Model) -> (usize, Transferred) {
    let model = Arc::new(model);
    let settings = Settings { donor: Some(Donor(Arc::clone(&model))), ..Settings::default() };
    let mut sheet = Sheet::of(&model);
    check(&TRANSFER, &sheet, &settings).unwrap();
    let applied = apply(&TRANSFER, &mut sheet, &settings);
    assert_eq!(applied.partly, crate::Partly::default());
    (applied.vertices, sheet.transferred.unwrap())
}

#[test]
fn a_model_that_takes_its_own_weights_keeps_them_wherever_its_parts_touch() {
    // Two layers at one place that face alike, a layer that faces the other way, and one 1 µm below.
    let model = quads(&[(0.0, 1.0, 0), (0.0, 1.0, 1), (0.0, -1.0, 2), (-1e-6, 1.0, 2), (0.5, 1.0, 1)]);
    let (changed, report) = onto_itself(model);
    assert_eq!((changed, report.change, report.inpainted, report.unmatched), (0, 0.0, 0, 0));
    // A part that ends on the side of a larger one, and has its corners amid it.
    let mut parts: ModelParts = (*quads(&[(0.0, 1.0, 0), (0.0, -1.0, 1)])).clone();
    let small = &mut parts.meshes[0].primitives[0].positions[4..];
    small.iter_mut().for_each(|p| *p = Vec3::new(0.25 + 0.5 * p.x, p.y, 0.25 + 0.5 * p.z));
    let (changed, report) = onto_itself(Model::build(parts).unwrap());
    assert_eq!((changed, report.change), (0, 0.0));
    // Both sides of a seam may have other weights.
    let mut parts: ModelParts = (*legs(0.1, ["Hips", "Leg.L", "Leg.R"], true)).clone();
    let primitive = &mut parts.meshes[0].primitives[0];
    let last = primitive.positions.len() as u32;
    primitive.positions.push(primitive.positions[30]);
    primitive.stored_vertices += 1;
    let corner = primitive.indices.iter().position(|v| *v == 30).unwrap();
    primitive.indices[corner] = last;
    let influences = primitive.stored_influences.as_mut().unwrap();
    influences.joints.extend([0, 0, 0, 0]);
    influences.weights.extend([1.0, 0.0, 0.0, 0.0]);
    let (changed, report) = onto_itself(Model::build(parts).unwrap());
    assert_eq!((changed, report.change), (0, 0.0));
}

#[test]
fn the_report_measures_the_weights_that_changed() {
    let parts = |joint| quads(&[(0.0, 1.0, joint)]);
    let settings = Settings { donor: Some(Donor(Arc::new(parts(1)))), ..Settings::default() };
    let model = parts(0);
    let mut sheet = Sheet::of(&model);
    assert_eq!(apply(&TRANSFER, &mut sheet, &settings).vertices, 4);
    let report = sheet.transferred.unwrap();
    assert_eq!((report.vertices, report.largest, report.change), (4, 0.0, 1.0));
}

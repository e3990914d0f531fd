//! Tests of dressing: a tube wears a wider one.

use glam::{Affine3A, Mat3A, Quat, Vec3};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Instance, MeshId, ModelParts, NodeId, Skin};
use skinscope_weights::difference;

use super::*;

/// A tube of 2 m with four joints, which bends in its clip.
fn body() -> Model {
    tube(Tube { joints: 4, rings: 17, ..Tube::default() })
}

/// A tube without joints, which `change` changes, at a node that is called “shirt”.
fn garment(shape: Tube, change: impl FnOnce(&mut ModelParts)) -> Model {
    let mut parts: ModelParts = (*tube(Tube { joints: 1, ..shape })).clone();
    parts.skins.clear();
    parts.clips.clear();
    parts.instances[0].skin = None;
    parts.meshes[0].primitives[0].stored_influences = None;
    parts.skeleton.parents.truncate(1);
    parts.skeleton.names = vec!["shirt".into()];
    parts.skeleton.file_index.truncate(1);
    parts.skeleton.rest.transforms.truncate(1);
    parts.scenes[0].contains.truncate(1);
    change(&mut parts);
    Model::build(parts).unwrap()
}

fn shirt() -> Model {
    garment(Tube { rings: 17, radius: 0.27, ..Tube::default() }, |_| {})
}

fn dressed(model: &Model, settings: &DressSettings) -> (DressedBare, Model) {
    let bare = dress_bare(model, &body(), settings, &JobContext::of_waiting()).unwrap();
    let bound = model.with_bindings(&bare.change).unwrap();
    (bare, bound)
}

/// The shares of a vertex by the names of joints.
fn named(model: &Model, vertex: usize) -> Vec<(String, f64)> {
    let sheet = Sheet::of(model);
    let shares = unit_shares(&sheet.tables[0], vertex);
    let mut out: Vec<_> =
        shares.iter().map(|(node, share)| (model.skeleton.names[*node as usize].clone(), *share)).collect();
    out.sort_by(|a, b| a.0.cmp(&b.0));
    out
}

fn refusal(model: &Model, body: &Model, settings: &DressSettings) -> Refusal {
    dress_bare(model, body, settings, &JobContext::of_waiting()).unwrap_err()
}

#[test]
fn a_wider_tube_gains_the_joints_of_the_body_and_the_weights_of_what_it_lies_on() {
    let (model, body) = (shirt(), body());
    let (bare, bound) = dressed(&model, &DressSettings::default());
    assert_eq!(bound.skeleton.names, ["shirt", "root", "joint 0", "joint 1", "joint 2", "joint 3"]);
    assert_eq!(bound.skeleton.rest.transforms[1..], body.skeleton.rest.transforms[..]);
    assert_eq!((bound.skins.len(), bound.skins[0].joints.len()), (1, 4));
    assert!(bare.change.skins[0].worn.is_none());
    let report = &bare.dressed;
    assert_eq!((report.joints, report.joints_used, report.transferred.islands), (4, 4, 1));
    assert_eq!((report.transferred.inpainted, report.transferred.unmatched), (0, 0));
    assert!((report.transferred.mean - 0.02).abs() < 2e-3, "{}", report.transferred.mean);
    assert!(report.known_names.is_empty());
    // Rings and sides are those of the body.
    for vertex in 0..model.meshes[0].primitives[0].stored_vertices {
        let [own, theirs] = [named(&bound, vertex), named(&body, vertex)];
        let same =
            own.len() == theirs.len() && own.iter().zip(&theirs).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-3);
        assert!(same, "vertex {vertex}: {own:?} for {theirs:?}");
    }
    let depths = report.depths;
    assert!(depths.moments > 10 && depths.turns >= 18);
    assert!(depths.in_clips.is_none_or(|deepest| deepest.percent < 2.0), "{:?}", depths.in_clips);
}

/// The joints of some bodies stand in several trees, which no skin that is written may have.
#[test]
fn trees_of_joints_hang_on_a_node_that_is_made_for_them() {
    let whole = body();
    let mut parts: ModelParts = (*whole).clone();
    let worlds = whole.skeleton.worlds(&whole.skeleton.rest);
    parts.skeleton.parents[3] = None;
    parts.skeleton.rest.transforms[3].translation = worlds[3].translation.as_vec3();
    parts.scenes[0].roots.push(NodeId(3));
    let apart = Model::build(parts).unwrap();
    let model = shirt();
    let bare = dress_bare(&model, &apart, &DressSettings::default(), &JobContext::of_waiting()).unwrap();
    let bound = model.with_bindings(&bare.change).unwrap();
    assert_eq!(bound.skeleton.names, ["shirt", "Skeleton", "root", "joint 0", "joint 1", "joint 2", "joint 3"]);
    let parents =
        [None, None, Some(1), Some(2), Some(3), Some(1), Some(5)].map(|parent: Option<u32>| parent.map(NodeId));
    assert_eq!(bound.skeleton.parents, parents);
    assert_eq!((bound.skins[0].joints.len(), bound.skins[0].root), (4, Some(NodeId(1))));
    let own = bound.skeleton.worlds(&bound.skeleton.rest);
    assert!(own[2..].iter().zip(&worlds).all(|(own, there)| own.abs_diff_eq(*there, 1e-6)));
    for vertex in 0..model.meshes[0].primitives[0].stored_vertices {
        let [own, theirs] = [named(&bound, vertex), named(&apart, vertex)];
        assert!(own.iter().zip(&theirs).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-3), "vertex {vertex}");
    }
    // A name that is taken is not used again.
    let known = garment(Tube { rings: 17, radius: 0.27, ..Tube::default() }, |parts| {
        parts.skeleton.names[0] = "Skeleton".into();
    });
    let bare = dress_bare(&known, &apart, &DressSettings::default(), &JobContext::of_waiting()).unwrap();
    assert_eq!(bare.change.nodes[0].name, "Skeleton_2");
}

#[test]
fn a_garment_that_does_not_follow_is_measured_to_go_into_the_body() {
    let (model, body) = (shirt(), body());
    let instances = bare_instances(&model, None).unwrap();
    let mut fitting = Fitting::of(&model, &body, placed(&model, &instances), &DressSettings::default()).unwrap();
    // All of it follows the first joint, and the body bends away under it.
    let (depths, _) = fitting.depths(&body, &|_| vec![(1, 1.0)], &JobContext::of_waiting()).unwrap();
    let deepest = depths.in_clips.unwrap();
    assert!(deepest.percent > 5.0, "{}", deepest.percent);
    let (clip, time) = words_of_pose(&body, deepest.pose);
    assert!(clip == "Bend" && (0.2..0.8).contains(&time), "{clip} at {time}");
    assert!(depths.turned.is_some_and(|turned| turned.percent > 5.0));
}

#[test]
fn a_hem_that_is_far_hangs_on_what_it_hangs_from_and_a_loose_piece_follows_what_it_lies_on() {
    let wide = garment(Tube { rings: 17, radius: 0.27, ..Tube::default() }, |parts| {
        for point in parts.meshes[0].primitives[0].positions.iter_mut().filter(|point| point.y < 0.6) {
            let factor = 1.0 + 3.0 * (0.6 - point.y);
            (point.x, point.z) = (point.x * factor, point.z * factor);
        }
    });
    let (bare, _) = dressed(&wide, &DressSettings { distance: Some(0.05), ..DressSettings::default() });
    assert!(bare.dressed.transferred.inpainted > 16, "{}", bare.dressed.transferred.inpainted);
    let outer = garment(Tube { rings: 17, radius: 0.9, ..Tube::default() }, |_| {});
    let both = garment(Tube { rings: 17, radius: 0.3, ..Tube::default() }, |parts| {
        parts.meshes[0].primitives.push(outer.meshes[0].primitives[0].clone());
    });
    let (bare, bound) = dressed(&both, &DressSettings { distance: Some(0.1), ..DressSettings::default() });
    let count = both.meshes[0].primitives[0].stored_vertices;
    assert_eq!((bare.dressed.transferred.islands, bare.dressed.transferred.inpainted), (2, count));
    let sheet = Sheet::of(&bound);
    let table = |primitive: usize| {
        let id = PrimitiveId::new(MeshId(0), primitive);
        &sheet.tables[sheet.table_of(id).unwrap()]
    };
    for vertex in 0..count {
        let [below, above] = [unit_shares(table(0), vertex), unit_shares(table(1), vertex)];
        assert!(difference(&below, &above) < 1e-3, "vertex {vertex}");
    }
}

/// The wider tube with a radius of its own in those of its 17 rings that are listed.
fn bulging(radius: f32, rings: std::ops::RangeInclusive<usize>, wide: f32) -> Model {
    garment(Tube { rings: 17, radius, ..Tube::default() }, |parts| {
        for point in &mut parts.meshes[0].primitives[0].positions {
            if rings.contains(&((point.y / 0.125).round() as usize)) {
                (point.x, point.z) = (point.x * wide / radius, point.z * wide / radius);
            }
        }
    })
}

#[test]
fn a_coat_follows_the_shirt_below_it_where_that_is_nearer_than_the_body() {
    // The shirt is far from the body in its middle alone, the coat in most of its length.
    let (shirt, coat) = (bulging(0.27, 7..=9, 0.5), bulging(0.3, 2..=14, 0.53));
    for coat_is_first in [false, true] {
        let [first, second] = if coat_is_first { [&coat, &shirt] } else { [&shirt, &coat] };
        let mut parts: ModelParts = (**first).clone();
        parts.meshes[0].primitives.push(second.meshes[0].primitives[0].clone());
        let both = Model::build(parts).unwrap();
        let (bare, bound) = dressed(&both, &DressSettings { distance: Some(0.06), ..DressSettings::default() });
        assert!(bare.dressed.transferred.layered > 64, "{}", bare.dressed.transferred.layered);
        let sheet = Sheet::of(&bound);
        let table = |is_coat: bool| {
            let id = PrimitiveId::new(MeshId(0), usize::from(is_coat != coat_is_first));
            &sheet.tables[sheet.table_of(id).unwrap()]
        };
        for (vertex, point) in coat.meshes[0].primitives[0].positions.iter().enumerate() {
            let ring = (point.y / 0.125).round() as usize;
            if [4, 8, 12].contains(&ring) {
                let [below, above] = [unit_shares(table(false), vertex), unit_shares(table(true), vertex)];
                let off = difference(&below, &above);
                assert!(off < 1e-3, "ring {ring}, vertex {vertex}: {off}, the coat first: {coat_is_first}");
            }
        }
    }
}

#[test]
fn meshes_without_a_skin_gain_the_joints_of_those_beside_them_and_what_hangs_on_a_joint_stays() {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, rings: 17, radius: 0.27, ..Tube::default() })).clone();
    for (name, node) in [("coat", NodeId(0)), ("buckle", NodeId(3))] {
        let mut mesh = parts.meshes[0].clone();
        mesh.name = name.into();
        mesh.primitives[0].stored_influences = None;
        let id = MeshId::from_index(parts.meshes.len());
        parts.meshes.push(mesh);
        parts.instances.push(Instance { node, mesh: id, skin: None, ..parts.instances[0].clone() });
    }
    let model = Model::build(parts).unwrap();
    let found = dress(&model, &body(), &DressSettings::default(), &JobContext::of_waiting()).unwrap();
    assert_eq!(found.dressed.joined, ["coat"]);
    let left: Vec<&str> = found.dressed.left_out.iter().map(|left| left.mesh.as_str()).collect();
    assert_eq!(left, ["buckle"]);
    assert!(found.dressed.left_out[0].why.contains("joint 2"), "{}", found.dressed.left_out[0].why);
    let worn = found.on(&model).unwrap();
    assert_eq!((worn.skins.len(), worn.skeleton.len()), (1, model.skeleton.len()), "no joint is there twice");
    assert_eq!([0, 1, 2].map(|i| worn.instances[i].skin), [Some(SkinId(0)), Some(SkinId(0)), None]);
    let (sheet, body) = (Sheet::of(&worn), body());
    let theirs = Sheet::of(&body);
    let of = |mesh: u32| {
        let id = PrimitiveId::new(MeshId(mesh), 0);
        &sheet.tables[sheet.table_of(id).unwrap()]
    };
    for vertex in 0..theirs.tables[0].vertices() {
        // The nodes of both have the same numbers.
        let wanted = unit_shares(&theirs.tables[0], vertex);
        let off = [0, 1].map(|mesh| difference(&unit_shares(of(mesh), vertex), &wanted));
        assert!(off.iter().all(|off| *off < 1e-3), "vertex {vertex}: {off:?}");
    }
}

#[test]
fn each_skin_of_a_garment_is_reported_by_itself() {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, rings: 17, radius: 0.27, ..Tube::default() })).clone();
    let wide = tube(Tube { joints: 4, rings: 33, radius: 0.31, ..Tube::default() });
    parts.meshes.push(wide.meshes[0].clone());
    parts.skins.push(parts.skins[0].clone());
    let shown = Instance { mesh: MeshId(1), skin: Some(SkinId(1)), ..parts.instances[0].clone() };
    parts.instances.push(shown);
    let model = Model::build(parts).unwrap();
    let found = dress(&model, &body(), &DressSettings::default(), &JobContext::of_waiting()).unwrap();
    let skins = found.dressed.skins(&found.on(&model).unwrap());
    assert_eq!(skins.iter().map(|skin| skin.skin.0).collect::<Vec<_>>(), [0, 1]);
    let vertices = |mesh: usize| model.meshes[mesh].primitives[0].stored_vertices;
    for (number, skin) in skins.iter().enumerate() {
        assert_eq!((skin.vertices, skin.joints, skin.joints_used), (vertices(number), 4, 4), "skin {number}");
        assert_eq!(skin.transferred.islands, 1, "skin {number}");
    }
    let [near, far] = [0, 1].map(|number: usize| skins[number].transferred.mean);
    let mean = found.dressed.transferred.mean;
    assert!(near < mean && mean < far, "{near} {mean} {far}");
    assert_eq!(skins[0].vertices + skins[1].vertices, found.dressed.vertices);
    let deepest = skins.iter().filter_map(|skin| skin.depths.turned.map(|found| found.percent)).reduce(f64::max);
    assert_eq!(deepest, found.dressed.depths.turned.map(|found| found.percent));
    let one = dress(&shirt(), &body(), &DressSettings::default(), &JobContext::of_waiting()).unwrap();
    assert_eq!(one.dressed.skins(&one.on(&shirt()).unwrap()).len(), 1);
}

#[test]
fn a_body_whose_mesh_two_skins_show_is_where_the_first_of_them_shows_it() {
    let model = shirt();
    let weights = |body: &Model| {
        let bare = dress_bare(&model, body, &DressSettings::default(), &JobContext::of_waiting()).unwrap();
        assert!(bare.dressed.transferred.largest < 0.03, "{}", bare.dressed.transferred.largest);
        bare.change.primitives[0].1.weights.clone()
    };
    let once = weights(&body());
    for first in [SkinId(0), SkinId(1)] {
        let mut parts: ModelParts = (*body()).clone();
        let moved = Affine3A::from_translation(Vec3::X * 3.0);
        let inverse_bind = parts.skins[0].inverse_bind.iter().map(|bind| *bind * moved).collect();
        parts.skins.push(Skin { inverse_bind, ..parts.skins[0].clone() });
        let other = SkinId(1 - first.0);
        parts.instances[0].skin = Some(first);
        parts.instances.push(Instance { skin: Some(other), ..parts.instances[0].clone() });
        let twice = weights(&Model::build(parts).unwrap());
        let is_same = once.len() == twice.len() && once.iter().zip(&twice).all(|(a, b)| (a - b).abs() < 1e-4);
        assert!(is_same, "skin {} is shown first", first.0);
    }
}

#[test]
fn joints_that_nobody_needs_are_left_out_and_those_above_needed_ones_stay() {
    // It covers the upper end alone.
    let sleeve = garment(Tube { rings: 5, radius: 0.27, length: 0.3, ..Tube::default() }, |parts| {
        parts.meshes[0].primitives[0].positions.iter_mut().for_each(|point| point.y += 1.7);
    });
    let (all, _) = dressed(&sleeve, &DressSettings::default());
    let (bare, bound) = dressed(&sleeve, &DressSettings { drops_unused: true, ..DressSettings::default() });
    assert_eq!((all.dressed.joints, all.dressed.joints_used), (4, 2));
    assert_eq!((bare.dressed.joints, bare.dressed.joints_used), (2, 2));
    assert_eq!(bound.skeleton.names, ["shirt", "root", "joint 0", "joint 1", "joint 2", "joint 3"]);
    assert_eq!(bound.skins[0].joints, [NodeId(4), NodeId(5)]);
    // The lower end needs none of those that hang on it.
    let cuff = garment(Tube { rings: 5, radius: 0.27, length: 0.3, ..Tube::default() }, |_| {});
    let (_, bound) = dressed(&cuff, &DressSettings { drops_unused: true, ..DressSettings::default() });
    assert_eq!(bound.skeleton.names, ["shirt", "root", "joint 0", "joint 1"]);
}

#[test]
fn a_garment_that_lies_and_is_twice_as_large_is_worn_after_it_is_aligned() {
    let turn = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let lying = garment(Tube { rings: 17, radius: 0.27, ..Tube::default() }, |parts| {
        let primitive = &mut parts.meshes[0].primitives[0];
        primitive.positions.iter_mut().for_each(|point| *point = turn * *point * 2.0 + Vec3::X * 5.0);
        primitive.normals.iter_mut().for_each(|normal| *normal = turn * *normal);
    });
    let refused = refusal(&lying, &body(), &DressSettings::default());
    assert!(matches!(refused, Refusal::FarFromBody { .. }), "{refused}");
    let (bare, bound) = dressed(&lying, &DressSettings { align: Align::Bounds, ..DressSettings::default() });
    let aligned = bare.dressed.aligned;
    assert!((aligned.degrees - 90.0).abs() < 1.0 && (aligned.scale - 0.5).abs() < 0.02, "{aligned:?}");
    // At rest it is shown where it is worn.
    let worlds = bound.skeleton.worlds(&bound.skeleton.rest);
    let skin = &bound.skins[0];
    for (joint, bind) in skin.joints.iter().zip(&skin.inverse_bind) {
        let shown = worlds[joint.index()] * bind.as_daffine3();
        for point in &bound.meshes[0].primitives[0].positions {
            let at = shown.transform_point3(point.as_dvec3());
            assert!((at.x.hypot(at.z) - 0.27).abs() < 0.02 && (-0.1..2.1).contains(&at.y), "{at}");
        }
    }
}

#[test]
fn a_garment_with_joints_of_its_own_is_aligned_by_their_names_and_keeps_them() {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, rings: 17, radius: 0.27, ..Tube::default() })).clone();
    for (i, name) in parts.skeleton.names.iter_mut().enumerate() {
        *name = format!("bone of cloth {i}");
    }
    // One joint has all of it.
    parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().joints.fill(0);
    let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    let per_vertex = influences.per_vertex;
    let first = |(slot, weight): (usize, &mut f32)| *weight = if slot % per_vertex == 0 { 1.0 } else { 0.0 };
    influences.weights.iter_mut().enumerate().for_each(first);
    let model = Model::build(parts).unwrap();
    let refused = dress_skinned(&mut Sheet::of(&model), &body(), &DressSettings::default()).unwrap_err();
    assert!(matches!(refused, Refusal::NoCounterpart(_)), "{refused}");
    let mut names = NameMap::default();
    (0..4).for_each(|i| names.set(&format!("joint {i}"), Some(&format!("bone of cloth {}", i + 1))));
    let mut sheet = Sheet::of(&model);
    let report = dress_skinned(&mut sheet, &body(), &DressSettings { names, ..DressSettings::default() }).unwrap();
    assert_eq!((report.joints, report.joints_used, report.transferred.unmatched), (4, 4, 0));
    assert!(report.depths.in_clips.is_none_or(|deepest| deepest.percent < 2.0));
    let body = body();
    let theirs = Sheet::of(&body);
    for vertex in 0..sheet.tables[0].vertices() {
        // The nodes of both have the same numbers.
        let [own, theirs] = [&sheet, &theirs].map(|sheet| unit_shares(&sheet.tables[0], vertex));
        assert!(difference(&own, &theirs) < 1e-3, "vertex {vertex}");
    }
}

#[test]
fn what_cannot_be_worn_is_refused_with_the_reason() {
    let (shirt, body, usual) = (shirt(), body(), DressSettings::default());
    let bare = self::shirt();
    assert_eq!(refusal(&shirt, &bare, &usual), Refusal::NoSurface);
    assert_eq!(refusal(&body, &body, &usual), Refusal::NoBareMesh);
    let far = garment(Tube { radius: 0.27, ..Tube::default() }, |parts| {
        parts.meshes[0].primitives[0].positions.iter_mut().for_each(|point| point.x += 10.0);
    });
    assert!(matches!(refusal(&far, &body, &usual), Refusal::FarFromBody { .. }));
    let near = DressSettings { distance: Some(0.001), ..usual.clone() };
    assert!(matches!(refusal(&shirt, &body, &near), Refusal::FarFromBody { .. }));
    let humanoid = DressSettings { align: Align::Humanoid, ..usual.clone() };
    assert_eq!(refusal(&shirt, &body, &humanoid), Refusal::NotAligned(0));
    let mut parts: ModelParts = (*body).clone();
    parts.skeleton.residuals =
        vec![(NodeId(1), Mat3A::from_cols(Vec3::X.into(), Vec3::new(0.1, 1.0, 0.0).into(), Vec3::Z.into()))];
    let world = Affine3A::from_mat3(parts.skeleton.residuals[0].1.into());
    let undone = parts.skins[0].inverse_bind.iter().map(|bind| *bind * world.inverse()).collect();
    parts.skins[0].inverse_bind = undone;
    let sheared = Model::build(parts).unwrap();
    assert_eq!(refusal(&shirt, &sheared, &usual), Refusal::Sheared("joint 0".into()));
}

#[test]
fn names_that_the_garment_has_already_are_said() {
    let model = garment(Tube { radius: 0.27, ..Tube::default() }, |parts| parts.skeleton.names[0] = "joint 2".into());
    let (bare, _) = dressed(&model, &DressSettings::default());
    assert_eq!(bare.dressed.known_names, ["joint 2"]);
}

#[test]
fn points_of_one_place_have_one_row_and_every_row_sums_to_one() {
    // Two sides of one cloth, which took other weights, and a row whose sum is off.
    let mut parts: ModelParts = (*body()).clone();
    let mut inside = parts.meshes[0].primitives[0].clone();
    let influences = inside.stored_influences.as_mut().unwrap();
    let count = influences.weights.len() / influences.per_vertex;
    for vertex in 0..count {
        let slots = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
        influences.joints[slots.clone()].rotate_left(1);
        influences.weights[slots].reverse();
    }
    parts.meshes[0].primitives.push(inside);
    parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().weights[..4]
        .copy_from_slice(&[0.5, 0.0, 0.0, 0.0]);
    let model = Model::build(parts).unwrap();
    let mut sheet = Sheet::of(&model);
    assert_eq!(sheet.tables.len(), 2);
    join_places(&mut sheet);
    for row in 0..count {
        let [own, other] = [0, 1].map(|table: usize| {
            let table = &sheet.tables[table];
            (&table.joints[table.slots(row)], &table.weights[table.slots(row)])
        });
        assert_eq!(own, other, "vertex {row}");
        assert!((own.1.iter().sum::<f64>() - 1.0).abs() < 1e-6, "vertex {row}");
    }
}

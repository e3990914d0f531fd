//! What the tests of several files share, and tests of whole surfaces.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DVec3, Vec3};
use skinscope_anim::pose::rotate;
use skinscope_base::math::WeldRule;
use skinscope_base::parallel::JobContext;
use skinscope_deform::{METHODS, MeshTopology};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{InstanceId, MeshId, Model, ModelParts, NodeId, PrimitiveId, WeightFormat};
use skinscope_weights::{Bounds, FALLOFFS, RestPart, RestSurface, Table, difference};

use crate::{
    Deviation, Example, Joints, MethodSurface, Pin, Posed, Problem, PullField, PullSettings, SolveSettings, solve_rows,
};

/// Numbers that look random, and are the same in each run.
#[derive(Debug, Default)]
pub(crate) struct Random(u64);

impl Random {
    /// Returns a number from −1 to 1.
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }
}

/// The weights of the first primitive of a model whose first skin moves it.
pub(crate) fn table_of(model: &Model) -> Table {
    let influences = model.influences(MeshId::from_index(0), 0).unwrap();
    let count = model.meshes[0].primitives[0].stored_vertices;
    let mut out = Table { per_vertex: influences.per_vertex, ..Table::default() };
    for vertex in 0..count {
        let (joints, weights) = influences.of(vertex);
        out.joints.extend_from_slice(joints);
        out.weights.extend(weights.iter().map(|weight| f64::from(*weight)));
        out.touched.push(false);
    }
    out.primitives = vec![PrimitiveId::new(MeshId::from_index(0), 0)];
    out.formats = vec![WeightFormat::F32; out.per_vertex / 4];
    out.keys = model.skins[0].joints.iter().map(|joint| joint.0).collect();
    out
}

/// The surface of the first primitive.
pub(crate) fn surface_of(model: &Model) -> RestSurface {
    let primitive = &model.meshes[0].primitives[0];
    let mesh = MeshTopology::of_primitive(primitive, WeldRule::Near, &|| false).unwrap();
    let positions = mesh.weld.first.iter().map(|vertex| primitive.positions[*vertex as usize]).collect();
    let part = RestPart { table: 0, primitive: PrimitiveId::new(MeshId::from_index(0), 0), first: 0 };
    RestSurface::new(vec![part], (mesh, positions))
}

/// Examples of a tube whose joints are turned, each with the surface that the weights of `table` make.
fn examples<'m>(model: &'m Model, table: &Table, turns: &[(u32, Vec3)]) -> Vec<Example<'m>> {
    let example = |(node, degrees): &(u32, Vec3)| {
        let mut pose = model.skeleton.rest.clone();
        rotate(&mut pose, NodeId(*node), *degrees);
        let motion = Posed::new(model, &pose).motion(InstanceId::from_index(0), 0).unwrap();
        let targets: Vec<DVec3> = (0..table.vertices()).map(|vertex| motion.blended(table, vertex)).collect();
        Example::new(motion, &targets)
    };
    turns.iter().map(example).collect()
}

fn deviation(examples: &[Example], table: &Table) -> Deviation {
    let mut distances = Vec::new();
    examples.iter().for_each(|example| example.distances(table, &mut distances));
    Deviation::of(&mut distances)
}

fn some_turns(joints: u32) -> Vec<(u32, Vec3)> {
    let axes = [Vec3::X * 60.0, Vec3::Y * -50.0, Vec3::Z * 70.0];
    (2..=joints).flat_map(|node| axes.map(|degrees| (node, degrees))).collect()
}

/// Gives each vertex the nearest joint alone.
fn rigid(table: &Table) -> Table {
    let mut out = table.clone();
    for row in 0..out.vertices() {
        let mut shares = Vec::new();
        table.shares(row, &mut shares);
        let best = shares.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        out.put(row, &[(best.0, 1.0)]);
    }
    out
}

fn solved(model: &Model, before: &Table, examples: Vec<Example>, settings: &SolveSettings, locked: &[u32]) -> Table {
    let surface = surface_of(model);
    let mut tables = vec![before.clone()];
    let bounds = Bounds { locked: locked.iter().copied().collect(), ..Bounds::default() };
    let examples = [&examples[..]];
    let problem = Problem { model, surface: &surface, tables: &tables, examples: &examples, bounds: &bounds };
    let solution = solve_rows(&problem, settings, &JobContext::of_waiting()).unwrap();
    assert_eq!(solution.unproven, 0);
    solution.apply(&surface, &mut tables);
    tables.remove(0)
}

#[test]
fn weights_that_were_taken_away_are_solved_back_from_posed_surfaces() {
    for influences in [1, 2, 3, 4] {
        let model = tube(Tube { joints: 5, rings: 21, influences, ..Tube::default() });
        let artist = table_of(&model);
        let shown = examples(&model, &artist, &some_turns(5));
        let kept_aside = examples(&model, &artist, &[(3, Vec3::new(40.0, 20.0, -30.0))]);
        let lost = rigid(&artist);
        let back = solved(&model, &lost, shown.clone(), &SolveSettings::default(), &[]);
        for examples in [&shown, &kept_aside] {
            let (was, is) = (deviation(examples, &lost), deviation(examples, &back));
            assert!(is.largest < 2e-3 && (influences == 1 || is.largest < 0.02 * was.largest), "{influences}: {is:?}");
        }
        let all = SolveSettings { joints: Joints::All, keep: 1e-9, ..SolveSettings::default() };
        let nearer = solved(&model, &lost, shown.clone(), &all, &[]);
        let mut own = [Vec::new(), Vec::new()];
        for row in 0..artist.vertices() {
            artist.shares(row, &mut own[0]);
            nearer.shares(row, &mut own[1]);
            assert!(difference(&own[0], &own[1]) < 1e-3, "{influences}: {row}: {own:?}");
        }
    }
}

#[test]
fn what_fits_already_stays_to_the_bit_and_no_row_has_too_many_joints() {
    let model = tube(Tube { joints: 5, rings: 21, influences: 4, ..Tube::default() });
    let artist = table_of(&model);
    let shown = examples(&model, &artist, &some_turns(5));
    assert_eq!(solved(&model, &artist, shown.clone(), &SolveSettings::default(), &[]), artist);
    assert_eq!(solved(&model, &rigid(&artist), Vec::new(), &SolveSettings::default(), &[]), rigid(&artist));
    let mut own = Vec::new();
    let mut before = f64::INFINITY;
    for most in 1..=4 {
        let few = solved(&model, &artist, shown.clone(), &SolveSettings { most, ..SolveSettings::default() }, &[]);
        for row in 0..few.vertices() {
            few.shares(row, &mut own);
            assert!(own.len() <= most && (own.iter().map(|(_, w)| w).sum::<f64>() - 1.0).abs() < 1e-6);
        }
        let rms = deviation(&shown, &few).rms;
        // The best of few joints is better than the largest of them.
        let mut cut = artist.clone();
        for row in 0..cut.vertices() {
            artist.shares(row, &mut own);
            cut.put(row, &skinscope_weights::cut(own.clone(), most));
        }
        assert!(rms <= before + 1e-9 && rms <= deviation(&shown, &cut).rms + 1e-9, "{most}");
        before = rms;
    }
}

#[test]
fn a_surface_that_is_right_but_for_rounding_stays_to_the_bit_and_what_was_planted_is_found() {
    let model = tube(Tube { joints: 5, rings: 21, influences: 4, ..Tube::default() });
    let artist = table_of(&model);
    // The surface as it is drawn and written, in single precision.
    let mut surface = MethodSurface::new(&model, METHODS[0].into(), &JobContext::of_waiting()).unwrap();
    let mut shown = Vec::new();
    for (node, degrees) in some_turns(5) {
        let mut pose = model.skeleton.rest.clone();
        rotate(&mut pose, NodeId(node), degrees);
        shown.extend(surface.examples(&pose, &[(InstanceId::from_index(0), 0)]).remove(0));
    }
    assert!(shown.len() == some_turns(5).len() && deviation(&shown, &artist).largest > 0.0, "it is rounded");
    assert_eq!(solved(&model, &artist, shown.clone(), &SolveSettings::default(), &[]), artist);
    let mut shares = Vec::new();
    let blends = |row: &usize| {
        artist.shares(*row, &mut shares);
        shares.iter().all(|(_, weight)| *weight < 0.8)
    };
    let planted: Vec<usize> = (0..artist.vertices()).filter(blends).step_by(11).collect();
    assert!(planted.len() > 3, "{planted:?}");
    let (mut lost, of_one) = (artist.clone(), rigid(&artist));
    for row in &planted {
        of_one.shares(*row, &mut shares);
        lost.put(*row, &shares);
    }
    let back = solved(&model, &lost, shown.clone(), &SolveSettings::default(), &[]);
    let (was, is) = (deviation(&shown, &lost), deviation(&shown, &back));
    assert!(was.largest > 1e-2 && is.largest < 0.05 * was.largest, "{was:?} {is:?}");
    for row in 0..back.vertices() {
        assert!(back.has_same_pairs(row, &lost) != planted.contains(&row), "vertex {row}");
    }
}

#[test]
fn places_none_of_whose_vertices_may_change_are_not_solved() {
    let model = tube(Tube { joints: 5, rings: 21, influences: 2, ..Tube::default() });
    let (artist, surface) = (table_of(&model), surface_of(&model));
    let shown = examples(&model, &artist, &some_turns(5));
    let lost = rigid(&artist);
    let count = lost.vertices();
    let mut tables = vec![lost.clone()];
    let bounds = Bounds { rows: vec![(0..count).map(|row| row < count / 2).collect()], ..Bounds::default() };
    let parts = [&shown[..]];
    let problem = Problem { model: &model, surface: &surface, tables: &tables, examples: &parts, bounds: &bounds };
    let solution = solve_rows(&problem, &SolveSettings::default(), &JobContext::of_waiting()).unwrap();
    assert!(solution.apply(&surface, &mut tables) > 0);
    assert!((3 * count / 4..count).all(|row| tables[0].has_same_pairs(row, &lost)));
}

#[test]
fn locked_joints_keep_their_weights() {
    let model = tube(Tube { joints: 4, rings: 17, influences: 2, ..Tube::default() });
    let artist = table_of(&model);
    let shown = examples(&model, &artist, &some_turns(4));
    let lost = rigid(&artist);
    let back = solved(&model, &lost, shown, &SolveSettings::default(), &[3]);
    let mut own = [Vec::new(), Vec::new()];
    let mut moved = 0;
    for row in 0..lost.vertices() {
        lost.shares(row, &mut own[0]);
        back.shares(row, &mut own[1]);
        let of = |list: &[(u32, f64)]| skinscope_weights::share_of(list, 3);
        assert!((of(&own[0]) - of(&own[1])).abs() < 1e-9);
        moved += usize::from(own[0] != own[1]);
    }
    assert!(moved > 50, "{moved}");
}

/// A tube in which two vertices of each ring are at one place.
fn with_seam() -> Model {
    let sides = 6;
    let mut parts: ModelParts = (*tube(Tube { joints: 4, rings: 9, sides, influences: 3, ..Tube::default() })).clone();
    for ring in parts.meshes[0].primitives[0].positions.chunks_exact_mut(sides) {
        ring[1] = ring[0];
    }
    Model::build(parts).unwrap()
}

#[test]
fn rows_of_one_place_stay_where_a_locked_joint_has_other_weights_in_each() {
    let model = with_seam();
    let artist = table_of(&model);
    let surface = surface_of(&model);
    let mut places = (0..surface.positions.len() as u32).map(|place| surface.members(place));
    let seam = places.find(|members| members.len() > 1).unwrap();
    let shown = examples(&model, &artist, &some_turns(4));
    let mut torn = rigid(&artist);
    torn.put(seam[0] as usize, &[(3, 0.75), (1, 0.25)]);
    torn.put(seam[1] as usize, &[(3, 0.25), (1, 0.75)]);
    let back = solved(&model, &torn, shown, &SolveSettings::default(), &[3]);
    let mut own = [Vec::new(), Vec::new()];
    for member in seam {
        torn.shares(*member as usize, &mut own[0]);
        back.shares(*member as usize, &mut own[1]);
        assert!(own[0] == own[1], "vertex {member}");
    }
}

#[test]
fn points_of_one_place_get_one_row_that_is_best_for_all() {
    // The seam of the tube is two columns of vertices at one place.
    let model = with_seam();
    let artist = table_of(&model);
    let surface = surface_of(&model);
    let seams: Vec<&[u32]> =
        (0..surface.positions.len() as u32).map(|place| surface.members(place)).filter(|m| m.len() > 1).collect();
    assert_eq!(seams.len(), 9);
    let shown = examples(&model, &artist, &some_turns(4));
    let back = solved(&model, &rigid(&artist), shown, &SolveSettings::default(), &[]);
    for members in seams {
        let pairs = |vertex: u32| {
            let slots = back.slots(vertex as usize);
            (&back.joints[slots.clone()], &back.weights[slots])
        };
        assert!(members.iter().all(|member| pairs(*member) == pairs(members[0])));
    }
}

#[test]
fn neighbours_of_a_dragged_vertex_go_along_by_their_distance_on_the_surface() {
    // A thin tube: what lies on its other side is near through space, and far along the surface.
    let shape = Tube { joints: 3, rings: 61, influences: 2, radius: 0.05, ..Tube::default() };
    let (model, sides, ring) = (tube(shape), shape.sides, 30);
    let (tables, surfaces) = ([table_of(&model)], [surface_of(&model)]);
    let settings = PullSettings { most: 4, joints: Joints::All, keep: 1e-6, radius: 0.12, falloff: FALLOFFS[0] };
    let own = ring * sides;
    let field = PullField::new(&model, (&surfaces, &tables), (tables[0].primitives[0], own), &settings, None).unwrap();
    let strengths: BTreeMap<usize, f64> = field.reach().map(|(at, strength)| (at.row, strength)).collect();
    assert!((strengths[&own] - 1.0).abs() < 1e-12);
    for up in 1..4 {
        let [near, far] = [up - 1, up].map(|up| strengths[&(own + up * sides)]);
        assert!(far < near && far > 0.0, "{up}: {near} {far}");
    }
    let positions = &model.meshes[0].primitives[0].positions;
    let opposite = own + sides / 2;
    assert!(positions[own].distance(positions[opposite]) < 0.11 && !strengths.contains_key(&opposite));
    assert!(strengths.keys().all(|row| positions[*row].distance(positions[own]) < 0.12));
}

#[test]
fn what_goes_along_gets_joints_near_it_and_those_of_the_dragged_vertex() {
    let model = tube(Tube { joints: 12, rings: 49, influences: 2, ..Tube::default() });
    let (tables, surfaces) = ([table_of(&model)], [surface_of(&model)]);
    let settings = PullSettings { most: 4, joints: Joints::All, keep: 1e-6, radius: 0.2, falloff: FALLOFFS[0] };
    let (own, none) = (24 * 16, BTreeSet::new());
    let mut field =
        PullField::new(&model, (&surfaces, &tables), (tables[0].primitives[0], own), &settings, None).unwrap();
    // Joint 10, far up, is turned: it and the last one alone take the vertex elsewhere.
    let (rest, mut pose) = (model.skeleton.rest.clone(), model.skeleton.rest.clone());
    rotate(&mut pose, NodeId(11), Vec3::X * 80.0);
    let ghosts = field.ghosts(&model, &pose);
    assert_eq!(ghosts.len(), 12);
    let was = field.ghosts(&model, &rest)[0];
    let far = ghosts.iter().copied().max_by(|a, b| a.distance(was).total_cmp(&b.distance(was))).unwrap();
    let of_far = |field: &mut PullField, share: f64| {
        let pin = Pin { pose: pose.clone(), target: was.lerp(far, share) };
        let pulled = field.pull(&model, &[pin], &none, &settings);
        assert!(pulled.away[0] < 1e-4 * field.size(), "{share}: {}", pulled.away[0]);
        let has =
            |shares: &Vec<(u32, f64)>| shares.iter().any(|(key, weight)| [11, 12].contains(key) && *weight > 0.01);
        let rows = pulled.rows(&tables);
        assert!(rows.iter().flat_map(|(_, shares)| shares).all(|shares| shares.len() <= 4));
        rows.iter().filter(|(_, shares)| shares.as_ref().is_some_and(has)).count()
    };
    assert_eq!(of_far(&mut field, 0.0), 0);
    assert!(of_far(&mut field, 0.3) > 3, "those around it follow by the same joints");
    assert_eq!(of_far(&mut field, 0.0), 0, "what came before a move does not count");
}

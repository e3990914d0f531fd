//! What finds the surface near a place finds what looking at all of it finds, to the bit; and the border of a dab.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DVec3, Vec3};
use skinscope_base::math::test_random::Random;
use skinscope_deform::{Deformation, METHODS};
use skinscope_model::test_shapes::{Tube, obstacle_course, tube};
use skinscope_model::{ClipId, MeshId, PrimitiveId, WeightChange};
use skinscope_weights::FALLOFFS;
use skinscope_weights::brush::{ADD, ERASE, SMOOTH};

use super::*;
use crate::{MirrorAxis, Posing};

/// A stroke of no dabs that adds weight to a joint while the first clip plays.
fn stroke_on(joint: Option<NodeId>, method: &'static skinscope_deform::Method) -> Stroke {
    Stroke {
        brush: &ADD,
        joint,
        to: None,
        value: 0.0,
        factor: 1.0,
        strength: 0.7,
        radius: 0.3,
        falloff: FALLOFFS[0],
        distance: Distance::Volume,
        accumulate: true,
        floor: 0.0,
        ceiling: 1.0,
        normalise: true,
        max_influences: None,
        with: BTreeSet::new(),
        locked: BTreeSet::new(),
        mirror: None,
        front_faces: None,
        mask: None,
        method,
        posing: Arc::new(Posing { clip: Some(ClipId(0)), ..Posing::default() }),
        dabs: Vec::new(),
    }
}

/// Asks for what is near some places, and looks at everything in comparison.
fn compare(canvas: &Canvas, stroke: &Stroke, random: &mut Random) {
    let regions = canvas.regions(stroke.joint);
    let duration = canvas.model().clips[0].duration_secs();
    for _ in 0..12 {
        let moment = Moment::of(canvas.model(), stroke, f64::from(random.unit() * duration));
        let mut scratch = canvas.scratch(&regions);
        let Scratch { distances, seen } = &mut *scratch;
        let posed = PosedSurfaces::new(canvas.ground(canvas.model(), &regions), &moment, seen);
        let mut all = Vec::new();
        posed.each(&mut |place, at| all.push((place, at)));
        let some = all[(random.unit() * (all.len() - 1) as f32) as usize].1;
        for place in [random.vector().as_dvec3() * 3.0, some.as_dvec3(), (some + 0.01 * random.vector()).as_dvec3()] {
            let found = posed.nearest(place);
            assert!(found.is_some() && found == posed.nearest_of_all(place), "{} {place}", stroke.method.id);
            let Some(start) = found else { continue };
            for radius in [0.05, 0.3] {
                let mut near: Vec<(Place, f32)> = Vec::new();
                let volume = (Distance::Volume, radius);
                posed.each_within(distances, volume, &start, &mut |place, distance| near.push((place, distance)));
                let distances = all.iter().map(|(place, at)| (*place, at.distance(start.at)));
                let wanted: Vec<_> = distances.filter(|(_, distance)| f64::from(*distance) <= radius).collect();
                assert!(near == wanted, "{} {place} {radius}", stroke.method.id);
            }
        }
    }
}

#[test]
fn what_is_near_a_place_is_what_looking_at_everything_finds() {
    let mut random = Random(7);
    let tubes = [Tube { joints: 6, rings: 40, sides: 24, influences: 4, ..Tube::default() }, Tube::default()];
    let models = tubes.map(tube).into_iter().chain([obstacle_course()]);
    for model in models.map(Arc::new) {
        let joint = model.skins.first().and_then(|skin| skin.joints.first().copied());
        for method in METHODS.iter().copied().filter(|method| !Deformation::from(*method).needs_surface()) {
            let mut canvas = Canvas::new(Arc::clone(&model));
            for joint in [None, joint] {
                compare(&canvas, &stroke_on(joint, method), &mut random);
            }
            let before = (canvas.painted(), Arc::clone(canvas.model()));
            // With weights that were painted, with those before, and with others.
            let dab = |at: DVec3| Dab { at: Centre::Position(at), pressure: 1.0, time: Some(0.3) };
            let dabs = (0..4).map(|_| dab(random.vector().as_dvec3())).collect();
            let painted = Stroke { radius: 1.0, dabs, ..stroke_on(joint, method) };
            let report = canvas.paint(&painted).map(|report| report.vertices);
            assert!(report.is_ok_and(|vertices| vertices > 0));
            compare(&canvas, &stroke_on(joint, method), &mut random);
            canvas.restore(&before.0, before.1);
            compare(&canvas, &stroke_on(joint, method), &mut random);
        }
    }
}

#[test]
fn points_whose_vertices_are_apart_in_a_pose_are_found_too() {
    // Each third vertex comes twice, and both are moved by other joints.
    let model = tube(Tube { joints: 6, rings: 20, sides: 12, ..Tube::default() });
    let count = model.meshes[0].primitives[0].stored_vertices as u32;
    let twice: Vec<u32> = (0..count).chain((0..count).step_by(3)).collect();
    let model = skinscope_model::test_shapes::with_vertices(&model, &twice);
    let mut canvas = Canvas::new(Arc::new(model));
    let stroke = stroke_on(None, METHODS[0]);
    let mut random = Random(3);
    compare(&canvas, &stroke, &mut random);
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    (count..twice.len() as u32).for_each(|vertex| change.push(vertex, &[0, 5], &[0.5, 0.5]));
    let apart = canvas.model().with_weights(&[change]);
    assert!(apart.is_ok());
    if let Ok(apart) = apart {
        canvas.renew(Arc::new(apart), crate::LayerStack::default());
        compare(&canvas, &stroke, &mut random);
        let dabs = vec![Dab { at: Centre::Vertex(PrimitiveId::new(MeshId(0), 0), 40), pressure: 1.0, time: None }];
        assert!(canvas.paint(&Stroke { joint: Some(NodeId(3)), dabs, ..stroke.clone() }).is_ok());
        compare(&canvas, &stroke, &mut random);
    }
}

/// How often each end of the pieces of a line comes.
fn ends(line: &[[Vec3; 2]]) -> BTreeMap<[u32; 3], usize> {
    let mut out = BTreeMap::new();
    for end in line.iter().flatten() {
        *out.entry(end.to_array().map(f32::to_bits)).or_default() += 1;
    }
    out
}

#[test]
fn the_border_of_a_dab_is_a_closed_line_between_what_it_touches_and_what_not() {
    let model = Arc::new(tube(Tube { joints: 4, rings: 80, sides: 64, ..Tube::default() }));
    let canvas = Canvas::new(Arc::clone(&model));
    let (mut matrices, mut palettes) = (Vec::new(), Vec::new());
    skinscope_anim::local_to_model(&model.skeleton, &model.skeleton.rest, &mut matrices);
    skinscope_deform::palettes(&model, &matrices, &mut palettes);
    let method = Deformation::from(METHODS[0]);
    let posed =
        skinscope_inspect::PosedModel { model: &model, palettes: &palettes, morph_weights: &[], method, surface: None };
    let centre = model.meshes[0].primitives[0].positions[40 * 64 + 5];
    for distance in Distance::ALL {
        let reach = Reach { joint: None, radius: 0.2, distance, mirror: None };
        let lines = canvas.outline(&reach, &posed, centre, &[1.0, 0.5]).unwrap_or_default();
        assert_eq!(lines.len(), 2);
        for (line, radius) in lines.iter().zip([0.2, 0.1]) {
            assert!(line.len() > 10 && ends(line).values().all(|count| *count == 2), "{} {radius}", distance.id());
            let off = |at: &Vec3| match distance {
                Distance::Volume => (at.distance(centre) - radius).abs(),
                // The way round the tube.
                Distance::Surface | Distance::Screen => {
                    let turn = at.with_y(0.0).angle_between(centre.with_y(0.0));
                    ((0.25 * turn).hypot(at.y - centre.y) - radius).abs()
                }
            };
            let worst = line.iter().flatten().map(off).fold(0.0, f32::max);
            assert!(worst < 0.08 * radius, "{} {radius} {worst}", distance.id());
        }
        assert!(canvas.outline(&Reach { radius: 1e-5, ..reach }, &posed, centre, &[1.0]).is_some());
        let both = Reach { mirror: Some(MirrorAxis::X), ..reach };
        let both = canvas.outline(&both, &posed, centre, &[1.0]).unwrap_or_default().remove(0);
        let (one, other) = both.split_at(lines[0].len());
        assert!(one == lines[0] && other.len() > 10, "{} {}", distance.id(), other.len());
        // The triangles of the other side are divided the other way.
        let is_image = |at: &Vec3| {
            let image = *at * Vec3::new(-1.0, 1.0, 1.0);
            one.iter().flatten().any(|end| end.distance(image) < 0.03)
        };
        assert!(other.iter().flatten().all(is_image) && ends(other).values().all(|count| *count == 2));
    }
}

#[test]
fn what_all_cores_change_at_once_is_what_is_changed_part_by_part() {
    let shape = Tube { joints: 9, rings: 230, sides: 40, influences: 4, ..Tube::default() };
    let model = Arc::new(tube(shape));
    let count = model.meshes[0].primitives[0].stored_vertices as u32;
    let joint = model.skins[0].joints.get(3).copied();
    let stroke = Stroke { strength: 0.1, max_influences: Some(3), ..stroke_on(joint, METHODS[0]) };
    let (mut at_once, mut in_parts) = (Canvas::new(Arc::clone(&model)), Canvas::new(Arc::clone(&model)));
    for _ in 0..2 {
        let report = at_once.flood(&stroke);
        assert!(report.is_ok_and(|report| report.vertices == count as usize && report.changed * 2 > report.vertices));
        for part in 0..23 {
            let vertices = (part * count / 23..(part + 1) * count / 23).map(|vertex| (MeshId(0), 0, vertex));
            let mask = Some(skinscope_inspect::VertexSet::from_vertices(vertices.collect()));
            assert!(in_parts.flood(&Stroke { mask, ..stroke.clone() }).is_ok());
        }
        assert!(at_once.sheet(&model).tables == in_parts.sheet(&model).tables);
        assert!(at_once.model().edited_weights() == in_parts.model().edited_weights());
    }
}

#[test]
fn a_dab_in_layers_is_the_same_whether_its_rows_are_set_together_or_in_turn() {
    let model = Arc::new(tube(Tube { joints: 9, rings: 60, sides: 24, influences: 4, ..Tube::default() }));
    let joints = model.skins[0].joints.clone();
    for (brush, accumulate) in [(&ADD, true), (&ADD, false), (&SMOOTH, false), (&ERASE, true)] {
        let paint = |locked: BTreeSet<NodeId>| {
            let mut canvas = Canvas::new(Arc::clone(&model));
            for opacity in [0.5, 1.0, 0.7] {
                let mut stack = canvas.layers().clone();
                let id = stack.add("");
                stack.set_opacity(id, opacity);
                assert!(canvas.set_layers(stack).is_ok());
                let under = Stroke { strength: 0.3, ..stroke_on(joints.get(3).copied(), METHODS[0]) };
                assert!(canvas.flood(&under).is_ok());
            }
            canvas.select_layer(canvas.layers().layers().get(1).map(|layer| layer.id()));
            let middle = canvas.model().meshes[0].primitives[0].positions[24 * 20 + 3].as_dvec3();
            let dab = |pressure| Dab { at: Centre::Position(middle), pressure, time: None };
            let dabs = [0.2, 0.9, 0.4].map(dab).to_vec();
            let own = Stroke { brush, accumulate, locked, dabs, ..stroke_on(joints.get(3).copied(), METHODS[0]) };
            let report = canvas.paint(&own);
            assert!(report.as_ref().is_ok_and(|report| report.changed > 0), "{}", brush.id);
            (canvas.sheet(&model).tables, canvas.model().edited_weights(), report)
        };
        // Nothing there has weight of the last joint: it is locked in vain.
        let last = joints.last().copied().into_iter().collect();
        assert!(paint(BTreeSet::new()) == paint(last), "{} {accumulate}", brush.id);
    }
}

#[test]
fn a_brush_over_many_vertices_sees_each_as_it_was_before() {
    // More than are painted before their rows are written.
    let model = Arc::new(tube(Tube { joints: 6, rings: 450, sides: 100, influences: 4, ..Tube::default() }));
    let joint = model.skins[0].joints[2];
    let count = model.meshes[0].primitives[0].stored_vertices as u32;
    let primitive = PrimitiveId::new(MeshId(0), 0);
    let at = |vertices: Vec<u32>| {
        let touches = vertices.into_iter().map(|vertex| Touch { primitive, vertex, share: 1.0 }).collect();
        Dab { at: Centre::Listed(touches), pressure: 1.0, time: None }
    };
    for brush in [&ADD, &SMOOTH] {
        let locked = BTreeSet::from([model.skins[0].joints[3]]);
        let stroke = Stroke { brush, strength: 0.3, locked, ..stroke_on(Some(joint), METHODS[0]) };
        let mut all = Canvas::new(Arc::clone(&model));
        let report = all.flood(&stroke).unwrap();
        assert!(report.vertices == count as usize && report.changed > 32_768, "{report:?}");
        // As one dab, which counts what it has changed.
        let mut dabbed = Canvas::new(Arc::clone(&model));
        assert_eq!(dabbed.paint(&Stroke { dabs: vec![at((0..count).collect())], ..stroke.clone() }).unwrap(), report);
        // One by one, each from the weights before the stroke.
        let mut single = Canvas::new(Arc::clone(&model));
        let some: Vec<u32> = (0..count).step_by(97).collect();
        let dabs = some.iter().map(|vertex| at(vec![*vertex])).collect();
        single.paint(&Stroke { accumulate: false, dabs, ..stroke }).unwrap();
        let row = |canvas: &Canvas, vertex: u32| {
            let (joints, weights) = canvas.model().influences(primitive.mesh, 0).unwrap().of(vertex as usize);
            (joints.to_vec(), weights.iter().map(|weight| weight.to_bits()).collect::<Vec<u32>>())
        };
        assert!((0..count).all(|vertex| row(&all, vertex) == row(&dabbed, vertex)), "{}", brush.id);
        assert!(some.iter().all(|vertex| row(&all, *vertex) == row(&single, *vertex)), "{}", brush.id);
    }
}

//! Effects while one paints: what a dab leaves is what composing everything anew gives, and without them the bits from before are back.

use std::collections::{BTreeMap, BTreeSet};

use skinscope_base::math::test_random::Random;
use skinscope_deform::METHODS;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{MeshId, PrimitiveId};
use skinscope_weights::brush::{ADD, AVERAGE, ERASE, SMOOTH, SUBTRACT};
use skinscope_weights::{Brush, FALLOFFS, Shares};

use super::*;
use crate::MirrorAxis;
use crate::layers::{LayerId, LayerStack};

fn stroke(brush: &'static Brush, joint: u32, locked: &[u32]) -> Stroke {
    Stroke {
        brush,
        joint: brush.is_of_joint().then_some(NodeId(joint)),
        to: None,
        value: 0.0,
        factor: 1.0,
        strength: 0.6,
        radius: 0.35,
        falloff: FALLOFFS[0],
        distance: Distance::Volume,
        accumulate: false,
        floor: 0.0,
        ceiling: 1.0,
        normalise: true,
        max_influences: None,
        with: BTreeSet::new(),
        locked: locked.iter().map(|node| NodeId(*node)).collect(),
        mirror: None,
        front_faces: None,
        mask: None,
        method: METHODS[0],
        posing: Arc::default(),
        dabs: Vec::new(),
    }
}

fn canvas() -> Canvas {
    Canvas::new(Arc::new(tube(Tube { joints: 5, rings: 15, sides: 12, influences: 3, ..Tube::default() })))
}

fn dab(vertex: usize) -> Dab {
    Dab { at: Centre::Vertex(PrimitiveId::new(MeshId(0), 0), vertex as u32), pressure: 1.0, time: None }
}

/// The pairs of every vertex, as bits.
fn pairs(model: &Model) -> Vec<Vec<(u16, u32)>> {
    let influences = model.influences(MeshId(0), 0).unwrap();
    let row = |v| influences.of(v).0.iter().copied().zip(influences.of(v).1.iter().map(|w| w.to_bits())).collect();
    (0..influences.vertices()).map(row).collect()
}

fn weights_of(rows: &[Vec<(u16, u32)>], joint: u16) -> Vec<u32> {
    let weight = |row: &Vec<(u16, u32)>| row.iter().find(|pair| pair.0 == joint && pair.1 != 0).map_or(0, |p| p.1);
    rows.iter().map(weight).collect()
}

/// Changes the layers.
fn change<T>(canvas: &mut Canvas, change: impl FnOnce(&mut LayerStack) -> T) -> T {
    let mut layers = canvas.layers().clone();
    let out = change(&mut layers);
    canvas.set_layers(layers).unwrap();
    out
}

fn is_as_composed_anew(canvas: &Canvas) -> bool {
    let mut anew = canvas.rows.clone();
    anew.take_with_effects(canvas.layers().clone()).is_empty()
}

#[test]
fn random_dabs_leave_what_composing_everything_anew_gives_and_locked_joints_keep_their_bits() {
    let mut random = Random(5);
    for round in 0..6 {
        let mut canvas = canvas();
        canvas.paint(&Stroke { dabs: vec![dab(30)], ..stroke(&ADD, 2, &[]) }).unwrap();
        let base = pairs(canvas.model());
        let low = change(&mut canvas, |layers| layers.add("Low"));
        let high = change(&mut canvas, |layers| layers.add("High"));
        let below = |random: &mut Random, count: usize| (random.unit() * count as f32) as usize % count;
        let kinds = ["mirror", "smooth", "prune", "limit"];
        let of = [Some(low), Some(high), None];
        for (i, of) in of.into_iter().enumerate() {
            let kind = kinds[(round + i) % kinds.len()];
            change(&mut canvas, |layers| {
                assert!(layers.add_effect(of, kind, BTreeSet::new()));
                layers.set_effect(of, 0, "passes", 2.0);
                layers.set_effect(of, 0, "most-joints", 2.0);
                layers.set_effect(of, 0, "threshold", 0.15);
            });
        }
        change(&mut canvas, |layers| layers.set_opacity(high, 0.7));
        for number in 0..10 {
            canvas.select_layer(of[below(&mut random, 3)].filter(|_| number != 4));
            let brush = [&ADD, &SUBTRACT, &SMOOTH, &AVERAGE, &ERASE][below(&mut random, 5)];
            let locked: &[u32] = if number % 2 == 0 { &[] } else { &[3] };
            let mut stroke = stroke(brush, 1 + below(&mut random, 5) as u32, locked);
            stroke.accumulate = random.unit() < 0.5;
            let before = pairs(canvas.model());
            let mut brushing = canvas.begin(&stroke).unwrap();
            for _ in 0..3 {
                let at = below(&mut random, before.len());
                canvas.dab(&mut brushing, &dab(at)).unwrap();
                assert!(is_as_composed_anew(&canvas), "{round} {number} {}", stroke.brush.id);
            }
            let now = pairs(canvas.model());
            // Joint 3 is the third of the skin.
            assert!(locked.is_empty() || weights_of(&now, 2) == weights_of(&before, 2), "{round} {number}");
        }
        // What was painted in the base stays there, and effects are on layers alone.
        let painted = pairs(canvas.model());
        change(&mut canvas, |layers| [low, high].map(|id| layers.set_on(id, false)));
        let off = pairs(canvas.model());
        let bare = change(&mut canvas, |layers| [low, high].map(|id| layers.remove(id)));
        assert!(bare == [true; 2] && pairs(canvas.model()) == off && off != painted, "{round}");
        assert_eq!(base.len(), off.len());
    }
}

#[test]
fn what_lies_below_is_the_same_whether_it_was_asked_for_before_or_not() {
    let (mut canvas, mut anew) = (canvas(), canvas());
    let low = change(&mut canvas, |layers| layers.add("Low"));
    canvas.paint(&Stroke { dabs: vec![dab(30), dab(70)], ..stroke(&ADD, 2, &[]) }).unwrap();
    change(&mut canvas, |layers| {
        assert!(layers.add_effect(Some(low), "smooth", BTreeSet::new()));
        layers.set_effect(Some(low), 0, "passes", 5.0)
    });
    let high = change(&mut canvas, |layers| layers.add("High"));
    let base = pairs(canvas.model());
    for (number, layer) in [Some(high), None, Some(high), Some(low), Some(high)].into_iter().enumerate() {
        canvas.select_layer(layer);
        anew.restore(&canvas.painted(), Arc::clone(canvas.model()));
        for canvas in [&mut canvas, &mut anew] {
            canvas.paint(&Stroke { dabs: vec![dab(28 + number), dab(72)], ..stroke(&SMOOTH, 2, &[]) }).unwrap();
        }
        assert!(pairs(canvas.model()) == pairs(anew.model()), "{number}");
        assert!(layer != Some(high) || canvas.rows.below.count() > 0, "{number}");
    }
    assert!(pairs(canvas.model()) != base);
}

#[test]
fn layers_that_are_off_leave_the_bits_from_before_whatever_effects_there_are() {
    let mut canvas = canvas();
    canvas.paint(&Stroke { dabs: vec![dab(30)], ..stroke(&ADD, 2, &[]) }).unwrap();
    let base = pairs(canvas.model());
    let id = change(&mut canvas, |layers| layers.add(""));
    for of in [Some(id), None] {
        for kind in ["mirror", "smooth", "limit", "prune"] {
            assert!(change(&mut canvas, |layers| layers.add_effect(of, kind, BTreeSet::new())));
        }
    }
    assert!(pairs(canvas.model()) == base, "nothing was painted");
    let at = canvas.model().meshes[0].primitives[0].positions.iter().position(|at| at.x > 0.2 && at.y > 0.9).unwrap();
    canvas.paint(&Stroke { dabs: vec![dab(at)], ..stroke(&ADD, 4, &[]) }).unwrap();
    let painted = pairs(canvas.model());
    assert!(painted != base);
    change(&mut canvas, |layers| layers.set_on(id, false));
    assert!(pairs(canvas.model()) == base);
    change(&mut canvas, |layers| layers.set_on(id, true));
    assert!(pairs(canvas.model()) == painted);
    // Merged down they are gone, and their work stays.
    let merged = canvas.merged_down(id).unwrap();
    assert!(merged.is_empty() && merged.effects().is_empty());
    canvas.set_layers(merged).unwrap();
    assert!(pairs(canvas.model()) == painted);
}

#[test]
fn a_mirror_shows_each_dab_on_the_other_side_and_switched_off_it_does_not() {
    for of_layer in [true, false] {
        let mut canvas = canvas();
        let base = pairs(canvas.model());
        let id = change(&mut canvas, |layers| layers.add(""));
        let of = of_layer.then_some(id);
        change(&mut canvas, |layers| layers.add_effect(of, "mirror", BTreeSet::new()));
        let images = canvas.mirrors.across(&canvas.model, &canvas.surfaces, MirrorAxis::X).unwrap();
        let positions = canvas.model().meshes[0].primitives[0].positions.clone();
        let right: Vec<usize> = (0..positions.len()).filter(|v| positions[*v].x > 0.15).collect();
        let mut brushing = canvas.begin(&Stroke { radius: 0.2, ..stroke(&ADD, 3, &[]) }).unwrap();
        for vertex in right.iter().step_by(9) {
            canvas.dab(&mut brushing, &dab(*vertex)).unwrap();
            for point in 0..canvas.surfaces[0].mesh.point_count() {
                let Some(image) = images.of(Place { surface: 0, point }) else { continue };
                let row = |point: u32| {
                    let at = canvas.surfaces[0].row(canvas.surfaces[0].mesh.weld.first[point as usize]);
                    let mut space = Shares::new();
                    let flat = canvas.rows.flat(at, &mut space).iter();
                    flat.map(|(key, weight)| (*key, weight.to_bits())).collect::<BTreeMap<u32, u64>>()
                };
                assert!(row(point) == row(image.point), "{of_layer} {vertex} {point}");
            }
        }
        let painted = pairs(canvas.model());
        let left = |rows: &[Vec<(u16, u32)>]| {
            (0..rows.len()).filter(|v| positions[*v].x < -0.15 && rows[*v] != base[*v]).count()
        };
        assert!(left(&painted) > 5);
        change(&mut canvas, |layers| layers.switch_effect(of, 0, false));
        assert_eq!(left(&pairs(canvas.model())), 0);
        change(&mut canvas, |layers| layers.switch_effect(of, 0, true));
        assert!(pairs(canvas.model()) == painted);
    }
}

#[test]
fn an_effect_leaves_joints_alone_that_were_locked_when_it_was_added() {
    let mut canvas = canvas();
    let id: LayerId = change(&mut canvas, |layers| layers.add(""));
    canvas.paint(&Stroke { dabs: vec![dab(70)], ..stroke(&ADD, 2, &[]) }).unwrap();
    let before = pairs(canvas.model());
    change(&mut canvas, |layers| {
        assert!(layers.add_effect(Some(id), "smooth", BTreeSet::from([3])));
        layers.set_effect(Some(id), 0, "passes", 3.0)
    });
    let smoothed = pairs(canvas.model());
    assert!(smoothed != before && weights_of(&smoothed, 2) == weights_of(&before, 2));
}

//! What painting weights costs: a dab of a brush on a model of many vertices and 200 joints, at rest and while it moves; a brush over all of a
//! model; taking the brush in the hand; taking a stroke back.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use glam::DVec3;
use skinscope::deform::METHODS;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{ClipId, Model, NodeId};
use skinscope::paint::{Canvas, Centre, Dab, Distance, Posing, Stroke};
use skinscope::session::{
    Document, EditCommand, PaintCommand, PaintDab, PaintSettings, PlaybackCommand, SelectionCommand, Session,
};
use skinscope::weights::brush::{ADD, SMOOTH};
use skinscope::weights::{Brush, FALLOFFS};

/// How many vertices a ring of the limb has, and how many rings there are in a metre.
const SIDES: usize = 200;
const RINGS: f32 = 75.0;
/// A radius that holds about 2000 of them, metres.
const RADIUS: f64 = 0.36;
/// The radius of the limb, metres.
const THICK: f32 = 0.5;
/// How many dabs a stroke has.
const DABS: usize = 200;
/// The joint that is painted.
const JOINT: NodeId = NodeId(101);

fn limb(rings: usize) -> Arc<Model> {
    let length = rings as f32 / RINGS;
    Arc::new(tube(Tube { joints: 200, rings, sides: SIDES, length, radius: THICK, influences: 4 }))
}

/// A stroke whose dabs change little, so that all of them change something.
fn stroke(brush: &'static Brush, distance: Distance) -> Stroke {
    Stroke {
        brush,
        joint: Some(JOINT),
        to: None,
        value: 0.0,
        factor: 1.0,
        strength: 1e-4,
        radius: RADIUS,
        falloff: FALLOFFS[0],
        distance,
        accumulate: true,
        floor: 0.0,
        ceiling: 1.0,
        normalise: true,
        max_influences: Some(4),
        locked: BTreeSet::new(),
        with: BTreeSet::new(),
        mirror: None,
        front_faces: None,
        mask: None,
        method: METHODS[0],
        posing: Arc::new(Posing { clip: Some(ClipId(0)), ..Posing::default() }),
        dabs: Vec::new(),
    }
}

/// The place of a dab: they go along the middle of the limb.
fn place(rings: usize, step: usize) -> DVec3 {
    let middle = f64::from(rings as f32 / RINGS) / 2.0;
    DVec3::new(f64::from(THICK), middle + 0.01 * (step % DABS) as f64 - 1.0, 0.0)
}

fn dabs(c: &mut Criterion) {
    for rings in [1500, 500] {
        let model = limb(rings);
        let mut group = c.benchmark_group(format!("a dab of about 2000 of {} vertices", model.drawn_vertices()));
        for (brush, distance) in [&ADD, &SMOOTH].into_iter().flat_map(|brush| Distance::ALL.map(|d| (brush, d))) {
            for moves in [false, true] {
                let stroke = stroke(brush, distance);
                let mut canvas = Canvas::new(Arc::clone(&model));
                canvas.prepare();
                let (mut step, mut brushing) = (0_usize, None);
                let moment = if moves { "another moment each" } else { "at rest" };
                group.bench_function(format!("{}, {}, {moment}", brush.id, distance.id()), |b| {
                    b.iter(|| {
                        if step.is_multiple_of(DABS) {
                            brushing = canvas.begin(&stroke).ok();
                        }
                        step += 1;
                        // All of the clip would bend the limb into a knot.
                        let time = if moves { 0.0005 * (step % 20) as f64 } else { 0.0 };
                        let dab = Dab { at: Centre::Position(place(rings, step)), pressure: 1.0, time: Some(time) };
                        black_box(brushing.as_mut().map(|brushing| canvas.dab(brushing, &dab).is_ok()))
                    });
                });
            }
        }
        group.finish();
    }
}

fn whole(c: &mut Criterion) {
    let model = limb(5000);
    let mut group = c.benchmark_group(format!("a brush over all of {} vertices", model.drawn_vertices()));
    group.sample_size(10);
    for brush in [&ADD, &SMOOTH] {
        let stroke = Stroke { radius: f64::INFINITY, ..stroke(brush, Distance::Volume) };
        let mut canvas = Canvas::new(Arc::clone(&model));
        canvas.prepare();
        group.bench_function(brush.id, |b| b.iter(|| black_box(canvas.flood(&stroke).is_ok())));
    }
    group.finish();
}

fn entering(c: &mut Criterion) {
    let model = limb(1500);
    let mut group = c.benchmark_group(format!("taking a brush for {} vertices", model.drawn_vertices()));
    group.sample_size(10);
    group.bench_function("the canvas", |b| b.iter(|| black_box(Canvas::new(Arc::clone(&model)))));
    group.bench_function("with what the first dab needs", |b| {
        b.iter(|| {
            let canvas = Canvas::new(Arc::clone(&model));
            canvas.prepare();
            black_box(canvas)
        });
    });
    group.finish();
}

fn undo(c: &mut Criterion) {
    let rings = 1500;
    let model = limb(rings);
    let mut session = Session::default();
    session.open(Document::new(Arc::clone(&model), Vec::new(), None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::Seek(0.0));
    session.apply(SelectionCommand::Select(Some(JOINT)));
    session.apply(PaintCommand::Hold(Some(ADD.id.to_owned())));
    let settings = PaintSettings { radius: RADIUS, front_only: false, ..PaintSettings::default() };
    session.apply(PaintCommand::Set(settings));
    session.apply(EditCommand::BeginEdit);
    for step in 0..DABS {
        let position = place(rings, step).to_array();
        session.apply(PaintCommand::Dab(PaintDab { position, pressure: 1.0, flips: false, smooths: false }));
    }
    session.apply(EditCommand::EndEdit);
    assert!(session.history().can_undo(), "the stroke has changed nothing");
    let mut group = c.benchmark_group(format!("a stroke of {DABS} dabs on {} vertices", model.drawn_vertices()));
    group.bench_function("undo and redo", |b| {
        b.iter(|| {
            session.apply(EditCommand::Undo);
            session.apply(EditCommand::Redo);
        });
    });
    group.finish();
}

criterion_group!(benches, dabs, whole, entering, undo);
criterion_main!(benches);

//! What painting weights costs: a dab of a brush on a model of many vertices and 200 joints, at rest, while it moves, and in the highest of many
//! layers; a brush over all of a model; taking the brush in the hand; taking a stroke back. Dabs lie on the surface as it stands at their moment.
//! Lines of their own say the median and the 95th of a hundred of the dabs of a stroke, and the memory of the layers.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use skinscope::anim::local_to_model;
use skinscope::deform::{METHODS, VertexDeformer, pack, palettes};
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{ClipId, InstanceId, Model, NodeId};
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
/// How many layers there are where there are some.
const LAYERS: usize = 100;
/// How many moments of the clip the dabs of a stroke take in turn: all of the clip would bend the limb into a knot.
const MOMENTS: usize = 20;
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

/// The vertices at the middles of the dabs: they go along the middle of the limb, a metre to each side.
fn middles(rings: usize) -> Vec<usize> {
    let step = 2.0 * RINGS / DABS as f32;
    let ring = |dab: usize| rings as f32 / 2.0 - RINGS + step * dab as f32;
    (0..DABS).map(|dab| ring(dab) as usize * SIDES + SIDES / 4).collect()
}

/// The moment of a dab.
fn time(dab: usize, moves: bool) -> f64 {
    if moves { 0.0005 * (dab % MOMENTS) as f64 } else { 0.0 }
}

/// The dabs of a stroke, each at a vertex as it stands at its moment.
fn dabs_on(model: &Model, rings: usize, moves: bool) -> Vec<Dab> {
    let of_dab = |(dab, vertex): (usize, usize)| {
        let time = time(dab, moves);
        let pose = Posing { clip: Some(ClipId(0)), ..Posing::default() }.at(model, Some(time));
        let (mut matrices, mut joints, mut packed) = (Vec::new(), Vec::new(), Vec::new());
        local_to_model(&model.skeleton, &pose, &mut matrices);
        palettes(model, &matrices, &mut joints);
        pack(METHODS[0], &joints, &mut packed);
        let deformer = VertexDeformer::new(model, (InstanceId(0), 0), &packed, &pose.morph_weights, METHODS[0]);
        let at = Centre::Position(deformer.position(vertex).as_dvec3());
        Dab { at, pressure: 1.0, time: Some(time) }
    };
    middles(rings).into_iter().enumerate().map(of_dab).collect()
}

/// Returns a canvas, ready for dabs, with so many layers, each of which has a few dabs of its own.
fn canvas(model: &Arc<Model>, layers: usize, dabs: &[Dab]) -> Canvas {
    let mut canvas = Canvas::prepared(Arc::clone(model));
    for layer in 0..layers {
        let mut stack = canvas.layers().clone();
        stack.add("");
        assert!(canvas.set_layers(stack).is_ok(), "there is no layer {layer}");
        let own = dabs.iter().skip(layer * DABS / LAYERS).step_by(DABS / 4).cloned().collect();
        let stroke = Stroke { strength: 0.01, dabs: own, ..stroke(&ADD, Distance::Volume) };
        assert!(canvas.paint(&stroke).is_ok_and(|done| done.changed > 0), "nothing is painted in layer {layer}");
    }
    canvas
}

/// What a dab is measured with.
const CASES: [(&str, bool, usize); 3] =
    [("at rest", false, 0), ("another moment each", true, 0), ("at rest, in the highest of 100 layers", false, LAYERS)];

fn dabs(c: &mut Criterion) {
    for rings in [1500, 500] {
        let model = limb(rings);
        let mut group = c.benchmark_group(format!("a dab of about 2000 of {} vertices", model.drawn_vertices()));
        for (brush, distance) in [&ADD, &SMOOTH].into_iter().flat_map(|brush| Distance::ALL.map(|d| (brush, d))) {
            for (case, moves, layers) in CASES {
                let stroke = stroke(brush, distance);
                let dabs = dabs_on(&model, rings, moves);
                let mut canvas = canvas(&model, layers, &dabs);
                let (mut step, mut brushing) = (0_usize, None);
                group.bench_function(format!("{}, {}, {case}", brush.id, distance.id()), |b| {
                    b.iter(|| {
                        if step.is_multiple_of(DABS) {
                            brushing = canvas.begin(&stroke).ok();
                        }
                        step += 1;
                        let dab = &dabs[step % DABS];
                        black_box(brushing.as_mut().map(|brushing| canvas.dab(brushing, dab).is_ok()))
                    });
                });
            }
        }
        group.finish();
    }
}

/// Prints the median and the 95th of a hundred of the dabs of a stroke, and what the layers take.
fn spread(_: &mut Criterion) {
    for rings in [1500, 500] {
        let model = limb(rings);
        for (brush, (case, moves, layers)) in [&ADD, &SMOOTH].into_iter().flat_map(|brush| CASES.map(|c| (brush, c))) {
            let dabs = dabs_on(&model, rings, moves);
            let mut canvas = canvas(&model, layers, &dabs);
            let memory = canvas.layers().bytes();
            let Ok(mut brushing) = canvas.begin(&stroke(brush, Distance::Surface)) else { continue };
            let of_dab = |dab: &Dab| {
                let begun = Instant::now();
                let done = black_box(canvas.dab(&mut brushing, dab)).is_ok();
                (done, begun.elapsed().as_secs_f64() * 1e3)
            };
            let (done, mut taken): (Vec<bool>, Vec<f64>) = dabs.iter().map(of_dab).unzip();
            assert!(done.iter().all(|done| *done), "a dab was refused");
            taken.sort_by(f64::total_cmp);
            let [median, slow] = [50, 95].map(|part| taken[(taken.len() - 1) * part / 100]);
            let what = format!("{} vertices, {}, {case}", model.drawn_vertices(), brush.id);
            println!("{DABS} dabs, {what}: median {median:.2} ms, 95 of 100 within {slow:.2} ms");
            if layers > 0 {
                println!("{layers} layers, {what}: {:.1} MB", memory as f64 / 1e6);
            }
        }
    }
}

fn whole(c: &mut Criterion) {
    let model = limb(5000);
    let mut group = c.benchmark_group(format!("a brush over all of {} vertices", model.drawn_vertices()));
    group.sample_size(10);
    for brush in [&ADD, &SMOOTH] {
        let stroke = Stroke { radius: f64::INFINITY, ..stroke(brush, Distance::Volume) };
        let mut canvas = Canvas::prepared(Arc::clone(&model));
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
        b.iter(|| black_box(Canvas::prepared(Arc::clone(&model))));
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
    for vertex in middles(rings) {
        let position = model.meshes[0].primitives[0].positions[vertex].as_dvec3().to_array();
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

criterion_group!(benches, dabs, whole, entering, undo, spread);
criterion_main!(benches);

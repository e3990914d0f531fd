//! What dragging a vertex costs: a move with about 2000 neighbours, on a model of 300 000 vertices and 200 joints, where the vertex is held in one
//! pose and in eight; the first move of a drag, which finds what goes along; and letting the vertices be dragged. The commands are those that the
//! window gives. Lines of their own, before all else, say the median and the 95th of a hundred of the moves of a drag, and how many vertices go
//! along.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use glam::{DVec3, Vec3};
use skinscope::inspect::VertexRef;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{InstanceId, Model, NodeId};
use skinscope::session::{
    ChannelValue, Document, DragJoints, EditCommand, PaintCommand, PaintSettings, PlaybackCommand, SelectionCommand,
    Session, VertexDragCommand,
};

/// How many vertices a ring of the limb has, and how many rings there are in all and in a metre.
const SIDES: usize = 200;
const RINGS: usize = 1500;
const RINGS_PER_METRE: f32 = 75.0;
/// A radius along the surface that holds about 2000 of them, metres.
const RADIUS: f64 = 0.36;
/// The radius of the limb, metres.
const THICK: f32 = 0.5;
/// How many moves a drag has.
const MOVES: usize = 200;
/// After so many moves a drag begins anew, so that what can be undone does not fill the memory.
const MOST_MOVES: usize = 2000;
/// The joints that are bent are the one in the middle and one to each side of it.
const BENT: [NodeId; 3] = [NodeId(99), NodeId(101), NodeId(103)];

fn limb() -> Arc<Model> {
    let length = RINGS as f32 / RINGS_PER_METRE;
    Arc::new(tube(Tube { joints: 200, rings: RINGS, sides: SIDES, length, radius: THICK, influences: 4 }))
}

fn drag(session: &mut Session, command: VertexDragCommand) {
    session.apply(PaintCommand::DragVertex(command));
}

/// Bends the limb, in another way for each number.
fn bend(session: &mut Session, number: usize) {
    for (joint, node) in BENT.into_iter().enumerate() {
        let angle = |axis: usize| ((number * 7 + joint * 5 + axis * 3) % 11) as f32 * 6.0 - 30.0;
        let degrees = Vec3::new(angle(0), angle(1), angle(2));
        session.apply(EditCommand::Edit(node, ChannelValue::Rotation(degrees)));
    }
    session.apply(EditCommand::EndEdit);
    session.update_pose();
}

/// Returns a place to which the joints of the vertex can take it in the pose that is shown; a larger share is farther away.
fn place(session: &Session, share: f64) -> [f64; 3] {
    let ghosts = session.model().map(|model| session.painting().vertex_drag().ghosts(model, &session.pose().local));
    let ghosts = ghosts.unwrap_or_default();
    let middle = ghosts.iter().sum::<DVec3>() / ghosts.len().max(1) as f64;
    let far = |ghost: &&DVec3| ghost.distance(middle);
    let farthest = ghosts.iter().max_by(|a, b| far(a).total_cmp(&far(b)));
    middle.lerp(farthest.copied().unwrap_or(middle), share).to_array()
}

/// Opens the limb with a vertex in its middle that can be dragged and is held in so many poses, the last of which is shown.
fn held_in(model: &Arc<Model>, poses: usize, joints: DragJoints) -> Session {
    let mut session = Session::default();
    session.open(Document::new(Arc::clone(model), Vec::new(), None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::Seek(0.0));
    session.apply(PaintCommand::Set(PaintSettings { radius: RADIUS, ..PaintSettings::default() }));
    let vertex = VertexRef { instance: InstanceId(0), primitive: 0, vertex: RINGS / 2 * SIDES + SIDES / 4 };
    session.apply(SelectionCommand::Pin(Some(vertex)));
    drag(&mut session, VertexDragCommand::SetJoints(joints));
    drag(&mut session, VertexDragCommand::Use(true));
    for number in 0..poses {
        bend(&mut session, number);
        session.apply(EditCommand::BeginEdit);
        let to = place(&session, 0.2);
        drag(&mut session, VertexDragCommand::To(to));
        session.apply(EditCommand::EndEdit);
    }
    assert_eq!(session.painting().vertex_drag().pins().len(), poses, "the vertex is held in each pose");
    assert!(session.history().can_undo(), "dragging has changed nothing");
    // As in the window, where weights are counted in the background.
    session.defer_work();
    session
}

/// The places to which the moves of a drag lead, one after the other.
fn way(session: &Session) -> Vec<[f64; 3]> {
    (0..MOVES).map(|step| place(session, 0.1 + 0.5 * step as f64 / MOVES as f64)).collect()
}

/// What a move is measured with: the poses in which the vertex is held, and the joints among which weights are looked for.
const CASES: [(usize, DragJoints); 4] =
    [(1, DragJoints::Near), (8, DragJoints::Near), (1, DragJoints::Kept), (8, DragJoints::Kept)];

fn name(poses: usize, joints: DragJoints) -> String {
    format!("{poses} poses, joints: {}", joints.label())
}

fn moves(c: &mut Criterion) {
    let model = limb();
    let mut group = c.benchmark_group(format!("a move with about 2000 of {} vertices", model.drawn_vertices()));
    for (poses, joints) in CASES {
        let mut session = held_in(&model, poses, joints);
        let way = way(&session);
        let mut step = 0_usize;
        session.apply(EditCommand::BeginEdit);
        group.bench_function(name(poses, joints), |b| {
            b.iter(|| {
                if step.is_multiple_of(MOST_MOVES) {
                    session.apply(EditCommand::CancelEdit);
                    session.apply(EditCommand::BeginEdit);
                }
                step += 1;
                drag(&mut session, VertexDragCommand::To(way[step % MOVES]));
                black_box(session.painting().vertex_drag().pins().len())
            });
        });
        session.apply(EditCommand::EndEdit);
    }
    group.finish();
}

/// Prints the median and the 95th of a hundred of the moves of a drag, without the first one.
fn spread(_: &mut Criterion) {
    let model = limb();
    for (poses, joints) in CASES {
        let mut session = held_in(&model, poses, joints);
        let way = way(&session);
        session.apply(EditCommand::BeginEdit);
        let mut taken: Vec<f64> = way
            .iter()
            .map(|to| {
                let begun = Instant::now();
                drag(&mut session, VertexDragCommand::To(*to));
                begun.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        let along = session.model().map_or(0, |model| model.weight_edits().count(model));
        session.apply(EditCommand::EndEdit);
        assert!(session.painting().note().is_none(), "a move was refused");
        let first = taken.remove(0);
        taken.sort_by(f64::total_cmp);
        let [median, slow] = [50, 95].map(|part| taken[(taken.len() - 1) * part / 100]);
        let what = format!("{along} of {} vertices, {}", model.drawn_vertices(), name(poses, joints));
        println!(
            "{MOVES} moves, {what}: median {median:.2} ms, 95 of 100 within {slow:.2} ms, the first {first:.1} ms"
        );
    }
}

fn beginning(c: &mut Criterion) {
    let model = limb();
    let mut group = c.benchmark_group(format!("beginning to drag a vertex of {}", model.drawn_vertices()));
    group.sample_size(10);
    let mut session = held_in(&model, 1, DragJoints::Near);
    let to = place(&session, 0.3);
    group.bench_function("the first move", |b| {
        b.iter(|| {
            session.apply(EditCommand::BeginEdit);
            drag(&mut session, VertexDragCommand::To(to));
            session.apply(EditCommand::CancelEdit);
        });
    });
    group.bench_function("letting vertices be dragged", |b| {
        b.iter(|| {
            drag(&mut session, VertexDragCommand::Use(false));
            drag(&mut session, VertexDragCommand::Use(true));
        });
    });
    group.finish();
}

criterion_group!(benches, spread, moves, beginning);
criterion_main!(benches);

//! Compares range of motion with closed forms, and its results for any number of threads.

use skinscope_base::math::WeldRule;
use skinscope_deform::{METHODS, MeshTopology, method};
use skinscope_model::test_shapes::{Tube, tube};

use super::*;

fn report(model: &Model, options: RomOptions) -> RomReport {
    run(model, &plan(model, &options), METHODS[0], &|_| {}, &AtomicBool::new(false)).unwrap()
}

#[test]
fn a_bent_tube_is_the_same_for_any_number_of_threads() {
    let model = tube(Tube { joints: 5, rings: 41, sides: 16, influences: 4, ..Tube::default() });
    for clips in [false, true] {
        let plan = plan(&model, &RomOptions { clips, ..RomOptions::default() });
        let cancel = &AtomicBool::new(false);
        let stop = Stop { cancel, until: None };
        let of = |threads| run_on(threads, &model, &plan, METHODS[0], &|_| {}, &stop).unwrap();
        let one = of(1);
        assert!(clips || !one.findings.is_empty());
        assert!(one.poses > 10 && one.driven > 0, "{} poses of {} joints", one.poses, one.driven);
        for threads in [2, 3, 16] {
            assert_eq!(of(threads), one);
        }
    }
}

/// Makes the tube of two joints with these weights of the upper one, by ring.
fn weighted(rings: usize, upper: &dyn Fn(usize) -> f32) -> Model {
    let sides = 12;
    let mut parts = (*tube(Tube { joints: 2, rings, sides, length: 2.0, radius: 0.25, influences: 2 })).clone();
    let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    for vertex in 0..rings * sides {
        let weight = upper(vertex / sides);
        let at = vertex * influences.per_vertex;
        influences.joints[at..at + 2].copy_from_slice(&[0, 1]);
        influences.weights[at..at + 2].copy_from_slice(&[1.0 - weight, weight]);
    }
    Model::build(parts).unwrap()
}

/// With weights of ½ everywhere linear blending moves the tube by (I + R) / 2: whatever the axis, both directions across
/// it shrink by cos(θ/2), so the volume shrinks by its square.
#[test]
fn half_weights_lose_the_volume_of_the_closed_form() {
    let model = weighted(9, &|_| 0.5);
    let out = report(&model, RomOptions { degrees: 75.0, step_degrees: 75.0, ..RomOptions::default() });
    let [finding] = &out.findings[..] else { panic!("{:?}", out.findings) };
    assert_eq!((finding.rule, finding.joints.as_slice()), ("rom-volume", &[NodeId(2)][..]));
    let half_cosine = 37.5_f64.to_radians().cos();
    let change = 100.0 * (half_cosine * half_cosine - 1.0);
    let measure = finding.measure.unwrap();
    assert!((measure.value - change).abs() < 1e-3 && measure.unit == "%", "{measure:?}");
    let FindingPose::Turned { joint, angle, .. } = finding.pose else { panic!("{:?}", finding.pose) };
    assert_eq!((joint, angle.abs()), (NodeId(2), 75.0_f32.to_radians()));
    assert_eq!(finding.vertices, (0..108).collect::<Vec<_>>());
    // The root moves everything, and so does the first joint with the second below it: neither changes its shape.
    assert_eq!((out.driven, out.poses), (2, 12));
}

/// At the limit of 180° the half-weighted ring of a twisted tube has no radius left: cos(90°). Dual quaternions keep it.
#[test]
fn the_candy_wrapper_is_found_and_dual_quaternions_have_none() {
    let model = weighted(9, &|ring| (ring as f32 - 3.0).clamp(0.0, 2.0) / 2.0);
    let plan = plan(&model, &RomOptions { degrees: 180.0, step_degrees: 180.0, ..RomOptions::default() });
    let of = |method| run(&model, &plan, method, &|_| {}, &AtomicBool::new(false)).unwrap().findings;
    let twisted = |f: &&Finding| matches!(f.pose, FindingPose::Turned { axis: Vec3::Y, .. });
    let linear = of(METHODS[0]);
    let crushed = linear.iter().find(|f| f.rule == "rom-area").unwrap();
    assert!(crushed.measure.unwrap().value < 100.0, "{crushed:?}");
    assert!(linear.iter().any(|f| f.rule == "rom-volume"));
    assert!(of(method("dual-quaternion").unwrap()).iter().filter(twisted).all(|f| f.rule != "rom-volume"));
}

#[test]
fn what_no_joint_bends_has_no_findings() {
    let rigid = weighted(9, &|_| 1.0);
    assert_eq!(report(&rigid, RomOptions { degrees: 180.0, ..RomOptions::default() }).findings, []);
    let bare = Model::build(skinscope_model::ModelParts::default()).unwrap();
    for clips in [false, true] {
        let out = report(&bare, RomOptions { clips, ..RomOptions::default() });
        assert_eq!(out, RomReport { clips, ..RomReport::default() });
    }
}

/// One vertex of the lowest ring hangs on the upper joint: turned by θ about an axis through that joint's head, it goes
/// away from its neighbours by the chord.
#[test]
fn a_vertex_on_the_wrong_joint_tears_at_the_limit() {
    let mut parts = (*weighted(9, &|ring| if ring > 4 { 1.0 } else { 0.0 })).clone();
    let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    influences.weights[..2].copy_from_slice(&[0.0, 1.0]);
    let model = Model::build(parts).unwrap();
    let out = report(&model, RomOptions::default());
    let torn = out.findings.iter().find(|f| f.rule == "rom-stretch").unwrap();
    // Vertex 0 stands at (0, 0, ¼), the joint's head at (0, 1, 0). About Z it comes to (1, 1, ¼), about X to
    // (0, ¾, −1) or (0, 5/4, 1); its neighbours are vertices 1, 11, 12 and 23 of the sheet.
    let at = |v: usize| model.meshes[0].primitives[0].positions[v];
    let from = at(0);
    let positions = [Vec3::new(1.0, 1.0, 0.25), Vec3::new(0.0, 0.75, -1.0), Vec3::new(0.0, 1.25, 1.0)];
    let ratio = |to: Vec3, v: usize| at(v).distance(to) / at(v).distance(from);
    let neighbours = [1, 11, 12, 23];
    let most = positions.iter().flat_map(|to| neighbours.map(|v| ratio(*to, v))).fold(0.0, f32::max);
    assert!((torn.measure.unwrap().value - f64::from(most)).abs() < 1e-4, "{torn:?} for {most}");
    assert!(torn.vertices.starts_with(&[0, 1]) && torn.message.contains("\"joint 1\""), "{torn:?}");
}

#[test]
fn limits_are_reached_in_steps_and_the_least_angle_comes_first() {
    let model = weighted(9, &|_| 0.5);
    let options = RomOptions { degrees: 50.0, step_degrees: 20.0, ..RomOptions::default() };
    let plan = plan(&model, &options);
    let angles = (0..plan.drives[0].poses).map(|i| match plan.pose(&plan.drives[0], i) {
        FindingPose::Turned { angle, .. } => angle.to_degrees().round(),
        other => panic!("{other:?}"),
    });
    assert_eq!(angles.step_by(3).collect::<Vec<_>>(), [20.0, -20.0, 40.0, -40.0, 50.0, -50.0]);
    let silly = RomOptions { degrees: f32::NAN, step_degrees: 0.0, ..options }.clamped();
    assert_eq!((silly.degrees, silly.step_degrees), (90.0, 1.0));
}

#[test]
fn clips_are_measured_at_thirty_poses_a_second_and_long_ones_less_often() {
    let model = tube(Tube::default());
    let clips = RomOptions { clips: true, ..RomOptions::default() };
    let short = plan(&model, &clips);
    assert_eq!((short.len(), short.poses()), (1, 31));
    let last = FindingPose::Clip { clip: ClipId(0), time_secs: 1.0 };
    assert_eq!(short.pose(&short.drives[0], 30), last);
    let mut parts = (*model).clone();
    parts.clips[0].times[0][2] = 1e30;
    parts.clips[0].end_secs = 1e30;
    assert_eq!(plan(&Model::build(parts).unwrap(), &clips).poses(), MOST_MOMENTS + 1);
}

#[test]
fn progress_rises_to_the_end_and_a_cancelled_run_has_no_report() {
    let model = weighted(9, &|_| 0.5);
    let plan = plan(&model, &RomOptions::default());
    let heard = Mutex::new(Vec::new());
    let progress = |fraction| heard.lock().unwrap().push(fraction);
    let cancel = AtomicBool::new(false);
    let unhurried = Stop { cancel: &cancel, until: None };
    assert!(run_on(1, &model, &plan, METHODS[0], &progress, &unhurried).is_some());
    let heard = heard.into_inner().unwrap();
    assert!(heard.is_sorted() && heard.len() == plan.poses() + 1 && heard.last() == Some(&1.0));
    let stop = |_| cancel.store(true, Ordering::Relaxed);
    assert_eq!(run_on(2, &model, &plan, METHODS[0], &stop, &unhurried), None);
}

#[test]
fn a_run_that_is_out_of_time_says_so_and_one_with_time_enough_is_as_without_a_limit() {
    let model = tube(Tube { joints: 5, rings: 41, sides: 16, influences: 4, ..Tube::default() });
    let (plan, cancel) = (plan(&model, &RomOptions::default()), AtomicBool::new(false));
    let within =
        |until| run_until(&model, &plan, METHODS[0], &|_| {}, &Stop { cancel: &cancel, until: Some(until) }).unwrap();
    let late = within(Instant::now());
    assert_eq!((late.poses, late.planned, late.is_complete()), (0, plan.poses(), false));
    assert!(late.findings.is_empty());
    let in_time = within(Instant::now() + Duration::from_secs(3600));
    assert!(in_time.is_complete() && in_time.poses == plan.poses());
    assert_eq!(Some(in_time), run(&model, &plan, METHODS[0], &|_| {}, &cancel));
}

#[test]
fn what_ran_out_of_time_does_not_say_that_it_is_at_its_end() {
    let model = tube(Tube { joints: 5, rings: 400, sides: 200, influences: 4, ..Tube::default() });
    let plan = plan(&model, &RomOptions { degrees: 180.0, step_degrees: 1.0, ..RomOptions::default() });
    let (cancel, ended) = (AtomicBool::new(false), AtomicBool::new(false));
    let progress = |fraction: f32| _ = ended.fetch_or(fraction >= 1.0, Ordering::Relaxed);
    let until = Some(Instant::now() + Duration::from_millis(400));
    let late = run_until(&model, &plan, METHODS[0], &progress, &Stop { cancel: &cancel, until }).unwrap();
    assert!(!late.is_complete() && !ended.load(Ordering::Relaxed), "{} of {} poses", late.poses, late.planned);
}

/// Fifty thousand joints that are turned in steps of one degree have 54 million poses, which nobody writes down beforehand.
#[test]
fn a_plan_takes_no_memory_for_its_poses() {
    let model = tube(Tube { joints: 4, ..Tube::default() });
    let fine = plan(&model, &RomOptions { degrees: 180.0, step_degrees: 1.0, ..RomOptions::default() });
    assert_eq!((fine.len(), fine.poses()), (4, 4 * 3 * 360));
    assert_eq!((fine.drives.capacity().max(fine.drives.len()) <= 8, fine.turns.len()), (true, 360));
}

#[test]
fn a_sheet_is_given_up_soon_after_nobody_wants_it() {
    let model = tube(Tube { joints: 2, rings: 400, sides: 400, ..Tube::default() });
    let p = &model.meshes[0].primitives[0];
    let asked = std::cell::Cell::new(0);
    let topology = |stop: &dyn Fn() -> bool| MeshTopology::of_primitive(p, WeldRule::Exact, stop);
    let whole = topology(&|| {
        asked.set(asked.get() + 1);
        false
    });
    assert_eq!(whole.unwrap().triangles.len(), p.indices.len() / 3);
    // The run can be cancelled at each of these questions.
    let questions = asked.get();
    assert!(questions >= 20, "{questions}");
    for give_up in 1..=questions {
        asked.set(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() == give_up
        };
        assert!(topology(&stop).is_none(), "{give_up}");
        assert_eq!(asked.get(), give_up);
    }
}

/// Below a node that is three times as wide as high, what stood upright is three times as long once it is turned over.
#[test]
fn uneven_scale_above_a_joint_changes_all_that_hangs_on_it() {
    let mut parts = (*weighted(9, &|_| 0.0)).clone();
    parts.skeleton.rest.transforms[0].scale = Vec3::new(3.0, 1.0, 1.0);
    let model = Model::build(parts).unwrap();
    let out = report(&model, RomOptions::default());
    let found = out.findings.iter().find(|f| f.rule == "rom-stretch").unwrap();
    assert_eq!(found.joints, [NodeId(1)]);
    assert!((found.measure.unwrap().value - 3.0).abs() < 1e-4, "{found:?}");
    let FindingPose::Turned { axis, angle, .. } = found.pose else { panic!("{:?}", found.pose) };
    assert_eq!((axis, angle.abs()), (Vec3::Z, 90.0_f32.to_radians()));
}

/// Three joints bend a tube: the sharper the weights change at a joint, the more is crushed there. The list has the joints
/// in that order, and says how many there would be.
#[test]
fn the_worst_come_first_and_the_list_says_how_many_there_are() {
    let model = tube(Tube { joints: 4, rings: 33, sides: 12, influences: 1, ..Tube::default() });
    let all = report(&model, RomOptions { worst: 100, ..RomOptions::default() }).findings;
    let of = |findings: &[Finding], rule: &str| -> Vec<Finding> {
        findings.iter().filter(|f| f.rule == rule).cloned().collect()
    };
    let stretched = of(&all, "rom-stretch");
    let values: Vec<f64> = stretched.iter().map(|f| f.measure.unwrap().value).collect();
    assert!(values.len() == 3 && values.is_sorted_by(|a, b| a >= b), "{values:?}");
    let few = of(&report(&model, RomOptions { worst: 1, ..RomOptions::default() }).findings, "rom-stretch");
    assert_eq!(few, stretched[..1]);
    assert!(few[0].message.ends_with("The worst of 3 such places."), "{}", few[0].message);
    assert!(stretched[1].message.ends_with("Number 2 of 3 such places."));
}

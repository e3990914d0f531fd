//! Tests of the benchmark.

use skinscope_anim as anim;
use skinscope_deform as deform;
use skinscope_model::ModelParts;
use skinscope_model::test_shapes::{Tube, tube};

use super::*;

pub(super) fn posed(model: &Model) -> Vec<Affine3A> {
    let mut local = model.skeleton.rest.clone();
    for (i, t) in local.transforms.iter_mut().enumerate() {
        t.rotation = glam::Quat::from_rotation_x(0.2 * i as f32);
    }
    let (mut nodes, mut palette) = (Vec::new(), Vec::new());
    anim::local_to_model(&model.skeleton, &local, &mut nodes);
    deform::palettes(model, &nodes, &mut palette);
    palette
}

#[test]
fn both_ways_of_each_claim_give_the_same_and_are_those_of_the_program() {
    let model = tube(Tube { joints: 5, rings: 12, influences: 3, ..Tube::default() });
    let palette = posed(&model);
    let benchmark = Benchmark::of(&model, (&palette, &[]), &AtomicBool::new(false)).unwrap();
    assert_eq!(benchmark.measured.len(), 4);
    for one in &benchmark.measured {
        let most = if one.id == "inverse-root" { 0.002 } else { 2e-6 };
        assert!(one.apart < most, "{}: {}", one.id, one.apart);
        assert!(one.ratio.is_sorted() && one.ratio[0] > 0.0 && one.secs.iter().all(|s| *s > 0.0), "{one:?}");
    }
    // The fast root is not the exact one.
    assert!(benchmark.measured[3].apart > 1e-4);
    // The plain loop puts vertices where the program's definition does.
    let vertices = Vertices::of(&model);
    let mut out = vec![[Vec3::ZERO; 2]; vertices.at.len()];
    vertices.by_vertex(&rows(&palette), &mut out);
    for (v, [position, _]) in out.iter().enumerate() {
        let (joints, weights) = model.meshes[0].primitives[0].stored_influences.as_ref().unwrap().of(v);
        let at = model.meshes[0].primitives[0].positions[v].as_dvec3();
        let wanted: glam::DVec3 = joints
            .iter()
            .zip(weights)
            .map(|(j, w)| {
                let matrix = glam::DAffine3::from_cols_array(&palette[usize::from(*j)].to_cols_array().map(f64::from));
                matrix.transform_point3(at) * f64::from(*w)
            })
            .sum();
        assert!(position.as_dvec3().distance(wanted) < 1e-5, "{v}");
    }
}

#[test]
fn rigid_and_blended_are_counted_as_in_closed_form() {
    // One joint for each vertex: all follow one alone. Rings of one joint make whole triangles, the rings between two do not.
    let model = tube(Tube { joints: 3, rings: 9, sides: 10, influences: 1, ..Tube::default() });
    let vertices = Vertices::of(&model);
    assert_eq!((vertices.rigid.len(), vertices.blended.len()), (90, 0));
    assert_eq!(vertices.triangles, [(8 - 2) * 20, 2 * 20]);
    assert_eq!(vertices.draw_calls, [1, 3 + 1], "a call for each joint, and one for the rings between two");
    // Two joints for each: weights of exactly one do not occur.
    let model = tube(Tube { joints: 3, rings: 9, sides: 10, influences: 2, ..Tube::default() });
    let vertices = Vertices::of(&model);
    assert_eq!((vertices.rigid.len(), vertices.blended.len()), (0, 90));
    assert_eq!(vertices.triangles, [0, 8 * 20]);
    assert_eq!(vertices.draw_calls, [1, 1], "nothing can be parted");
    assert_eq!(vertices.by_joint.iter().map(Vec::len).sum::<usize>(), 180, "each pair once");
}

#[test]
fn both_buffers_take_turns_on_a_device_and_what_cannot_be_measured_says_why() {
    let model = tube(Tube::default());
    let goes_on = AtomicBool::new(false);
    let mut benchmark = Benchmark::of(&model, (&posed(&model), &[]), &goes_on).unwrap();
    // The uniform buffer of this device takes twice the time of the storage buffer.
    let mut asked = Vec::new();
    let mut secs = |buffer, times| {
        asked.push((buffer, times));
        Ok(if buffer == PaletteBuffer::Uniform { 2e-4 } else { 1e-4 })
    };
    let device = BuffersOnDevice { name: "a device".to_owned(), apart: 0.0, secs: &mut secs };
    benchmark.compare_buffers(Ok(device), &goes_on).unwrap();
    let row = benchmark.measured.last().unwrap();
    assert_eq!((row.id, row.secs), ("buffers", [2e-4, 1e-4]));
    assert!(row.ratio.iter().all(|ratio| (ratio - 2.0).abs() < 1e-12), "{row:?}");
    assert_eq!(
        row.times_text(),
        "200.0 µs against 100.0 µs for all vertices, in the turn with the median ratio, on a device; both results are the same"
    );
    // They take turns, and each turn takes about the same time.
    assert_eq!(asked.len(), 2 + 2 * ROUNDS);
    assert!(asked[2..].chunks(2).all(|turn| turn == [(PaletteBuffer::Uniform, 20), (PaletteBuffer::Storage, 40)]));
    // A device that fails while it measures is no other than one that is not there.
    let before = benchmark.measured.len();
    let mut fails = |_, _| Err("the device was lost".to_owned());
    let lost = BuffersOnDevice { name: String::new(), apart: 0.0, secs: &mut fails };
    benchmark.compare_buffers(Ok(lost), &goes_on).unwrap();
    benchmark.compare_buffers(Err("there is none".to_owned()), &goes_on).unwrap();
    assert_eq!(benchmark.measured.len(), before);
    let said: Vec<String> = benchmark.not_measured.iter().map(NotMeasured::text).collect();
    assert_eq!(said, ["not measured: the device was lost", "not measured: there is none"]);
    let mut secs = |_, _| Ok(1e-4);
    let device = BuffersOnDevice { name: String::new(), apart: 0.0, secs: &mut secs };
    assert_eq!(benchmark.compare_buffers(Ok(device), &AtomicBool::new(true)), None);
}

#[test]
fn the_processor_and_a_device_take_turns() {
    let model = tube(Tube::default());
    let goes_on = AtomicBool::new(false);
    let mut benchmark = Benchmark::of(&model, (&posed(&model), &[]), &goes_on).unwrap();
    let turns = std::cell::RefCell::new(Vec::new());
    let mut processor = |times| {
        turns.borrow_mut().push((0, times));
        3e-4
    };
    let mut device = |times| {
        turns.borrow_mut().push((1, times));
        Ok(1e-4)
    };
    let name = "two cores and a device".to_owned();
    let both = ProcessorAndDevice {
        name,
        apart: 2e-6,
        from_exact: [1e-7, 2e-6],
        processor: &mut processor,
        device: &mut device,
    };
    benchmark.compare_device(Ok(both), &goes_on).unwrap();
    let row = benchmark.measured.last().unwrap();
    assert_eq!((row.id, row.secs, row.apart), ("device", [3e-4, 1e-4], 2e-6));
    assert_eq!(row.from_exact, Some([1e-7, 2e-6]));
    assert!(row.ratio.iter().all(|ratio| (ratio - 3.0).abs() < 1e-12), "{row:?}");
    assert!(turns.borrow()[2..].chunks(2).all(|turn| turn == [(0, 13), (1, 40)]), "{turns:?}");
    benchmark.compare_device(Err("there is none".to_owned()), &goes_on).unwrap();
    assert_eq!(benchmark.not_measured.last().map(|row| (row.id, row.text())), {
        Some(("device", "not measured: there is none".to_owned()))
    });
}

#[test]
fn the_report_has_the_counts_of_the_shape_and_the_bytes_of_its_matrices() {
    // Four pairs are stored for each vertex, of which one or two are used.
    // One joint for each vertex: all of 90 are rigid, and the triangles between two joints' rings are not.
    let model = tube(Tube { joints: 3, rings: 9, sides: 10, influences: 1, ..Tube::default() });
    let rigid = Benchmark::of(&model, (&posed(&model), &[]), &AtomicBool::new(false)).unwrap();
    assert_eq!((rigid.vertices, rigid.triangles, rigid.per_vertex), ([90, 0], [120, 40], 4));
    let model = tube(Tube { joints: 3, rings: 9, sides: 10, influences: 2, ..Tube::default() });
    let blended = Benchmark::of(&model, (&posed(&model), &[]), &AtomicBool::new(false)).unwrap();
    assert_eq!((blended.vertices, blended.triangles, blended.per_vertex), ([0, 90], [0, 160], 4));
    // Three rows of four numbers of four bytes, and four rows.
    let bytes = |rows: usize| 3 * rows * 4 * size_of::<f32>();
    assert_eq!(rigid.palette, (3, [bytes(3), bytes(4)]));
    assert_eq!(
        rigid.counts(),
        [
            "vertices of skins: 90 of 90 follow one joint alone (100.0 %); 4 pairs of joint and weight for each",
            "triangles of skins: 120 of 160 follow one joint alone (75.0 %)",
            "draw calls of skins: 1 as they are; 4 with what follows one joint parted, one for each joint and one for what is blended",
            "palette: 3 matrices, 144 bytes as 3×4, 192 as 4×4",
        ]
    );
}

#[test]
fn the_partition_is_that_of_the_overlay() {
    // One joint moves the first vertices by a weight below one, and a part without a skin stands beside them.
    let model = tube(Tube { joints: 3, rings: 9, sides: 10, influences: 1, ..Tube::default() });
    let mut parts = ModelParts::clone(&model);
    parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().weights[0] = 0.5;
    let mut alone = parts.instances[0].clone();
    alone.skin = None;
    parts.instances.push(alone);
    let model = Model::build(parts).unwrap();
    let palette = posed(&model);
    let benchmark = Benchmark::of(&model, (&palette, &[]), &AtomicBool::new(false)).unwrap();
    let overlay = WeightStats::of(&model);
    assert_eq!(benchmark.vertices, [overlay.by_influences[1], overlay.by_influences[2..].iter().sum()]);
    assert_eq!((benchmark.vertices, benchmark.unskinned), ([90, 0], 90));
    assert!(benchmark.counts()[0].ends_with("90 more lie in parts without a skin"), "{:?}", benchmark.counts());
    // What one joint moves by a weight below one is moved alike in both ways.
    assert_eq!(benchmark.measured[0].apart, 0.0);
}

#[test]
fn a_ratio_says_which_way_is_faster_and_its_times_are_of_one_turn() {
    let measured = |ratio: [f64; 5]| Measured {
        id: "loops",
        ways: ["joint by joint", "vertex by vertex"],
        claim: "",
        secs: [2e-4, 1e-4],
        ratio,
        apart: 0.0,
        from_exact: Some([1e-7, 2e-7]),
        runs_on: "one core".to_owned(),
    };
    let second = measured([1.0, 1.5, 2.0, 2.5, 4.0]);
    assert_eq!(second.better(), Some(1));
    assert_eq!(
        second.ratio_text(),
        "faster: vertex by vertex, 2.00 times as fast (half of all turns 1.50–2.50, all 1.00–4.00)"
    );
    let first = measured([0.25, 0.4, 0.5, 0.8, 1.0]);
    assert_eq!(
        first.ratio_text(),
        "faster: joint by joint, 2.00 times as fast (half of all turns 1.25–2.50, all 1.00–4.00)"
    );
    let of_first = (first.verdict_text(), first.spread_text());
    assert_eq!(of_first.0, "faster: joint by joint, 2.00 times as fast");
    assert_eq!(of_first.1, "half of all turns 1.25–2.50, all 1.00–4.00");
    let none = measured([0.5, 0.9, 0.97, 1.1, 2.0]);
    assert_eq!(none.better(), None);
    assert!(none.ratio_text().starts_with("neither is faster for certain: the second is 0.97 times"), "{none:?}");
    assert!(second.times_text().ends_with("the same, and 1.0e-7 and 2.0e-7 m from double precision"));
    // The times of one turn have its ratio, however the others went: the medians of each way alone would have another.
    let mut turn = 0_usize;
    let mut secs = |way, _| {
        turn += 1;
        Ok::<_, Infallible>([(turn * 7 % 13 + 1) as f64, (turn * 5 % 11 + 1) as f64][way])
    };
    let Ok(spread) = in_turns(&mut secs, &AtomicBool::new(false));
    let (times, ratio) = spread.unwrap();
    assert_eq!(times[0] / times[1], ratio[2]);
}

#[test]
fn the_spread_of_a_ratio_has_its_quartiles() {
    // The second way always takes a second; the first takes 1 to 17 seconds, in no order.
    let mut turn = 0_usize;
    let mut asked = 0;
    let mut secs = |way, _| {
        asked += 1;
        if way == 1 || asked <= 2 {
            return Ok::<_, Infallible>(1.0);
        }
        turn += 1;
        Ok((turn * 7 % ROUNDS + 1) as f64)
    };
    let Ok(spread) = in_turns(&mut secs, &AtomicBool::new(false));
    let ([first, second], ratio) = spread.unwrap();
    // By counting: a quarter of the turns is below the lower quartile, half below the median, three quarters below the upper one.
    let all: Vec<f64> = (1..=ROUNDS).map(|n| n as f64).collect();
    let below = |r: f64| all.iter().filter(|one| **one < r).count();
    assert_eq!(ratio.map(below), [0, 4, 8, 12, 16], "{ratio:?}");
    assert_eq!([first, second], [9.0, 1.0]);
}

#[test]
fn it_can_be_cancelled() {
    let model = tube(Tube::default());
    assert_eq!(Benchmark::of(&model, (&posed(&model), &[]), &AtomicBool::new(true)), None);
}

#[test]
fn it_tells_which_parts_are_done() {
    let (model, told) = (tube(Tube::default()), std::cell::RefCell::new(Vec::new()));
    let tell = |parts| told.borrow_mut().push(parts);
    assert!(Benchmark::of_telling(&model, (&posed(&model), &[]), &AtomicBool::new(false), &tell).is_some());
    assert_eq!(told.into_inner(), (1..Benchmark::PARTS).collect::<Vec<_>>(), "the device's part comes after them");
}

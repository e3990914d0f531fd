//! Tests of what runtimes make of weights.

use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{MeshId, WeightChange};

use super::*;

#[test]
fn packings_are_read_by_name_or_number_and_written_so() {
    for runtime in RUNTIMES {
        assert_eq!(Packing::parse(runtime.id), Some(runtime.packing), "{}", runtime.id);
        assert_eq!(Packing::parse(&runtime.packing.id()), Some(runtime.packing), "{}", runtime.id);
    }
    let own = Packing::of(3, Some(WeightFormat::U16), Some(64));
    assert_eq!((Packing::parse("3:u16:64"), own.id()), (Some(own), "3:u16:64".to_owned()));
    assert_eq!(Packing::parse("6"), Some(Packing::of(6, None, None)));
    for text in ["", "0", "65", "4:u7", "4:u8:0", "4:u8:9:1", "unity", "four", "4:"] {
        assert_eq!(Packing::parse(text), None, "{text}");
    }
}

fn made(model: &Model, packing: &str) -> (Model, PackedFigures) {
    packed(model, Packing::parse(packing).unwrap(), &JobContext::of_waiting()).unwrap()
}

#[test]
fn bits_of_a_vertex_are_those_of_the_formulas() {
    // Joints of a skin, packing, and then what the formulas say: index, all, last weight implied, count.
    for (joints, packing, want) in [
        (12, "4xu8", [8, 64, 56, 2]),
        (12, "8xu8", [8, 128, 120, 3]),
        (256, "4xu8", [8, 64, 56, 2]),
        (257, "4xu8", [16, 96, 88, 2]),
        (12, "unreal-12", [8, 192, 184, 4]),
        (12, "4:u16", [8, 96, 80, 2]),
        (12, "bevy", [8, 160, 128, 2]),
        (12, "unity-1", [8, 40, 8, 0]),
        (12, "3:u8", [8, 48, 40, 2]),
    ] {
        let model = tube(Tube { joints, ..Tube::default() });
        let figures = made(&model, packing).1;
        let got = [figures.index_bits, figures.vertex_bits, figures.implied_bits, figures.count_bits];
        assert_eq!(got, want, "{joints} joints, {packing}");
        let runtime = Packing::parse(packing).unwrap();
        let weight = want[1] / runtime.influences - want[0];
        let i = model.influences(MeshId(0), 0).unwrap();
        let stored = model.meshes[0].primitives[0].stored_vertices;
        let bits = |v: usize| {
            let used = i.used(v).min(runtime.influences);
            want[3] + used * want[0] + (used - 1) * weight
        };
        let mean = (0..stored).map(bits).sum::<usize>() as f64 / stored as f64;
        assert!(
            (figures.counted_bits - mean).abs() < 1e-9,
            "{joints} joints, {packing}: {} {mean}",
            figures.counted_bits
        );
        assert!(figures.counted_bits <= (want[2] + want[3]) as f64);
    }
}

/// A tube of which vertex 5 sums to 0.6, vertex 6 has weights in two sets and vertex 7 has none.
fn uneven() -> Model {
    let model = tube(Tube { joints: 12, ..Tube::default() });
    let mut change = WeightChange::new(MeshId(0), 0, 8);
    change.push(5, &[1, 2], &[0.45, 0.15]);
    change.push(6, &[1, 2, 3, 4, 5], &[0.1, 0.1, 0.1, 0.1, 0.6]);
    change.push(7, &[4], &[0.0]);
    model.with_weights(&[change]).unwrap()
}

#[test]
fn runtimes_divide_by_sums_and_read_sets_as_their_sources_say() {
    let model = uneven();
    let of = |model: &Model, vertex: usize| {
        let (joints, weights) = model.influences(MeshId(0), 0).unwrap().of(vertex);
        let used = joints.iter().zip(weights).filter(|(_, w)| **w != 0.0);
        used.map(|(joint, weight)| (*joint, (f64::from(*weight) * 1e5).round() / 1e5)).collect::<Vec<_>>()
    };
    // Weights of vertex 5 and 7, the joint with most of vertex 6, and how many vertices are divided by their sum.
    let (as_is, whole) = (vec![(1, 0.45), (2, 0.15)], vec![(1, 0.75), (2, 0.25)]);
    let first_set = vec![(1, 0.25), (2, 0.25), (3, 0.25), (4, 0.25)];
    for (runtime, five, seven, six, normalised) in [
        ("three", &whole, vec![(4, 1.0)], first_set.clone(), 3),
        ("unity-4", &whole, vec![], first_set.clone(), 2),
        ("vtk", &whole, vec![], first_set.clone(), 2),
        ("unity-1", &vec![(1, 1.0)], vec![], vec![(1, 1.0)], 2),
        ("bevy", &as_is, vec![], vec![(1, 0.1), (2, 0.1), (3, 0.1), (4, 0.1)], 0),
        ("8:f32", &as_is, vec![], vec![(1, 0.1), (2, 0.1), (3, 0.1), (4, 0.1), (5, 0.6)], 0),
    ] {
        let (packed, figures) = made(&model, runtime);
        assert_eq!((&of(&packed, 5), of(&packed, 7), of(&packed, 6)), (five, seven, six), "{runtime}");
        assert_eq!(figures.normalised, normalised, "{runtime}");
        // The first set of vertex 6 has 0.4 of its weight.
        let loses = figures.losing > 0 && figures.largest_loss > 0.59;
        assert_eq!(loses, runtime != "8:f32", "{runtime}: {figures:?}");
    }
    let (packed, _) = made(&model, "unreal-8");
    assert_eq!(of(&packed, 5).iter().map(|(_, weight)| (weight * 255.0).round()).sum::<f64>(), 255.0);
}

/// A tube with weights in integers, of which vertex 5 has these numbers.
fn of_integers(format: WeightFormat, numbers: [u32; 4]) -> Model {
    let one = format.one().unwrap() as f32;
    let mut parts = (*tube(Tube { joints: 12, ..Tube::default() })).clone();
    let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    (influences.format, influences.formats) = (format, Vec::new());
    influences.weights.iter_mut().for_each(|weight| *weight = (*weight * one).round() / one);
    let start = 5 * influences.per_vertex;
    for (slot, number) in numbers.into_iter().enumerate() {
        influences.joints[start + slot] = slot as u16 + 1;
        influences.weights[start + slot] = number as f32 / one;
    }
    Model::build(parts).unwrap()
}

#[test]
fn what_three_stores_in_integers_is_rounded_each_for_itself() {
    for (format, numbers, want) in [
        (WeightFormat::U8, [127, 127, 0, 0], [128, 128, 0, 0]),
        (WeightFormat::U8, [85, 85, 86, 0], [85, 85, 86, 0]),
        (WeightFormat::U8, [1, 1, 1, 0], [85, 85, 85, 0]),
        (WeightFormat::U8, [100, 100, 100, 0], [85, 85, 85, 0]),
        (WeightFormat::U8, [3, 3, 1, 0], [109, 109, 36, 0]),
        (WeightFormat::U8, [5, 5, 5, 5], [64, 64, 64, 64]),
        (WeightFormat::U16, [32767, 32767, 0, 0], [32768, 32768, 0, 0]),
        (WeightFormat::U16, [0, 0, 0, 0], [65535, 0, 0, 0]),
    ] {
        let (packed, _) = made(&of_integers(format, numbers), "three");
        let (_, weights) = packed.influences(MeshId(0), 0).unwrap().of(5);
        let one = format.one().unwrap() as f32;
        let got: Vec<u32> = weights.iter().take(4).map(|weight| (weight * one).round() as u32).collect();
        assert_eq!(got, want, "{numbers:?}");
    }
}

#[test]
fn copies_that_three_draws_without_their_skin_are_counted() {
    let mut parts = (*tube(Tube { joints: 12, ..Tube::default() })).clone();
    assert_eq!(made(&Model::build(parts.clone()).unwrap(), "three").1.unskinned, 0);
    parts.instanced_skins = vec![parts.instances[0].node];
    let model = Model::build(parts).unwrap();
    let of = |runtime| made(&model, runtime).1.unskinned;
    assert_eq!((of("three"), of("unity-4"), of("vtk")), (1, 0, 0));
}

#[test]
fn a_job_that_was_given_up_makes_nothing() {
    let model = tube(Tube { joints: 12, ..Tube::default() });
    let wake = std::sync::Arc::new(|| ());
    let job = skinscope_base::parallel::Job::start("test", wake, move |context: &JobContext| {
        while !context.is_cancelled() {
            std::thread::yield_now();
        }
        packed(&model, Packing::parse("4xu8").unwrap(), context).is_none()
    });
    job.cancel();
    while !job.is_done() {
        std::thread::yield_now();
    }
    assert_eq!(job.take(), Some(true));
}

#[test]
fn what_is_lost_and_what_it_costs_is_counted() {
    let model = tube(Tube { joints: 12, ..Tube::default() });
    let mut change = WeightChange::new(MeshId(0), 0, 8);
    change.push(5, &[1, 2, 3, 4, 5], &[0.4, 0.3, 0.15, 0.1, 0.05]);
    let model = model.with_weights(&[change]).unwrap();
    let (two, figures) = made(&model, "2:u8:8");
    // Of the rest of the tube no vertex has more than two joints.
    assert_eq!((figures.losing, figures.overflows, figures.joints), (1, true, 12));
    assert!((figures.largest_loss - 0.3).abs() < 1e-6);
    assert_eq!((figures.vertex_bytes, figures.implied_bytes, figures.palette_bytes), (4, 3, 12 * 48));
    let (joints, weights) = two.influences(MeshId(0), 0).unwrap().of(5);
    assert_eq!((&joints[..2], weights[2]), (&[1, 2][..], 0.0));
    // 4/7 and 3/7 of 255 are 145.71 and 109.29.
    assert_eq!((weights[0], weights[1]), (146.0 / 255.0, 109.0 / 255.0));
    assert!(two.shares_all_but_edits(&model));
    // As they are: nothing changes.
    let (same, figures) = made(&model, "8:f32");
    assert_eq!((figures.losing, same.weight_edits() == model.weight_edits()), (0, true));
}

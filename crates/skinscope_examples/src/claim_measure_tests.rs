//! What [`super::claim_list_tests`] measures of the examples.

use super::binding_rig::{bones, bound, steps};
use super::{Block, Curve, Moment, Value};

pub(super) fn value(m: &Moment, id: &str) -> Value {
    m.value_of(id).unwrap()
}

pub(super) fn number(m: &Moment, id: &str) -> f64 {
    value(m, id).number().unwrap()
}

/// The product of two vectors.
pub(super) fn product(m: &Moment, a: &str, b: &str) -> f64 {
    value(m, a).transposed().times(&value(m, b)).unwrap().number().unwrap()
}

/// The example with a slider at so many positions of its range.
pub(super) fn over<'a>(m: &'a Moment, slider: &'a str, count: usize) -> impl Iterator<Item = Moment> + 'a {
    let [least, most] = m.example().sliders.iter().find(|s| s.id == slider).unwrap().range;
    (0..count).map(move |i| m.with(slider, least + (most - least) * i as f32 / (count - 1) as f32))
}

/// Whether a number becomes less all along the range of a slider.
pub(super) fn falls(m: &Moment, slider: &str, id: &str) -> bool {
    let numbers: Vec<f64> = over(m, slider, 16).map(|m| number(&m, id)).collect();
    numbers.windows(2).all(|two| two[1] < two[0] + 1e-6) && numbers[15] < numbers[0] - 1e-3
}

/// Whether several curves of the chart are 1 all along.
pub(super) fn curves_in_common(m: &Moment) -> bool {
    let charts =
        m.example().page.blocks.iter().filter_map(|b| if let Block::Chart(chart) = b { Some(chart) } else { None });
    let curves: Vec<Curve> = charts.flat_map(|chart| chart.all_curves(m)).collect();
    curves.iter().filter(|curve| curve.points.iter().all(|[_, y]| (y - 1.0).abs() < 5e-3)).count() > 1
}

pub(super) fn linear_and_dual(m: &Moment) -> bool {
    let part = |theta: f32, id: &str| number(&m.with("theta", theta), id) / number(m, "R");
    let is_kept = [90.0, 180.0].into_iter().all(|theta| (part(theta, "d") - 1.0).abs() < 1e-4);
    (part(90.0, "r") - 0.707).abs() < 5e-4 && part(180.0, "r") < 1e-4 && is_kept
}

pub(super) fn thinnest_ring(m: &Moment) -> bool {
    [20.0, 90.0, 170.0].into_iter().all(|theta| {
        let m = m.with("theta", theta);
        let radii: Vec<f64> = over(&m, "w", 21).map(|m| number(&m, "r")).collect();
        let least = radii.iter().copied().fold(f64::INFINITY, f64::min);
        let ends = [radii[0], radii[20]];
        radii[10] == least && ends.iter().all(|r| (r - number(&m, "R")).abs() < 1e-5)
    })
}

/// How much of the way from the opposite edge to each corner the vertex of *60, 30, 10* has come.
pub(super) fn shares(m: &Moment) -> [f64; 3] {
    let at = |id: &str| [value(m, id).row(0)[0], value(m, id).row(1)[0]];
    let [p, corners] = [[at("p"); 3], [at("p1"), at("p2"), at("p3")]];
    let area = |[a, b, c]: [[f64; 2]; 3]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    [0, 1, 2].map(|i| {
        let mut with = corners;
        with[i] = p[i];
        area(with) / area(corners)
    })
}

/// The turn of a hand, radians, from its quaternion of w and z.
pub(super) fn turn(m: &Moment, id: &str, t: f32) -> f64 {
    let q = value(&m.with("t", t), id);
    2.0 * q.row(1)[0].atan2(q.row(0)[0])
}

pub(super) fn blended_is_fastest_half_way(m: &Moment) -> bool {
    let step = |from: f32| turn(m, "b", from + 0.1) - turn(m, "b", from);
    let same_way = (turn(m, "b", 1.0) - turn(m, "a", 1.0)).abs() < 1e-4;
    same_way && step(0.45) > 1.2 * step(0.0) && step(0.45) > 1.2 * step(0.9)
}

/// How far apart in height the three balls are, metres.
pub(super) fn spread(m: &Moment) -> f64 {
    let heights = ["STEP", "LINEAR", "CUBICSPLINE"].map(|ball| f64::from(m.joint_position(ball).y));
    heights.iter().copied().fold(f64::MIN, f64::max) - heights.iter().copied().fold(f64::MAX, f64::min)
}

pub(super) fn exact_in_examples(m: &Moment) -> bool {
    let w = |phi: f32, sigma: f32| number(&m.with("phi", phi).with("sigma", sigma), "w");
    [20.0, 35.0, 90.0].into_iter().all(|sigma| w(0.0, sigma).abs() < 1e-6 && (w(120.0, sigma) - 1.0).abs() < 1e-6)
}

/// The mean weight for the forearm, by capsules, of the vertices of the upper arm that its capsule has taken.
pub(super) fn rogues(m: &Moment) -> f64 {
    let [capsules, paths] = [0, 2].map(|way| bones(m.settings(), way));
    let weights = bound(m.settings(), 0, steps(m.settings()));
    let taken: Vec<usize> = (0..capsules.len()).filter(|v| capsules[*v] == 1 && paths[*v] == 0).collect();
    taken.iter().map(|v| weights[*v][1]).sum::<f64>() / taken.len() as f64
}

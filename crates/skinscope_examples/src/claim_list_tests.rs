//! The sentences of the pages that claim a number or a relation: what checks each, or that it is an opinion. Formulas are checked with the
//! table of examples; here are the words.

use super::claim_measure_tests::{
    blended_is_fastest_half_way, curves_in_common, exact_in_examples, falls, linear_and_dual, number, over, product,
    rogues, shares, spread, thinnest_ring, turn, value,
};
use super::{Moment, Value};

/// What there is to say for a sentence.
pub(super) enum Check {
    /// This holds, with the example as it is at first.
    Holds(fn(&Moment) -> bool),
    /// The test of this name checks it.
    Test(&'static str),
    /// It says how the scene is made, what to do or where to look, and claims nothing beyond.
    Description,
    /// It is an opinion, or the rule of thumb of a source.
    Opinion,
}

use Check::{Description, Holds, Opinion, Test};

/// The test of all printed formulas.
const FORMULAS: Check = Test("every_example_is_whole_and_its_printed_numbers_are_right");

/// The sentences, by the example and by words that they contain.
pub(super) const CLAIMS: &[(&str, &[(&str, Check)])] = &[
    (
        "twist-bar",
        &[
            (
                "the weight of the upper joint grows from 0 to 1",
                Test("radii_are_those_of_the_closed_forms_over_both_sliders"),
            ),
            ("Nothing is left of the waist at 180°", Holds(|m| number(&m.with("theta", 180.0), "h") < 1e-4)),
            ("All methods that keep the whole radius have one line in common, at 1", Holds(curves_in_common)),
            ("Linear blending (left) keeps 0.707 of the radius at 90° and nothing at 180°", Holds(linear_and_dual)),
            (
                "The ring in the middle is always the thinnest; rings at the ends keep their radius",
                Holds(thinnest_ring),
            ),
        ],
    ),
    (
        "three-weights",
        &[
            ("white 37, green 6, red 14", Description),
            ("Were joint 37 alone", FORMULAS),
            (
                "always add up to one",
                Holds(|m| {
                    over(m, "w1", 21)
                        .all(|m| ((number(&m, "w1") + number(&m, "w2") + number(&m, "w3")) - 1.0).abs() < 1e-6)
                }),
            ),
            ("written (x, y, 1)", Holds(|m| value(m, "v").size() == [3, 1] && value(m, "v").row(2) == [1.0])),
            (
                "Never: the vertex is always inside of the triangle",
                Holds(|m| {
                    let is_inside = |m: Moment| shares(&m).iter().all(|share| *share > -1e-5);
                    [-90.0, -40.0, 20.0, 90.0]
                        .into_iter()
                        .all(|turn| over(&m.with("turn", turn), "w1", 6).all(is_inside))
                }),
            ),
            (
                "where the triangle would balance with 60, 30 and 10 grams",
                Holds(|m| {
                    let near = |(share, wanted): (&f64, f64)| (share - wanted).abs() < 1e-5;
                    shares(m).iter().zip([0.6, 0.3, 0.1]).all(near)
                }),
            ),
        ],
    ),
    (
        "rigid-simple-smooth",
        &[
            ("Rigid parts crack outside and overlap inside", Test("gap_edge_and_width_are_those_of_plane_geometry")),
            ("loses width at the elbow the more it is bent", Holds(|m| falls(m, "phi", "s"))),
        ],
    ),
    (
        "elbow",
        &[
            (
                "an eighth of its number, from row 0",
                Holds(|m| over(m, "row", 9).all(|m| (number(&m, "b") - m.slider("row") / 8.0).abs() < 1e-9)),
            ),
            (
                "A is the matrix of the straight arm, which changes nothing",
                Holds(|m| value(m, "A").row(0) == [1.0, 0.0] && value(m, "A").row(1) == [0.0, 1.0]),
            ),
            ("Both formulas give the same c", FORMULAS),
            ("where a is 1 − b", Holds(|m| over(m, "row", 9).all(|m| number(&m, "a") + number(&m, "b") == 1.0))),
            (
                "No: turning leaves q on the circle",
                Holds(|m| {
                    over(m, "theta", 13).all(|m| (value(&m, "q").length() - value(&m, "p").length()).abs() < 1e-5)
                }),
            ),
            (
                "Blending puts c on the straight line from A p to B p, which is nearer to the elbow",
                Holds(|m| value(m, "c").length() < value(m, "p").length() - 1e-3),
            ),
            ("Turning quads tears the strip apart", Test("each_version_puts_vertices_where_the_lectures_program_does")),
            (
                "agree with turned vertices for small angles, and pull the strip into the elbow for large ones",
                Holds(|m| {
                    let apart = |m: &Moment| value(m, "q").distance(&value(m, "c")).unwrap();
                    let folded = m.with("theta", 180.0).with("row", 4.0);
                    apart(&m.with("theta", 15.0)) < 0.02 && apart(m) > 0.05 && value(&folded, "c").length() < 1e-5
                }),
            ),
        ],
    ),
    (
        "three-bones",
        &[
            ("The skin is blue at bone 1, green at bone 2 and orange at bone 3", Description),
            (
                "which has the largest weight there",
                Holds(|m| number(m, "w1") > number(m, "w2") && number(m, "w1") > number(m, "w3")),
            ),
            ("Places have a third number, always 1", Holds(|m| value(m, "p").row(2) == [1.0])),
            ("W with a raised R is the same at rest", Description),
            ("only the axes of bone 2 may be, by Q", FORMULAS),
            ("The inverse goes the same way back", FORMULAS),
            ("Bone 1 itself takes it to a", Test("ghost_points_are_those_of_complex_numbers_over_all_sliders")),
            (
                "At rest the transform of bone 3 is A B",
                Holds(|m| {
                    let m = m.with("rest", 40.0);
                    value(&m, "A").times(&value(&m, "B")).unwrap().distance(&value(&m, "W3R")).unwrap() < 1e-9
                }),
            ),
            ("that would put the point in bone 3's space", FORMULAS),
            ("Nothing while ρ is 0", Test("the_wrong_order_is_harmless_only_without_turns")),
            (
                "Bone 3 would carry p to c, on the outline",
                Test("ghost_points_are_those_of_complex_numbers_over_all_sliders"),
            ),
            ("Press a or b for those of the others", Description),
            (
                "ρ changes the matrices, and no place in the picture",
                Holds(|m| {
                    let turned = m.with("rest", 40.0);
                    let apart = |id| value(m, id).distance(&value(&turned, id)).unwrap();
                    ["a", "b", "c", "pw"].into_iter().all(|id| apart(id) < 1e-5) && apart("W2A") > 0.1
                }),
            ),
        ],
    ),
    (
        "two-link-ik",
        &[
            (
                "measured: nothing, unless the target is out of reach",
                Holds(|m| {
                    let out = m.with("x", 2.0).with("y", 1.5);
                    number(m, "e") < 1e-4 && number(&out, "e") > 0.5
                }),
            ),
            (
                "Within reach two arms lead to the target, mirrored",
                Holds(|m| {
                    let other = m.with("s", -1.0);
                    let mean = 0.5 * (number(m, "phi") + number(&other, "phi"));
                    number(&other, "e") < 1e-4 && (mean - number(m, "beta")).sin().abs() < 1e-5
                }),
            ),
            (
                "Out of reach the arm points at the target, straight or folded, and θ is 180° or 0°",
                Holds(|m| {
                    let reaches = |x: f32, y: f32, theta: f64| {
                        let m = m.with("x", x).with("y", y);
                        let [h, t] = ["h", "t"].map(|id| value(&m, id));
                        let along = h.transposed().times(&t).unwrap().number().unwrap() / (h.length() * t.length());
                        (number(&m, "theta").to_degrees() - theta).abs() < 0.1 && along > 1.0 - 1e-6
                    };
                    reaches(1.7, 1.6, 180.0) && reaches(0.1, 0.12, 0.0)
                }),
            ),
        ],
    ),
    (
        "scaled-normals",
        &[
            (
                "at right angles where their product is 0, and that of m and u is not",
                Holds(|m| product(m, "m", "u").abs() > 0.1),
            ),
            (
                "it scales by 1/s where M scales by s",
                Holds(|m| {
                    let inverse = value(m, "M").inverse().unwrap().transposed();
                    (inverse.row(0)[0] - 1.0 / number(m, "s")).abs() < 1e-9
                }),
            ),
            (
                "stand upright on the surface everywhere",
                Holds(|m| {
                    let leans = value(m, "m").row(0)[0].abs() > value(m, "k").row(0)[0].abs();
                    leans && over(m, "omega", 37).all(|m| product(&m, "k", "u").abs() < 1e-4)
                }),
            ),
            (
                "At 0°, 90° and 180° both agree",
                Holds(|m| {
                    let off = |omega: f32| number(&m.with("omega", omega), "delta").to_degrees();
                    [0.0, 90.0, 180.0].into_iter().all(|omega| off(omega) < 0.2) && off(50.0) > 10.0
                }),
            ),
        ],
    ),
    (
        "quantised-weights",
        &[
            ("is a whole number of 255ths", FORMULAS),
            (
                "the sum is always one, and only the mix is a little off",
                Holds(|m| {
                    let whole = |m: Moment| number(&m, "q1") + number(&m, "q2") + number(&m, "i3") == 255.0;
                    over(m, "w1", 51).all(whole) && number(m, "f") < 0.001
                }),
            ),
            ("S is then exactly 1", Holds(|m| number(&m.with("w1", 0.33), "S") == 1.0)),
            (
                "is 4 mm for each metre from the origin, whatever the pose: 8 cm at 20 m, 20 cm at 50 m",
                Holds(|m| {
                    let near = |d: f32, wanted: f64| {
                        over(m, "theta", 4).all(|m| (number(&m.with("D", d), "e") - wanted).abs() < 0.006)
                    };
                    near(20.0, 0.08) && near(50.0, 0.2)
                }),
            ),
            (
                "does not depend on where the model stands, and eight bits are enough",
                Holds(|m| {
                    let off = |d: f32| number(&m.with("D", d), "f");
                    (off(0.0) - off(50.0)).abs() < 2e-4 && off(50.0) < 0.002
                }),
            ),
        ],
    ),
    (
        "bone-links",
        &[
            ("fine for bends of up to 60°", Opinion),
            (
                "at 120° to half of its width; two links keep 0.87 of it, three 0.94",
                Holds(|m| {
                    let kept = |n: f32| number(&m.with("n", n), "sn") / number(m, "R");
                    let one = number(m, "s1") / number(m, "R");
                    (one - 0.5).abs() < 5e-3 && (kept(2.0) - 0.87).abs() < 5e-3 && (kept(3.0) - 0.94).abs() < 5e-3
                }),
            ),
            (
                "The volume that is lost at 120° shrinks with each link",
                Holds(|m| {
                    let kept: Vec<f64> = over(m, "n", 4).map(|m| number(&m, "kn")).collect();
                    kept.windows(2).all(|two| two[0] < two[1])
                }),
            ),
        ],
    ),
    (
        "between-turns",
        &[
            (
                "as a quaternion q₀ with w = 1 and z = 0",
                Holds(|m| value(m, "q0").distance(&Value::column(&[1.0, 0.0])) == Some(0.0)),
            ),
            (
                "Its sign s is 1 or −1: both are the same turn",
                Holds(|m| {
                    let [a, b] = [1.0, -1.0].map(|s| value(&m.with("way", s), "q1"));
                    a.plus(&b).unwrap().length() < 1e-9 && a.length() > 0.999
                }),
            ),
            ("takes the same way, slower at both ends", Holds(blended_is_fastest_half_way)),
            (
                "Slerp turns evenly, blended quaternions are fastest half way, and blended matrices lose length",
                Holds(|m| {
                    let step = |from: f32| turn(m, "a", from + 0.1) - turn(m, "a", from);
                    let even = [0.1, 0.4, 0.7].into_iter().all(|from| (step(from) - step(0.0)).abs() < 1e-4);
                    even && blended_is_fastest_half_way(m) && number(&m.with("t", 0.5), "l") < 0.9
                }),
            ),
            (
                "The short way is the one on which q₀ · q₁ is positive",
                Holds(|m| {
                    let is_short = |m: &Moment| 2.0 * number(m, "omega") < std::f64::consts::PI;
                    over(m, "turn", 18).all(|m| is_short(&m) == (product(&m, "q0", "q1") > 0.0))
                }),
            ),
        ],
    ),
    (
        "keys",
        &[
            (
                "How far the time has come between both, 0 to 1, and never more",
                Holds(|m| over(m, "t", 61).all(|m| (0.0..=1.0).contains(&number(&m, "u")))),
            ),
            (
                "At the keys, before the first and after the last, all three are at one height",
                Holds(|m| [-0.5, 0.0, 1.0, 2.0, 2.5].into_iter().all(|t| spread(&m.with("t", t)) < 1e-6)),
            ),
            (
                "In between two of them may meet, never all three",
                Holds(|m| {
                    let between = |i: i32| 0.02 * i as f32;
                    let never = |v: f32| {
                        (1..100).filter(|i| i % 50 != 0).all(|i| spread(&m.with("v", v).with("t", between(i))) > 1e-4)
                    };
                    [-0.9, 0.0, 0.6, 1.0].into_iter().all(never)
                }),
            ),
            (
                "the smooth ball rises 0.11 m above both: a spline may overshoot",
                Holds(|m| {
                    let over_both = (0..=100).map(|i| number(&m.with("t", 1.0 + 0.01 * i as f32), "c") - 0.6);
                    (over_both.fold(0.0, f64::max) - 0.11).abs() < 5e-3
                }),
            ),
        ],
    ),
    (
        "t-intersection",
        &[
            (
                "the edge has the length 2h at rest",
                Holds(|m| (value(m, "A").distance(&value(m, "B")).unwrap() - 2.0 * number(m, "h")).abs() < 1e-6),
            ),
            ("Both plates look the same at rest", Holds(|m| number(&m.with("phi", 0.0), "c") < 1e-6)),
            (
                "The left plate tears along the edge as soon as it bends",
                Test("the_crack_is_as_wide_as_plane_geometry_says_and_the_welded_plate_has_none"),
            ),
            // Both joints leave the elbow, where M is, in its place: whatever its weights, it stays there, and the middle of the edge does not.
            (
                "No choice of weights closes the crack at every angle",
                Holds(|m| {
                    over(m, "phi", 24).all(|m| {
                        value(&m, "m").length() < 1e-5 && (number(&m, "phi").abs() < 0.01 || number(&m, "c") > 1e-3)
                    })
                }),
            ),
        ],
    ),
    (
        "shoulder",
        &[
            ("2° of every 3°", Holds(|m| (number(m, "gamma") - number(m, "theta") * 2.0 / 3.0).abs() < 1e-5)),
            (
                "One ball joint pinches the skin in one place",
                Holds(|m| {
                    let m = m.with("theta", 90.0);
                    number(&m, "s1") < 0.75 * number(&m, "R") && number(&m, "s2") > 0.85 * number(&m, "R")
                }),
            ),
            (
                "the line rises with the arm, and more of the volume is kept",
                Test("limbs_and_widths_are_those_of_double_precision"),
            ),
        ],
    ),
    (
        "forearm",
        &[
            (
                "The arm above is wrung at the wrist",
                Test("radii_of_all_rings_are_those_of_blended_turns_over_both_sliders"),
            ),
            (
                "Three twist joints keep 0.93 of the radius at 130°, where one joint keeps 0.42",
                Holds(|m| {
                    let part = |id| number(m, id) / number(m, "R");
                    m.slider("n") == 3.0 && (part("rn") - 0.93).abs() < 5e-3 && (part("r1") - 0.42).abs() < 5e-3
                }),
            ),
        ],
    ),
    (
        "muscle",
        &[
            (
                "It only scales, and the skin of the biceps hangs on it",
                Test("biceps_and_chest_are_as_large_as_their_drivers_say"),
            ),
            (
                "The biceps swells while the elbow bends, by a curve that is flat at first",
                Holds(|m| {
                    let s = |phi: f32| number(&m.with("phi", phi), "s");
                    s(10.0) - s(0.0) < 0.2 * (s(60.0) - s(50.0)) && !falls(m, "phi", "s") && s(130.0) > s(60.0)
                }),
            ),
            ("For the skin the biceps is a joint like any other", Description),
        ],
    ),
    (
        "shapes-and-poses",
        &[
            ("two example poses, 0 without the shape and φ₁ with all of it", Holds(exact_in_examples)),
            (
                "This is 1 in the pose itself and falls with the distance from it",
                Holds(|m| {
                    let g = |phi: f32| number(&m.with("phi", phi), "g1");
                    (g(120.0) - 1.0).abs() < 1e-6 && g(110.0) > g(90.0) && g(130.0) > g(150.0)
                }),
            ),
            ("the weight w is exactly 0 in the one pose and 1 in the other", Holds(exact_in_examples)),
            (
                "At 120° the plain elbow has half of its width left, and the corrected one all of it",
                Holds(|m| {
                    let part = |id| number(m, id) / number(m, "R");
                    (part("s1") - 0.5).abs() < 1e-3 && (part("s2") - 1.0).abs() < 1e-3
                }),
            ),
            (
                "a small σ brings the shape in late, a large one swells the elbow",
                Holds(|m| {
                    let at = |sigma: f32| m.with("phi", 70.0).with("sigma", sigma);
                    number(&at(20.0), "w") < 0.05 && number(&at(90.0), "s2") > number(m, "R")
                }),
            ),
        ],
    ),
    (
        "subdivided-cage",
        &[
            (
                "Both arms are made of the same cage of few vertices, with the same weights",
                Test("both_surfaces_are_those_of_sums_over_triangles"),
            ),
            (
                "has 3 (N′ − 2) edges",
                Holds(|m| {
                    over(m, "n", 3).all(|m| number(&m, "N") - number(&m, "N'") == 3.0 * (number(&m, "N'") - 2.0))
                }),
            ),
            ("At rest both are the same", Holds(|m| number(&m.with("phi", 0.0), "D") < 1e-5)),
            ("the right elbow is thinner", Holds(|m| m.volume(1) < m.volume(0))),
            (
                "N grows nearly fourfold with each step, 4 N′ − 6, and the cage does not grow",
                Holds(|m| {
                    over(m, "n", 3).all(|m| {
                        let [n, before, cage] = ["N", "N'", "Nc"].map(|id| number(&m, id));
                        n == 4.0 * before - 6.0 && n > 3.6 * before && cage == 20.0
                    })
                }),
            ),
        ],
    ),
    (
        "automatic-binding",
        &[
            ("grey is 0, yellow is 1", Test("colours_of_the_upper_row_are_those_of_the_forearms_weights")),
            (
                "A capsule that is too wide takes rogue vertices of the upper arm",
                Holds(|m| number(&m.with("r", 0.7), "u") > 2.0 * number(&m.with("r", 0.26), "u")),
            ),
            (
                "Planes and tetrahedra do not reach over the gap",
                Test("planes_and_paths_find_the_bones_of_an_arm_that_is_bent_far"),
            ),
            (
                "Nor do voxels and heat, which agree in this closed skin",
                Test("voxels_and_heat_keep_to_their_side_of_the_gap_and_agree"),
            ),
            (
                "The blend of voxels and heat is hard inside of the elbow, where the skin folds, and wide outside",
                Test("voxels_and_heat_blend_wider_outside_of_the_elbow_and_smoothing_widens_both"),
            ),
            (
                "Smoothing widens both",
                Test("voxels_and_heat_blend_wider_outside_of_the_elbow_and_smoothing_widens_both"),
            ),
            ("Smoothing makes a crease soft", Test("smoothing_keeps_sums_and_is_a_power_of_one_matrix")),
            (
                "and does not give them back",
                // The mean weight that rogues have for the forearm.
                Holds(|m| {
                    rogues(&m.with("r", 0.7).with("n", 0.0)) == 1.0 && rogues(&m.with("r", 0.7).with("n", 20.0)) > 0.3
                }),
            ),
        ],
    ),
];

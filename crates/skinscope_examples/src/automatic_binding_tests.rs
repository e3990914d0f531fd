//! The bones that [`super::automatic_binding`] finds, by plane geometry, and its opened arms in double precision.

use glam::DVec3;

use super::arm_binding::SIDES;
use super::automatic_binding::AUTOMATIC_BINDING;
use super::binding_rig::*;
use super::{Moment, Settings};

/// How far a point is from a segment: by the triangle that it makes with both ends.
fn distance([a, b]: [DVec3; 2], p: DVec3) -> f64 {
    let (to_a, to_b, long) = (p.distance(a), p.distance(b), a.distance(b));
    let beyond = |near: f64, far: f64| far * far > near * near + long * long;
    if beyond(to_a, to_b) {
        to_a
    } else if beyond(to_b, to_a) {
        to_b
    } else {
        (b - a).cross(p - a).length() / long
    }
}

#[test]
fn bones_and_positions_are_those_of_plane_geometry_over_all_sliders() {
    let first = Moment::new(Settings::of(AUTOMATIC_BINDING.example()));
    let arm = &ARM.0;
    let mut rogues = Vec::new();
    for (x, y) in [(-1.91, 1.33), (-2.9, 0.3), (-1.2, 2.0), (-2.9, 2.0), (-1.2, 0.3)] {
        for r in [0.1, 0.26, 0.45, 0.7] {
            let moment = first.with("x", x).with("y", y).with("r", r).with("n", 0.0);
            let settings = moment.settings();
            let at = |x: f64, y: f64| DVec3::new(x + 2.75, y - 1.85, 0.0);
            let end = at(f64::from(x), f64::from(y));
            let of_capsules = bones(settings, 0);
            for (v, p) in arm.positions.iter().enumerate() {
                let scores = [
                    distance([at(-2.75, 1.85), at(-2.65, 0.72)], *p) / 0.26,
                    distance([at(-2.57, 0.53), end], *p) / f64::from(r),
                    distance([at(-1.81, 1.5), at(-1.66, 1.76)], *p) / 0.2,
                ];
                let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
                assert!(scores[of_capsules[v]] < least + 1e-6, "{x} {y} {r}: vertex {v}");
            }
            if (x, y) == (-1.91, 1.33) {
                rogues.push(apart(settings).len());
            }
        }
    }
    assert!(rogues[3] > rogues[1], "a wide capsule takes what is not its own: {rogues:?}");
    let by_line = bones(first.settings(), 1);
    // The plane of the elbow halves the angle: a point is beyond it where it lies farther along the forearm than along the upper arm.
    for (v, p) in arm.positions.iter().enumerate() {
        let along = |bone: usize, back: bool| {
            let [a, b] = arm.bones[bone];
            (p - arm.bones[1][0]).dot(if back { a - b } else { b - a }.normalize())
        };
        let ahead = along(1, false) - along(0, true);
        // In the plane itself both bones have one half.
        assert!(ahead.abs() < 1e-9 || (by_line[v] == 0) == (ahead < 0.0), "vertex {v}");
    }
}

/// Every handle moves its own capsule, and what that gains or loses changes bones.
#[test]
fn each_end_and_rim_of_each_capsule_can_be_dragged() {
    let first = Settings::of(AUTOMATIC_BINDING.example());
    let handles = AUTOMATIC_BINDING.handles;
    assert_eq!(handles.len(), 3 * 3);
    for (i, handle) in handles.iter().enumerate() {
        let to = (handle.at)(&first) + glam::Vec3::new(0.09, -0.06, 0.0);
        let mut settings = first;
        for (id, value) in (handle.drag)(&first, to) {
            assert!(settings.set(id, value), "{}: {id}", handle.name);
        }
        let (before, after) = (capsules(&first), capsules(&settings));
        for bone in 0..3 {
            let [a, b] = [before[bone], after[bone]];
            let moved = [a.ends[0] != b.ends[0], a.ends[1] != b.ends[1], a.radius != b.radius];
            assert_eq!(moved, [0, 1, 2].map(|part| bone == i / 3 && part == i % 3), "{}: bone {bone}", handle.name);
        }
        if i % 3 < 2 {
            assert!((handle.at)(&settings).distance(to) < 1e-5, "{}", handle.name);
        } else {
            // The rim goes through the point that was dragged.
            let capsule = after[i / 3];
            let p = to.as_dvec3() - DVec3::new(COLUMNS[0], ROWS[0], 0.0);
            assert!((distance(capsule.ends, p) - capsule.radius).abs() < 1e-5, "{}", handle.name);
        }
    }
}

/// Binds the arm by voxels and by heat, with so many steps of smoothing.
fn voxels_and_heat(steps: usize) -> [Vec<[f64; 3]>; 2] {
    let first = Settings::of(AUTOMATIC_BINDING.example());
    [3, 4].map(|way| bound(&first, way, steps))
}

#[test]
fn voxels_and_heat_keep_to_their_side_of_the_gap_and_agree() {
    let [voxels, heat] = voxels_and_heat(0);
    let rings = (ARM.0.positions.len() - 2) / SIDES;
    // The elbow is at ring 14, and the blend reaches three rings to both sides.
    for ring in 0..rings {
        for v in ring * SIDES..(ring + 1) * SIDES {
            let [upper, fore, hand] = heat[v];
            assert!((upper + fore + hand - 1.0).abs() < 1e-9, "vertex {v}");
            assert!(ring > 10 || upper > 0.999, "vertex {v} of the upper arm: {upper}");
            assert!(ring < 18 || upper < 0.001, "vertex {v} beyond the elbow: {upper}");
            let off = (0..3).map(|bone| (heat[v][bone] - voxels[v][bone]).abs()).fold(0.0, f64::max);
            assert!(off < 0.02, "vertex {v}: {off}");
        }
    }
}

#[test]
fn voxels_and_heat_blend_wider_outside_of_the_elbow_and_smoothing_widens_both() {
    // How many vertices of a line along the arm, as far as the middle of the forearm, follow both bones of the elbow.
    let count = |weights: &[[f64; 3]], side: usize| {
        (0..20).filter(|ring| (0.01..0.99).contains(&weights[ring * SIDES + side][1])).count()
    };
    let (mut inside, mut outside) = ([0; 2], [0; 2]);
    for n in [0, 3, 20] {
        for (i, weights) in voxels_and_heat(n).iter().enumerate() {
            let [within, beyond] = [SIDES / 2, 0].map(|side| count(weights, side));
            assert!(n > 0 || 2 * within <= beyond, "{i}: {within} inside, {beyond} outside");
            assert!(within > inside[i] && beyond > outside[i], "{n} {i}: {within} inside, {beyond} outside");
            (inside[i], outside[i]) = (within, beyond);
        }
    }
}

#[test]
fn the_right_arm_is_what_the_switch_says_and_its_shares_are_counted_again() {
    let first = Moment::new(Settings::of(AUTOMATIC_BINDING.example()));
    for (choice, name) in ["tetrahedra", "voxels", "heat"].into_iter().enumerate() {
        for n in [0.0, 3.0] {
            let moment = first.with("way", choice as f32).with("n", n);
            let mesh = moment.model().meshes.iter().find(|m| m.name == format!("arm by {name}")).unwrap();
            let influences = mesh.primitives[0].stored_influences.as_ref().unwrap();
            let most = |v: usize| influences.of(v).1.iter().copied().fold(0.0, f32::max);
            let shared = (0..ARM.0.positions.len()).filter(|v| most(*v) < 0.99).count() as f64;
            let number = |id: &str| moment.value_of(id).unwrap().number().unwrap();
            assert_eq!(number("k"), shared, "{name} {n}");
            assert!((number("b") - shared / ARM.0.positions.len() as f64).abs() < 1e-12, "{name} {n}");
            assert_eq!(shared > 0.0, n > 0.0 || choice > 0, "{name} {n}: {shared}");
        }
    }
}

/// The colours of the upper row are those of the weights by which the lower row is moved, and without smoothing there are two where each
/// vertex has one bone.
#[test]
fn colours_of_the_upper_row_are_those_of_the_forearms_weights() {
    let first = Moment::new(Settings::of(AUTOMATIC_BINDING.example()));
    // The ramp once more: its colours at quarters, and the grey of nothing.
    let stops = [[0.54, 0.44, 0.84], [0.75, 0.42, 0.78], [0.93, 0.46, 0.53], [0.99, 0.66, 0.30], [1.0, 0.93, 0.40]];
    let ramp = |w: f64| -> [f64; 3] {
        let i = ((w * 4.0) as usize).min(3);
        std::array::from_fn(|c| stops[i][c] + (w * 4.0 - i as f64) * (stops[i + 1][c] - stops[i][c]))
    };
    let srgb = |v: f32| if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 };
    for (n, choice) in [(0.0, 0.0), (1.0, 0.0), (7.0, 0.0), (20.0, 0.0), (0.0, 1.0), (7.0, 1.0), (0.0, 2.0), (7.0, 2.0)]
    {
        let moment = first.with("n", n).with("way", choice);
        for way in shown(moment.settings()).map(|way| WAYS[way]) {
            let is_blended = n > 0.0 || ["voxels", "heat"].contains(&way);
            let mesh = |name: String| &moment.model().meshes.iter().find(|m| m.name == name).unwrap().primitives[0];
            let upper = mesh(format!("weights by {way}"));
            let influences = mesh(format!("arm by {way}")).stored_influences.as_ref().unwrap();
            let mut seen = [0; 3];
            for v in 0..ARM.0.positions.len() {
                let (joints, weights) = influences.of(v);
                let share: f32 = joints.iter().zip(weights).filter(|(joint, _)| **joint == 1).map(|(_, w)| w).sum();
                let got = upper.colors[v].truncate().to_array().map(srgb);
                seen[if share == 0.0 {
                    0
                } else if share == 1.0 {
                    2
                } else {
                    1
                }] += 1;
                let wanted = if share == 0.0 { [0.475, 0.48, 0.495] } else { ramp(f64::from(share)) };
                let off = (0..3).map(|c| (f64::from(got[c]) - wanted[c]).abs()).fold(0.0, f64::max);
                assert!(
                    share > 0.0 && share < 1e-3 || off < 0.003,
                    "{n} way {way} vertex {v}: {share} {got:?} {wanted:?}"
                );
            }
            assert!(
                if is_blended { seen[1] > 0 } else { seen[0] > 0 && seen[1] == 0 && seen[2] > 0 },
                "{n} way {way}: {seen:?}"
            );
        }
    }
}

#[test]
fn opened_arms_are_where_their_weights_say() {
    let first = Moment::new(Settings::of(AUTOMATIC_BINDING.example()));
    for (n, choice) in [(0.0, 0.0), (1.0, 0.0), (7.0, 0.0), (20.0, 0.0), (0.0, 1.0), (7.0, 2.0)] {
        for degrees in [0.0_f32, 30.0, 60.0] {
            let moment = first.with("n", n).with("phi", degrees).with("way", choice);
            let (sin, cos) = f64::from(-degrees).to_radians().sin_cos();
            for (column, way) in shown(moment.settings()).into_iter().enumerate() {
                let weights = bound(moment.settings(), way, n as usize);
                let at = |name: &str| moment.model().meshes.iter().position(|m| m.name == name).unwrap();
                let of = |mesh: usize| moment.model().instances.iter().position(|i| i.mesh.index() == mesh).unwrap();
                let lower = of(at(&format!("arm by {}", WAYS[way])));
                for v in (0..ARM.0.positions.len()).step_by(7) {
                    let p = ARM.0.positions[v];
                    let d = p - ARM.0.bones[1][0];
                    let turned = ARM.0.bones[1][0] + DVec3::new(cos * d.x - sin * d.y, sin * d.x + cos * d.y, d.z);
                    let share = weights[v][1] + weights[v][2];
                    let wanted = p.lerp(turned, share) + DVec3::new(COLUMNS[column], ROWS[1], 0.0);
                    let off = moment.vertex("linear", lower, v).distance(wanted);
                    assert!(off < 1e-5, "{n} {degrees}° way {way} vertex {v}: {off}");
                }
            }
        }
    }
}

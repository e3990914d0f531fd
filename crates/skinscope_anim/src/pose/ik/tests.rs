//! Properties of the solver over many random limbs and targets.

use std::f64::consts::PI;

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use skinscope_model::Limits;
use skinscope_model::NodeId;

use super::*;

/// A generator of numbers that look random and are the same every time.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.unit()
    }

    fn direction(&mut self) -> DVec3 {
        let z = self.between(-1.0, 1.0);
        let angle = self.between(0.0, 2.0 * PI);
        let ring = (1.0 - z * z).sqrt();
        DVec3::new(ring * angle.cos(), ring * angle.sin(), z)
    }

    fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), self.between(0.0, PI))
    }
}

/// Makes bones along Y of their joints, bent by `turns`.
fn limb(base: DAffine3, bones: &[f64], turns: &[DQuat]) -> Chain {
    let link = |(i, (length, turn)): (usize, (&f64, &DQuat))| Link {
        node: NodeId::from_index(i),
        rotation: *turn,
        rest: *turn,
        stretch: DMat3::IDENTITY,
        bone: DVec3::Y * *length,
        onward: DMat3::IDENTITY,
        default_axis: DVec3::X,
        limits: None,
    };
    Chain { base, links: bones.iter().zip(turns).enumerate().map(link).collect() }
}

/// Makes a parent that moves, turns and scales, and mirrors half of the time.
fn even_parent(random: &mut Random) -> DAffine3 {
    let scale = random.between(0.01, 10.0);
    let mirror = if random.unit() < 0.5 { DVec3::new(-1.0, 1.0, 1.0) } else { DVec3::ONE };
    DAffine3 {
        matrix3: DMat3::from_quat(random.rotation()) * DMat3::from_diagonal(mirror * scale),
        translation: random.direction() * 3.0,
    }
}

/// Makes a parent that also shears and stretches.
fn uneven_parent(random: &mut Random) -> DAffine3 {
    let mut parent = even_parent(random);
    let stretch = DVec3::new(random.between(0.5, 2.0), 1.0, random.between(0.5, 2.0));
    parent.matrix3 *= DMat3::from_quat(random.rotation()) * DMat3::from_diagonal(stretch);
    parent
}

fn length(chain: &Chain) -> f64 {
    chain.lengths().iter().sum()
}

#[test]
fn two_bones_end_at_a_hundred_thousand_targets() {
    let mut random = Random(1);
    let mut worst = 0.0_f64;
    for round in 0..100_000 {
        let parent = if round % 2 == 0 { even_parent(&mut random) } else { uneven_parent(&mut random) };
        let bones = [random.between(0.2, 1.0), random.between(0.2, 1.0)];
        let rest = [random.rotation(), random.rotation()];
        let mut chain = limb(parent, &bones, &rest);
        // A pose of the same bones gives a target that they can reach.
        let target = limb(parent, &bones, &[random.rotation(), random.rotation()]).end();
        let before = chain.lengths();
        let size = length(&chain);
        solve(&mut chain, target, None);
        worst = worst.max(chain.end().distance(target) / size);
        if round % 2 == 0 {
            let changed = chain.lengths().iter().zip(before).map(|(a, b)| (a - b).abs() / b).fold(0.0, f64::max);
            assert!(changed < 1e-6, "a bone is longer by {changed}");
        }
        assert!(chain.links.iter().all(|link| (link.rotation.length() - 1.0).abs() < 1e-9));
    }
    assert!(worst < 1e-5, "{worst}");
}

#[test]
fn a_joint_that_stretches_the_next_bone_is_no_hindrance() {
    let mut random = Random(2);
    for _ in 0..20_000 {
        let mut chain = limb(even_parent(&mut random), &[1.0, 0.9], &[random.rotation(), random.rotation()]);
        let uneven = DVec3::new(random.between(0.9, 1.1), 1.0, random.between(0.9, 1.1));
        chain.links[0].stretch = DMat3::from_quat(random.rotation()) * DMat3::from_diagonal(uneven);
        let scale = chain.base.matrix3.x_axis.length();
        let target = chain.base.translation + random.direction() * scale * random.between(0.4, 1.6);
        solve(&mut chain, target, None);
        assert!(chain.end().distance(target) < 1e-5 * 1.9 * scale);
    }
}

#[test]
fn longer_limbs_end_at_their_targets() {
    let mut random = Random(3);
    let (mut worst, mut count) = (0.0_f64, 0);
    for round in 0..100_000 {
        let joints = 3 + round % 6;
        let bones: Vec<f64> = (0..joints).map(|_| random.between(0.2, 1.0)).collect();
        let spread = [0.0, 0.2, 1.0][round % 3];
        let turns: Vec<DQuat> =
            (0..joints).map(|_| DQuat::from_axis_angle(random.direction(), spread * random.between(0.0, PI))).collect();
        let mut chain = limb(even_parent(&mut random), &bones, &turns);
        let size = length(&chain);
        let scale = chain.base.matrix3.x_axis.length();
        // The longest bone cannot be folded away by shorter ones.
        let most = bones.iter().copied().fold(0.0, f64::max);
        let total: f64 = bones.iter().sum();
        let least = (2.0 * most - total).max(0.0);
        let distance = (least + (total - least) * random.between(0.02, 0.999)) * scale;
        let target = chain.base.translation + random.direction() * distance;
        let before = chain.lengths();
        solve(&mut chain, target, None);
        let error = chain.end().distance(target) / size;
        count += usize::from(error > 1e-5);
        worst = worst.max(error);
        assert!(chain.lengths().iter().zip(before).all(|(a, b)| (a - b).abs() < 1e-6 * b));
    }
    assert!(worst < 1e-5, "{worst}, {count} beyond");
}

/// Returns the direction in which the limb bends, seen from its root.
fn bend(chain: &Chain) -> DVec3 {
    let (_, elbow) = { chain_frames(chain)[1] };
    let root = chain.base.translation;
    let along = (chain.end() - root).normalize();
    let off = elbow - root;
    (off - along * along.dot(off)).normalize_or_zero()
}

fn chain_frames(chain: &Chain) -> Vec<(DMat3, DVec3)> {
    let mut posed = chain::PosedChain::default();
    chain.pose(&mut posed);
    posed.frames
}

#[test]
fn the_bend_never_flips_between_targets_one_millimetre_apart() {
    let mut random = Random(4);
    let at_shoulder = DAffine3::from_translation(DVec3::new(0.2, 1.4, 0.0));
    for round in 0..50_000 {
        // The limbs are straight, nearly straight or bent, and those of a person of 1.8 m.
        let angle = [0.0, 1e-4, 0.3][round % 3];
        let joints = if round % 2 == 0 { 2 } else { 4 };
        let turns: Vec<DQuat> = (0..joints)
            .map(|k| if k == 0 { DQuat::from_rotation_x(PI) } else { DQuat::from_rotation_x(angle) })
            .collect();
        let start = limb(at_shoulder, &vec![0.6 / joints as f64; joints], &turns);
        // If the target is straight behind the limb, every way round is equally near, and one has to be taken.
        let from = (start.end() - at_shoulder.translation).normalize();
        let towards = random.direction();
        if towards.dot(from) < -0.999 {
            continue;
        }
        let target = at_shoulder.translation + towards * random.between(0.1, 0.75);
        let beside = target + random.direction() * 1e-3;
        let solved = |target: DVec3| {
            let mut chain = start.clone();
            solve(&mut chain, target, None);
            chain
        };
        let (a, b) = (solved(target), solved(beside));
        // If the target is too far, the limb is straight and bends to no side.
        let (near, far) = (bend(&a), bend(&b));
        let is_straight = target.distance(at_shoulder.translation) > 0.599;
        assert!(is_straight || near.dot(far) > 0.5, "{joints} joints, {angle}: {near} {far}, {target}");
    }
}

#[test]
fn out_of_reach_a_limb_points_straight_at_its_target_and_does_not_tremble() {
    let mut random = Random(5);
    for round in 0..20_000 {
        let parent = if round % 2 == 0 { even_parent(&mut random) } else { uneven_parent(&mut random) };
        let joints = 2 + round % 5;
        let turns: Vec<DQuat> = (0..joints).map(|_| random.rotation()).collect();
        let mut chain = limb(parent, &vec![0.4; joints], &turns);
        let root = parent.translation;
        let towards = random.direction();
        let most =
            parent.matrix3.x_axis.length().max(parent.matrix3.y_axis.length()).max(parent.matrix3.z_axis.length());
        let target = root + towards * (3.0 * 0.4 * joints as f64 * most * random.between(1.0, 50.0));
        solve(&mut chain, target, None);
        let mut points: Vec<DVec3> = chain_frames(&chain).iter().map(|(_, origin)| *origin).collect();
        points.push(chain.end());
        for bone in points.windows(2) {
            assert!((bone[1] - bone[0]).angle_between(towards) < 1e-3);
        }
        // A second solve moves nothing.
        let end = chain.end();
        solve(&mut chain, target, None);
        assert!(chain.end().distance(end) < 1e-6 * end.distance(root));
    }
}

#[test]
fn too_near_a_limb_is_folded_as_far_as_it_goes() {
    let mut chain = limb(DAffine3::IDENTITY, &[1.0, 0.4], &[DQuat::IDENTITY, DQuat::from_rotation_x(0.2)]);
    solve(&mut chain, DVec3::new(0.1, 0.2, 0.0), None);
    assert!((chain.end().length() - 0.6).abs() < 1e-9);
    assert!(chain.end().angle_between(DVec3::new(0.1, 0.2, 0.0)) < 1e-6);
}

#[test]
fn a_pole_says_to_which_side_it_bends() {
    let mut random = Random(6);
    for round in 0..20_000 {
        let joints = 2 + round % 3;
        // Under a parent that stretches, how far a longer limb reaches depends on the side.
        let uneven = joints == 2 && round % 2 == 0;
        let parent = if uneven { uneven_parent(&mut random) } else { even_parent(&mut random) };
        let turns: Vec<DQuat> = (0..joints).map(|_| random.rotation()).collect();
        let mut chain = limb(parent, &vec![0.5; joints], &turns);
        let scale = parent.matrix3.determinant().abs().cbrt();
        let root = parent.translation;
        let spread: Vec<DQuat> = (0..joints).map(|_| random.rotation()).collect();
        let target = limb(parent, &vec![0.5; joints], &spread).end();
        if target.distance(root) < 0.1 * scale {
            continue;
        }
        let pole = root + random.direction() * 4.0 * scale;
        let along = (target - root).normalize();
        let side = (pole - root) - along * along.dot(pole - root);
        if side.length() < 0.1 * scale {
            continue;
        }
        solve(&mut chain, target, Some(pole));
        assert!(chain.end().distance(target) < 1e-5 * scale * joints as f64, "{joints}");
        if joints == 2 {
            assert!(bend(&chain).angle_between(side) < 1e-3, "{} {}", bend(&chain), side.normalize());
            // The other bend is as good, and as near.
            let mut other = limb(parent, &[0.5; 2], &turns);
            solve(&mut other, target, Some(root - side));
            assert!(bend(&other).angle_between(-side) < 1e-3);
            assert!(other.end().distance(target) < 1e-5 * scale);
        }
    }
}

#[test]
fn limits_are_never_passed() {
    let mut random = Random(7);
    let mut reached = 0;
    for round in 0..4000 {
        let joints = 2 + round % 4;
        let turns: Vec<DQuat> = (0..joints).map(|_| DQuat::from_axis_angle(random.direction(), 0.2)).collect();
        let mut chain = limb(even_parent(&mut random), &vec![0.5; joints], &turns);
        for link in &mut chain.links {
            let most = |random: &mut Random| random.between(5.0, 80.0) as f32;
            let (a, b) = ([0; 3].map(|_| most(&mut random)), [0; 3].map(|_| most(&mut random)));
            link.limits = Some(Limits { least: -Vec3::from_array(a), most: Vec3::from_array(b) });
        }
        let size = length(&chain);
        let target = chain.base.translation + random.direction() * random.between(0.0, 1.3) * size;
        solve(&mut chain, target, None);
        for link in &chain.links {
            let limits = link.limits.unwrap();
            let angles = Limits::angles(link.rest.as_quat(), link.rotation.as_quat());
            let within = angles.cmpge(limits.least - 1e-2).all() && angles.cmple(limits.most + 1e-2).all();
            assert!(within, "{angles} beyond {limits:?}");
        }
        reached += usize::from(chain.end().distance(target) < 1e-5 * size);
    }
    // Most targets lie beyond what such joints can do; of those that do not, many are found.
    assert!(reached > 200, "{reached}");
}

#[test]
fn what_can_be_reached_within_limits_is_reached() {
    let mut random = Random(8);
    let mut missed = 0;
    for _ in 0..2000 {
        let limits = Limits { least: Vec3::new(-60.0, -30.0, -60.0), most: Vec3::new(60.0, 30.0, 60.0) };
        let within = |random: &mut Random| {
            let [x, y, z] = [50.0, 25.0, 50.0].map(|most| random.between(-most, most).to_radians());
            DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x)
        };
        let mut chain = limb(DAffine3::IDENTITY, &[0.5; 3], &[DQuat::IDENTITY; 3]);
        chain.links.iter_mut().for_each(|link| link.limits = Some(limits));
        let target = limb(DAffine3::IDENTITY, &[0.5; 3], &[0; 3].map(|_| within(&mut random))).end();
        solve(&mut chain, target, None);
        missed += usize::from(chain.end().distance(target) > 1e-3);
    }
    assert!(missed < 100, "{missed} of 2000");
}

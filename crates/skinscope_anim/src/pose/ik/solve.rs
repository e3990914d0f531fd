//! The solver: it first bends the limb until its end has the right distance from the root, then aims it at the target.

use std::f64::consts::PI;

use glam::{DMat3, DQuat, DVec3};

use super::Triangle;
use super::chain::{Chain, PosedChain, arc, inverse};

/// A bend below this angle (radians) is too small to tell the axis of the bend.
const STRAIGHT: f64 = 1e-3;
/// The end counts as at its target when it is nearer than this share of the limb's length.
const CLOSE: f64 = 1e-9;
/// How many steps of damped least squares are taken for a chain that bends alone cannot bring to its target; then it
/// bends again.
const STEPS: usize = 12;
/// How many times these steps and the bend are repeated.
const ROUNDS: usize = 4;
/// The most passes of forward and backward reaching in one of these rounds.
const PULLS: usize = 60;
/// The most steps of damped least squares from each start, where joints have limits.
const LIMITED_STEPS: usize = 80;
/// The damping of the steps, as a share of the chain's stiffness.
const DAMPING: f64 = 1e-3;

/// Rotates the joints of a chain so that its end reaches `target` (world space, metres), or comes as near as it can. It
/// starts from the present pose of the chain; the same input gives the same result. `pole` (world space) is a position
/// on the side to which the limb bends.
pub(in crate::pose) fn solve(chain: &mut Chain, target: DVec3, pole: Option<DVec3>) {
    let start = chain.clone();
    let limb: f64 = chain.lengths().iter().sum();
    if chain.links.is_empty() || !target.is_finite() || limb <= 0.0 {
        return;
    }
    let goal = Goal { target, pole, limb };
    if chain.links.len() > 2 {
        goal.lead(chain);
    }
    goal.close(chain);
    if chain.links.len() > 2 && !goal.is_straight(chain) {
        goal.refine(chain);
    }
    if chain.clamp() {
        goal.within_limits(chain, start);
    }
}

struct Goal {
    target: DVec3,
    pole: Option<DVec3>,
    limb: f64,
}

/// The axis about which a joint bends, and the rotation from which the bend is counted.
struct Hinge {
    axis: DVec3,
    /// The rotation at which the joint's bone continues the direction of the one before.
    straight: DQuat,
    /// The angle by which the joint is bent now, 0…π.
    now: f64,
}

impl Hinge {
    /// Finds the hinge of joint `k`, which is not the first.
    fn of(chain: &Chain, k: usize) -> Self {
        let link = &chain.links[k];
        let before = chain.before(k);
        let bent = |rotation: DQuat| {
            let bone = chain.direction(k, rotation);
            (before.cross(bone), before.dot(bone), bone)
        };
        let (normal, cos, bone) = bent(link.rotation);
        let now = normal.length().atan2(cos);
        if normal.length() > STRAIGHT {
            let axis = normal.normalize();
            return Self { axis, straight: DQuat::from_axis_angle(axis, -now) * link.rotation, now };
        }
        // The pose tells no axis: that of rest is taken, else the one that is fixed for such limbs.
        let at_rest = bent(link.rest).0;
        let wanted = if at_rest.length() > STRAIGHT { at_rest } else { link.default_axis };
        let across = wanted - before * wanted.dot(before);
        let axis = across.try_normalize().unwrap_or_else(|| before.any_orthonormal_vector());
        if cos > 0.0 {
            return Self { axis, straight: arc(bone, before, axis) * link.rotation, now: 0.0 };
        }
        let unfolded = DQuat::from_axis_angle(axis, -PI) * link.rotation;
        Self { axis, straight: arc(chain.direction(k, unfolded), before, axis) * unfolded, now: PI }
    }

    fn at(&self, angle: f64) -> DQuat {
        (DQuat::from_axis_angle(self.axis, angle) * self.straight).normalize()
    }
}

impl Goal {
    fn root(chain: &Chain) -> DVec3 {
        chain.base.translation
    }

    fn distance(&self, chain: &Chain) -> f64 {
        self.target.distance(Self::root(chain))
    }

    /// Returns whether the limb is straight and points at a target that is too far.
    fn is_straight(&self, chain: &Chain) -> bool {
        chain.lengths().iter().sum::<f64>() <= self.distance(chain)
    }

    fn error(&self, chain: &Chain) -> f64 {
        chain.end().distance(self.target)
    }

    /// Turns the root so that the end lies in the direction of the target, with the bend on the side of the pole. This
    /// is exact whatever the parent's matrix is, since linear maps keep lines and planes.
    fn aim(&self, chain: &mut Chain) {
        let back = inverse(chain.base.matrix3);
        let mut posed = PosedChain::default();
        chain.pose(&mut posed);
        let root = Self::root(chain);
        let end = back * (posed.end - root);
        let wanted = back * (self.target - root);
        if end.length() <= 1e-12 * (back * DVec3::splat(self.limb)).length() {
            return;
        }
        let frame = |pole: DVec3| {
            let elbow = middle(chain, &posed, self.limb).map(|p| back * (p - root))?;
            Some((basis(end, elbow)?, basis(wanted, back * (pole - root))?))
        };
        let turn = match self.pole.and_then(frame) {
            Some((now, then)) => DQuat::from_mat3(&(then * now.transpose())),
            None => arc(end, wanted, back * bend_axis(chain, &posed)),
        };
        let link = &mut chain.links[0];
        link.rotation = (turn * link.rotation).normalize();
    }

    /// Bends the limb until its end is as far from the root as the target is, and aims it there.
    fn close(&self, chain: &mut Chain) {
        let hinges: Vec<Hinge> = (1..chain.links.len()).map(|k| Hinge::of(chain, k)).collect();
        let wanted = self.distance(chain);
        if hinges.is_empty() {
            return self.aim(chain);
        }
        // Every trial starts from the first pose, so that none depends on the one before.
        let first = chain.links[0].rotation;
        // The bend is −1 for straight, 0 for the pose as it is, 1 for folded; the distance is a continuous function of
        // it.
        let mut reach = |bend: f64| {
            chain.links[0].rotation = first;
            for (link, hinge) in chain.links[1..].iter_mut().zip(&hinges) {
                let angle = if bend < 0.0 { hinge.now * (1.0 + bend) } else { hinge.now + (PI - hinge.now) * bend };
                link.rotation = hinge.at(angle);
            }
            self.aim(chain);
            chain.end().distance(chain.base.translation) - wanted
        };
        if reach(-1.0) <= 0.0 {
            return;
        }
        let tolerance = CLOSE * self.limb;
        if let [hinge] = &hinges[..] {
            // With two bones this is exact at once, unless a parent stretches some directions more than others.
            let lengths = chain.lengths();
            let angle = PI - Triangle::of(lengths[0], lengths[1], wanted).theta;
            (chain.links[0].rotation, chain.links[1].rotation) = (first, hinge.at(angle));
            self.aim(chain);
            if (chain.end().distance(chain.base.translation) - wanted).abs() <= tolerance {
                return;
            }
            let mut reach = |angle: f64| {
                (chain.links[0].rotation, chain.links[1].rotation) = (first, hinge.at(angle));
                self.aim(chain);
                chain.end().distance(chain.base.translation) - wanted
            };
            // Even folded, the limb is too long: the target is too near, and folded is the nearest that it can come.
            if reach(PI) < 0.0 {
                bisect(&mut reach, (0.0, PI), tolerance);
            }
            return;
        }
        let now = reach(0.0);
        if now.abs() <= tolerance {
            return;
        }
        if now < 0.0 {
            bisect(&mut reach, (-1.0, 0.0), tolerance);
            return;
        }
        let (mut last, mut best) = (0.0, (now, 0.0));
        for step in 1..=16 {
            let bend = f64::from(step) / 16.0;
            let value = reach(bend);
            if value <= 0.0 {
                bisect(&mut reach, (last, bend), tolerance);
                return;
            }
            if value < best.0 {
                best = (value, bend);
            }
            last = bend;
        }
        reach(best.1);
    }

    /// Prepares a limb of more than two bones: bends it about as far as it must, and shares the swing towards the
    /// target among its joints. The root does what is left of the swing.
    fn lead(&self, chain: &mut Chain) {
        let root = Self::root(chain);
        let (from, to) = (chain.end() - root, self.target - root);
        if to.length() >= self.limb {
            return;
        }
        let mut posed = PosedChain::default();
        chain.pose(&mut posed);
        let towards = arc(from, to, bend_axis(chain, &posed));
        // The limb bends first, so that a straight one knows to which side.
        let ahead = root + from.normalize_or_zero() * to.length();
        Self { target: ahead, pole: None, limb: self.limb }.close(chain);
        chain.pose(&mut posed);
        // A limb that is far from straight swings as a whole: shared, the swing would fold it in other ways.
        let straight = ((to.length() / self.limb - 0.4) / 0.4).clamp(0.0, 1.0);
        let share =
            towards.to_scaled_axis() * (straight * straight * (3.0 - 2.0 * straight) / chain.links.len() as f64);
        for (link, (parent, _)) in chain.links.iter_mut().zip(&posed.frames).skip(1) {
            // This is the same turn seen from a parent, which may mirror.
            let axis = inverse(*parent) * share;
            let turn = axis.normalize_or_zero() * share.length() * parent.determinant().signum();
            link.rotation = (DQuat::from_scaled_axis(turn) * link.rotation).normalize();
        }
    }

    /// Improves a limb whose end does not come near enough when all bends grow together: takes steps of damped least
    /// squares, and bends once more.
    fn refine(&self, chain: &mut Chain) {
        let mut best = chain.clone();
        for _ in 0..ROUNDS {
            if self.error(&best) <= CLOSE * self.limb {
                break;
            }
            for _ in 0..STEPS {
                self.step(chain, self.target, 0.5);
            }
            self.close_if_better(chain);
            if self.error(chain) > CLOSE * self.limb {
                self.pull(chain);
                self.close_if_better(chain);
            }
            if self.error(chain) < self.error(&best) {
                best = chain.clone();
            }
        }
        if self.error(&best) > CLOSE * self.limb {
            self.lay(chain);
            self.close_if_better(chain);
            if self.error(chain) < self.error(&best) {
                best = chain.clone();
            }
        }
        *chain = best;
    }

    fn close_if_better(&self, chain: &mut Chain) {
        let before = chain.clone();
        self.close(chain);
        if self.error(&before) < self.error(chain) {
            *chain = before;
        }
    }

    /// Forward and backward reaching (FABRIK): the positions of joints are pulled along the bones from the target, then
    /// from the root, and the joints are aimed at the resulting positions.
    fn pull(&self, chain: &mut Chain) {
        let mut posed = PosedChain::default();
        chain.pose(&mut posed);
        let lengths = chain.lengths();
        let root = Self::root(chain);
        let mut points: Vec<DVec3> = posed.frames.iter().map(|(_, origin)| *origin).chain([posed.end]).collect();
        let last = points.len() - 1;
        let keep = |from: DVec3, to: DVec3, length: f64| from + (to - from).normalize_or(DVec3::Y) * length;
        for _ in 0..PULLS {
            points[last] = self.target;
            for i in (0..last).rev() {
                points[i] = keep(points[i + 1], points[i], lengths[i]);
            }
            points[0] = root;
            for i in 0..last {
                points[i + 1] = keep(points[i], points[i + 1], lengths[i]);
            }
            if points[last].distance(self.target) <= CLOSE * self.limb {
                break;
            }
        }
        follow(chain, &points);
    }

    /// Lays the limb into a triangle or a quadrilateral of straight runs of bones, one of which always ends at a target
    /// within reach.
    fn lay(&self, chain: &mut Chain) {
        let lengths = chain.lengths();
        let (root, wanted) = (Self::root(chain), self.distance(chain));
        let mut posed = PosedChain::default();
        chain.pose(&mut posed);
        let along = (self.target - root).normalize_or(DVec3::Y);
        let off = middle(chain, &posed, self.limb).map_or(DVec3::ZERO, |p| p - root);
        let aside = off - along * along.dot(off);
        let side = aside.try_normalize().unwrap_or_else(|| along.cross(bend_axis(chain, &posed)).normalize_or_zero());
        // The limb bends after the first bones that together are longer than the rest allows.
        let before = |k: usize| lengths[..k].iter().sum::<f64>();
        let after = |k: usize| lengths[k..].iter().sum::<f64>();
        let fits = |k: &usize| (before(*k) - after(*k)).abs() <= wanted;
        let corners = if let Some(k) = (1..lengths.len()).find(fits) {
            vec![(k, corner(root, self.target, before(k), after(k), side))]
        } else {
            let Some(k) = (0..lengths.len()).find(|k| before(k + 1) > after(k + 1)) else { return };
            let (a, long, b) = (before(k), lengths[k], after(k + 1));
            // The range of distances that the end of the long bone may have from the root.
            let (least, most) = ((a - long).abs().max((wanted - b).abs()), (a + long).min(wanted + b));
            let far = corner(root, self.target, 0.5 * (least + most), b, side);
            vec![(k, corner(root, far, a, long, side)), (k + 1, far)]
        };
        // Joints between corners stand on straight lines.
        let mut points = vec![root];
        let (mut from, mut first) = (root, 0);
        for (k, to) in corners.into_iter().chain([(lengths.len(), self.target)]) {
            let towards = (to - from).normalize_or(along);
            for i in first..k {
                points.push(points[i] + towards * lengths[i]);
            }
            (from, first) = (to, k);
        }
        follow(chain, &points);
    }

    /// Takes one step of damped least squares: the smallest turns that bring the end nearer to a position.
    fn step(&self, chain: &mut Chain, target: DVec3, most: f64) {
        let mut posed = PosedChain::default();
        chain.pose(&mut posed);
        let gap = target - posed.end;
        let gap = gap * (0.25 * self.limb / gap.length().max(0.25 * self.limb));
        // A turn w in the frame of a joint moves the end by parent · (w × arm).
        let moves: Vec<DMat3> = posed
            .frames
            .iter()
            .map(|(parent, origin)| *parent * cross(inverse(*parent) * (posed.end - *origin)) * -1.0)
            .collect();
        let square = moves.iter().fold(DMat3::ZERO, |sum, m| sum + *m * m.transpose());
        let stiffness = (square.x_axis.x + square.y_axis.y + square.z_axis.z) * DAMPING;
        let y = inverse(square + DMat3::from_diagonal(DVec3::splat(stiffness.max(f64::MIN_POSITIVE)))) * gap;
        for (link, m) in chain.links.iter_mut().zip(&moves) {
            let turn = m.transpose() * y;
            let turn = turn * (most / turn.length().max(most));
            link.rotation = (DQuat::from_scaled_axis(turn) * link.rotation).normalize();
        }
    }

    /// Looks for the pose within the limits that comes nearest: from the best one without limits, and from the start.
    fn within_limits(&self, chain: &mut Chain, mut start: Chain) {
        start.clamp();
        let mut best = chain.clone();
        for mut trial in [chain.clone(), start] {
            for _ in 0..LIMITED_STEPS {
                let error = self.error(&trial);
                if error < self.error(&best) {
                    best = trial.clone();
                }
                if error <= CLOSE * self.limb {
                    break;
                }
                self.step(&mut trial, self.target, 0.3);
                trial.clamp();
            }
        }
        *chain = best;
    }
}

/// Aims each joint at the position of the next.
fn follow(chain: &mut Chain, points: &[DVec3]) {
    let (mut parent, mut origin) = (chain.base.matrix3, chain.base.translation);
    for (link, next) in chain.links.iter_mut().zip(&points[1..]) {
        let bone = link.rotation * (link.stretch * link.bone);
        link.rotation = (arc(bone, inverse(parent) * (*next - origin), link.default_axis) * link.rotation).normalize();
        let own = parent * DMat3::from_quat(link.rotation) * link.stretch;
        origin += own * link.bone;
        parent = own * link.onward;
    }
}

/// Returns the position at distances `a` and `b` from two others, on the side of `side`.
fn corner(from: DVec3, to: DVec3, a: f64, b: f64, side: DVec3) -> DVec3 {
    let line = to - from;
    let along = line.normalize_or(DVec3::Y);
    let across = (side - along * along.dot(side)).try_normalize().unwrap_or_else(|| along.any_orthonormal_vector());
    let (sin, cos) = Triangle::of(a.max(f64::MIN_POSITIVE), b, line.length()).alpha.sin_cos();
    from + (along * cos + across * sin) * a
}

/// Returns the axis (world) about which the limb would bend if nothing else gave one.
fn bend_axis(chain: &Chain, posed: &PosedChain) -> DVec3 {
    chain.links.iter().zip(&posed.frames).nth(1).map_or(DVec3::Y, |(link, (parent, _))| *parent * link.default_axis)
}

/// Returns the joint that stands farthest off the line from root to end; `None` where the limb is as good as straight.
fn middle(chain: &Chain, posed: &PosedChain, limb: f64) -> Option<DVec3> {
    let root = chain.base.translation;
    let along = (posed.end - root).normalize_or_zero();
    let off = |p: DVec3| (p - root) - along * along.dot(p - root);
    let inner = posed.frames.iter().skip(1).map(|(_, origin)| *origin);
    let farthest = inner.max_by(|a, b| off(*a).length().total_cmp(&off(*b).length()))?;
    (off(farthest).length() > 1e-9 * limb).then_some(farthest)
}

/// Returns an orthonormal frame: x along one vector, y on the side of another; `None` where they are in line.
fn basis(x: DVec3, side: DVec3) -> Option<DMat3> {
    let x = x.try_normalize()?;
    let side = side.try_normalize()?;
    let across = side - x * side.dot(x);
    let y = (across.length() > 1e-9).then(|| across.normalize())?;
    Some(DMat3::from_cols(x, y, x.cross(y)))
}

/// Returns the matrix of `v ×`.
fn cross(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

/// Finds a zero of a continuous function that has opposite signs at both ends. The last call of the function is at that
/// position.
fn bisect(of: &mut dyn FnMut(f64) -> f64, (mut a, mut b): (f64, f64), tolerance: f64) {
    let (mut at_a, mut at_b) = (of(a), of(b));
    for round in 0..80 {
        // The secant with halved weights (Illinois), and every fourth time the middle, so that both ends move.
        let secant = (a * at_b - b * at_a) / (at_b - at_a);
        let x = if round % 4 == 3 || !secant.is_finite() { 0.5 * (a + b) } else { secant };
        let value = of(x);
        if value.abs() <= tolerance || (b - a).abs() < 1e-15 {
            return;
        }
        if (value > 0.0) == (at_a > 0.0) {
            (a, at_a) = (x, value);
            at_b *= 0.5;
        } else {
            (b, at_b) = (x, value);
            at_a *= 0.5;
        }
    }
}

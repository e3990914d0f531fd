//! A limb in the form that the solver uses: the joints that rotate, and the fixed matrices between them.

use glam::{DAffine3, DMat3, DQuat, DVec3};
use skinscope_model::Limits;
use skinscope_model::NodeId;

/// A joint that rotates. Its frame is that of its parent, moved to the joint's origin; a point `v` of the joint's own
/// space is at `origin + parent · rotation · stretch · v`.
#[derive(Clone, Debug)]
pub(in crate::pose) struct Link {
    pub node: NodeId,
    pub rotation: DQuat,
    /// The rotation at rest.
    pub rest: DQuat,
    /// Scale and shear of the joint, applied before the rotation.
    pub stretch: DMat3,
    /// The vector from this joint to the next one that turns (or to the end), in this joint's space.
    pub bone: DVec3,
    /// The matrix that the fixed joints between this one and the next apply to directions, in this joint's space.
    pub onward: DMat3,
    /// The axis about which the joint bends where neither the pose nor the rest pose determines one, in the frame of
    /// its parent.
    pub default_axis: DVec3,
    pub limits: Option<Limits>,
}

/// A chain of joints from the root on, at least one of which rotates.
#[derive(Clone, Debug)]
pub(in crate::pose) struct Chain {
    /// The frame of the root: its origin, and the matrix of its parent.
    pub base: DAffine3,
    pub links: Vec<Link>,
}

/// The frames of a chain's joints in world space: the matrix of the parent, and the origin of each joint.
#[derive(Clone, Debug, Default)]
pub(super) struct PosedChain {
    pub frames: Vec<(DMat3, DVec3)>,
    pub end: DVec3,
}

impl Chain {
    pub(super) fn pose(&self, out: &mut PosedChain) {
        out.frames.clear();
        let (mut parent, mut origin) = (self.base.matrix3, self.base.translation);
        for link in &self.links {
            out.frames.push((parent, origin));
            let own = parent * DMat3::from_quat(link.rotation) * link.stretch;
            origin += own * link.bone;
            parent = own * link.onward;
        }
        out.end = origin;
    }

    /// Returns the position of the end in world space.
    pub(super) fn end(&self) -> DVec3 {
        let (mut parent, mut origin) = (self.base.matrix3, self.base.translation);
        for link in &self.links {
            let own = parent * DMat3::from_quat(link.rotation) * link.stretch;
            origin += own * link.bone;
            parent = own * link.onward;
        }
        origin
    }

    /// Returns the lengths of the bones in the current pose, in world space.
    pub(super) fn lengths(&self) -> Vec<f64> {
        let mut posed = PosedChain::default();
        self.pose(&mut posed);
        let ends = posed.frames.iter().skip(1).map(|(_, origin)| *origin).chain([posed.end]);
        posed.frames.iter().zip(ends).map(|((_, origin), end)| origin.distance(end)).collect()
    }

    /// Returns the direction of the bone before joint `k` (which is not the first), in the frame in which joint `k`
    /// turns.
    pub(super) fn before(&self, k: usize) -> DVec3 {
        let last = &self.links[k - 1];
        (inverse(last.onward) * last.bone).normalize_or_zero()
    }

    /// Returns the direction of the bone of joint `k` at a rotation, in the frame in which the joint turns.
    pub(super) fn direction(&self, k: usize, rotation: DQuat) -> DVec3 {
        let link = &self.links[k];
        rotation * (link.stretch * link.bone).normalize_or_zero()
    }

    /// Rotates every joint back into its limits; returns whether one was beyond them.
    pub(super) fn clamp(&mut self) -> bool {
        let mut beyond = false;
        for link in &mut self.links {
            if let Some(limits) = link.limits {
                let within = limits.clamp(link.rest, link.rotation);
                beyond |= within != link.rotation;
                link.rotation = within;
            }
        }
        beyond
    }
}

/// Returns the inverse, or the identity where there is none.
pub(super) fn inverse(m: DMat3) -> DMat3 {
    let inverse = m.inverse();
    if inverse.is_finite() { inverse } else { DMat3::IDENTITY }
}

/// Returns the shortest rotation from one direction to another, which may have any lengths: about `fallback` where they
/// are opposite, the identity where one is zero.
pub(in crate::pose) fn arc(from: DVec3, to: DVec3, fallback: DVec3) -> DQuat {
    let (Some(from), Some(to)) = (from.try_normalize(), to.try_normalize()) else { return DQuat::IDENTITY };
    let cos = from.dot(to);
    if cos > -1.0 + 1e-14 {
        // These are cos and sin of the half angle, from the vector half way between the directions.
        let (axis, w) = (from.cross(to), 1.0 + cos);
        return DQuat::from_xyzw(axis.x, axis.y, axis.z, w).normalize();
    }
    let across = fallback - from * fallback.dot(from);
    let axis = across.try_normalize().unwrap_or_else(|| from.any_orthonormal_vector());
    DQuat::from_axis_angle(axis, std::f64::consts::PI)
}

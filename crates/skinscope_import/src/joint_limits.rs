//! Reads limits of joint rotations: those of the eyes in VRM files, and custom properties of bones, which Blender's
//! exporter writes as extras.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};
use gltf::json::Value;
use skinscope_model::{Limits, NodeId, Skeleton};

use super::Reader;
use super::nodes::Nodes;

/// The cosine of half of the angle by which the axes of an eye may differ from those of the world.
const ALIGNED: f32 = 0.9999;

/// Returns limits by node, in rising order.
///
/// - Extras of a node have the names that Blender's Python interface gives to the limits of a bone: `use_ik_limit_x`,
///   and `ik_min_x` and `ik_max_x` in radians from rest; the same for y and z. An axis without `use_ik_limit_x` rotates
///   freely.
/// - VRM states by how many degrees each eye rotates at most (`lookAt` of VRM 1.0, `firstPerson` of VRM 0.x): outwards,
///   inwards, up and down. It is read for eyes whose axes at rest are those of the world, as VRM 0.x demands.
pub(super) fn read(reader: &Reader, nodes: &Nodes, humanoid: &[(NodeId, String)]) -> Vec<(NodeId, Limits)> {
    let mut out = BTreeMap::new();
    if let Some(eyes) = eyes(reader) {
        for (node, name) in humanoid {
            let limits = match name.as_str() {
                "leftEye" => eyes.limits(true),
                "rightEye" => eyes.limits(false),
                _ => continue,
            };
            if world_rotation(&nodes.skeleton, *node).w.abs() > ALIGNED {
                out.extend(limits.map(|limits| (*node, limits)));
            }
        }
    }
    for (node, id) in reader.root.nodes.iter().zip(&nodes.of_file) {
        let extras = node.extras.as_ref().and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
        out.extend(extras.as_ref().and_then(of_bone).map(|limits| (*id, limits)));
    }
    out.into_iter().collect()
}

/// Returns the limits that custom properties of a bone name; `None` where they limit nothing.
fn of_bone(extras: &Value) -> Option<Limits> {
    let mut limits = Limits::FREE;
    let mut is_limited = false;
    for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
        let switch = extras.get(format!("use_ik_limit_{letter}"));
        if !switch.is_some_and(|on| on.as_bool() == Some(true) || on.as_f64().is_some_and(|n| n != 0.0)) {
            continue;
        }
        let angle = |name: &str| Some((extras.get(format!("{name}_{letter}"))?.as_f64()? as f32).to_degrees());
        limits.least[axis] = angle("ik_min").unwrap_or(Limits::FREE.least[axis]);
        limits.most[axis] = angle("ik_max").unwrap_or(Limits::FREE.most[axis]);
        is_limited = true;
    }
    Limits::between(limits.least, limits.most).filter(|_| is_limited)
}

/// How far eyes turn, degrees.
struct Eyes {
    inner: f32,
    outer: f32,
    up: f32,
    down: f32,
    /// The characters of VRM 0.x face −Z, those of VRM 1.0 +Z.
    face_back: bool,
}

impl Eyes {
    /// Returns the limits of an eye. Both eyes rotate about +Y to the left, which is outwards for the left one. A
    /// character that faces +Z looks down by a rotation about +X.
    fn limits(&self, left: bool) -> Option<Limits> {
        let [least_y, most_y] = if left { [-self.inner, self.outer] } else { [-self.outer, self.inner] };
        let [least_x, most_x] = if self.face_back { [-self.down, self.up] } else { [-self.up, self.down] };
        Limits::between(Vec3::new(least_x, least_y, 0.0), Vec3::new(most_x, most_y, 0.0))
    }
}

fn eyes(reader: &Reader) -> Option<Eyes> {
    let extensions = &reader.root.extensions.as_ref()?.others;
    let degrees = |map: &Value, side: &str, of: &str| {
        let value = map.get(side)?.get(of)?.as_f64()? as f32;
        Some(value).filter(|degrees| degrees.is_finite() && *degrees >= 0.0)
    };
    let new = extensions.get("VRMC_vrm").and_then(|vrm| vrm.get("lookAt"));
    let (map, of, names, face_back) = match new {
        Some(look) if look.get("type").and_then(Value::as_str) != Some("expression") => {
            let names =
                ["rangeMapHorizontalInner", "rangeMapHorizontalOuter", "rangeMapVerticalUp", "rangeMapVerticalDown"];
            (look, "outputScale", names, false)
        }
        Some(_) => return None,
        None => {
            let person = extensions.get("VRM")?.get("firstPerson")?;
            if person.get("lookAtTypeName").and_then(Value::as_str) != Some("Bone") {
                return None;
            }
            let names = ["lookAtHorizontalInner", "lookAtHorizontalOuter", "lookAtVerticalUp", "lookAtVerticalDown"];
            (person, "yRange", names, true)
        }
    };
    let [inner, outer, up, down] = names.map(|name| degrees(map, name, of));
    Some(Eyes { inner: inner?, outer: outer?, up: up?, down: down?, face_back })
}

/// Returns the rotation of a node at rest in world space, but for scales.
fn world_rotation(skeleton: &Skeleton, node: NodeId) -> Quat {
    let above = std::iter::successors(Some(node), |node| skeleton.parents[node.index()]);
    let turned = above.fold(Quat::IDENTITY, |below, node| skeleton.rest.transforms[node.index()].rotation * below);
    turned.normalize()
}

//! The rig of [`super::automatic_binding`]: an arm bound in three ways, as it is bound and as it is moved.

use std::sync::LazyLock;

use glam::{DVec3, Quat, Vec3};
use skinscope_base::math::Ramp;
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::Settings;
use super::arm_binding::{Arm, BONES, Capsule, Paths, SIDES};
use super::rig::{Rig, Shape, change};

/// Where the shoulders are: one column for each way to bind, the bound arm above and the one that is moved below.
pub(super) const COLUMNS: [f64; 3] = [-2.75, -0.7, 1.35];
pub(super) const ROWS: [f64; 2] = [1.85, -0.15];
/// The ways, as the picture names them.
pub(super) const WAYS: [&str; 3] = ["capsules", "lines and planes", "tetrahedra"];
/// The sliders of each capsule: x and y of its first end, x and y of its last end, and its radius.
pub(super) const CAPSULE_SLIDERS: [[&str; 5]; BONES] =
    [["ux", "uy", "ux2", "uy2", "ur"], ["fx", "fy", "x", "y", "r"], ["hx", "hy", "hx2", "hy2", "hr"]];
/// The marked vertex: on the upper arm, on the side that looks at the forearm.
pub(super) const MARKED: usize = 9 * SIDES + SIDES / 2;
pub(super) const MOST_STEPS: f32 = 20.0;

/// The arm, and the paths to its vertices from each bone.
pub(super) static ARM: LazyLock<(Arm, [Paths; BONES])> = LazyLock::new(|| {
    let arm = Arm::new();
    let paths = std::array::from_fn(|bone| arm.paths(bone));
    (arm, paths)
});

/// A position on the arm in a column of the upper row.
pub(super) fn in_column(way: usize, p: DVec3) -> Vec3 {
    (p + DVec3::new(COLUMNS[way], ROWS[0], 0.0)).as_vec3()
}

pub(super) fn vertex_in_column(way: usize, vertex: usize) -> Vec3 {
    in_column(way, ARM.0.positions[vertex])
}

pub(super) fn steps(settings: &Settings) -> usize {
    settings.get("n").round().clamp(0.0, MOST_STEPS) as usize
}

/// The capsules, from the shoulder of the arm.
pub(super) fn capsules(settings: &Settings) -> [Capsule; BONES] {
    CAPSULE_SLIDERS.map(|sliders| {
        let [x, y, x2, y2, radius] = sliders.map(|id| f64::from(settings.get(id)));
        let from_shoulder = |x: f64, y: f64| DVec3::new(x - COLUMNS[0], y - ROWS[0], 0.0);
        Capsule { ends: [from_shoulder(x, y), from_shoulder(x2, y2)], radius }
    })
}

/// The bone of each vertex by one of the [`WAYS`].
pub(super) fn bones(settings: &Settings, way: usize) -> Vec<usize> {
    let (arm, paths) = &*ARM;
    match way {
        0 => arm.by_capsules(&capsules(settings)),
        1 => arm.by_planes(),
        _ => arm.by_paths(paths),
    }
}

pub(super) fn bound(settings: &Settings, way: usize, steps: usize) -> Vec<[f64; BONES]> {
    ARM.0.smoothed(&bones(settings, way), steps)
}

/// The vertices that capsules and tetrahedra do not agree about.
pub(super) fn apart(settings: &Settings) -> Vec<usize> {
    let [capsules, paths] = [0, 2].map(|way| bones(settings, way));
    (0..capsules.len()).filter(|v| capsules[*v] != paths[*v]).collect()
}

/// ```text
/// root ─┬─ bound by …                                  the arms of the upper row
///       └─ upper arm … ── forearm … ── hand …          once for each way, below
/// ```
pub(super) fn model(settings: &Settings) -> Model {
    let mut rig = Rig::new("Automatic binding");
    let arm = &ARM.0;
    let [_, elbow, wrist] = [0, 1, 2].map(|bone| arm.bones[bone][0].as_vec3());
    let shown: Vec<NodeId> = (0..3)
        .map(|way| rig.joint(&format!("bound by {}", WAYS[way]), NodeId(0), in_column(way, DVec3::ZERO).to_array()))
        .collect();
    let moved: Vec<[NodeId; BONES]> = (0..3)
        .map(|way| {
            let at = [COLUMNS[way] as f32, ROWS[1] as f32, 0.0];
            let upper = rig.joint(&format!("upper arm, {}", WAYS[way]), NodeId(0), at);
            let fore = rig.joint(&forearm(way), upper, elbow.to_array());
            [upper, fore, rig.joint(&format!("hand, {}", WAYS[way]), fore, (wrist - elbow).to_array())]
        })
        .collect();
    for way in 0..3 {
        let weights = bound(settings, way, steps(settings));
        let color = |v: usize| {
            let [r, g, b] = Ramp::Heat.color(weights[v][1] as f32).map(|c| (c * 255.0).round() as u32);
            r << 16 | g << 8 | b
        };
        let positions = arm.positions.iter().map(|p| p.as_vec3()).collect();
        let shape = Shape::of(positions, arm.indices.clone()).painted_by_number(color);
        rig.rigid(&format!("weights by {}", WAYS[way]), shown[way], shape.clone());
        let offset = Vec3::new(COLUMNS[way] as f32, ROWS[1] as f32, 0.0);
        let skin = rig.skin(&moved[way]);
        let own = |v: usize| (0..BONES as u16).map(|bone| (bone, weights[v][usize::from(bone)] as f32)).collect();
        rig.skinned(&format!("arm by {}", WAYS[way]), skin, shape.at(offset).weighted_by_number(own));
    }
    rig.build()
}

pub(super) fn forearm(way: usize) -> String {
    format!("forearm, {}", WAYS[way])
}

pub(super) fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    let phi = settings.get("phi").to_radians();
    for way in 0..3 {
        change(skeleton, local, &forearm(way), |t| t.rotation = Quat::from_rotation_z(-phi));
    }
}

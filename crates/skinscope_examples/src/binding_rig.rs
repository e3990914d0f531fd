//! The rig of [`super::automatic_binding`]: an arm bound in several ways, three at a time, as it is bound and as it is moved.

use std::sync::LazyLock;

use glam::{DVec3, Quat, Vec3};
use skinscope_base::math::Ramp;
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::Settings;
use super::arm_binding::{Arm, BONES, Capsule, Paths, SIDES, alone, heaviest};
use super::rig::{Rig, Shape, change};

/// Where the shoulders are: three columns, the bound arm above and the one that is moved below.
pub(super) const COLUMNS: [f64; 3] = [-2.75, -0.7, 1.35];
pub(super) const ROWS: [f64; 2] = [1.85, -0.15];
/// The ways to bind, as the picture names them. Left are the first, in the middle the second, and right one of the others.
pub(super) const WAYS: [&str; 5] = ["capsules", "lines and planes", "tetrahedra", "voxels", "heat"];
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

/// The weights that methods of `skinscope_bind` find. They depend on the arm alone, so that each is found once, when it is first shown.
static BY_LINE: LazyLock<Vec<[f64; BONES]>> = LazyLock::new(|| ARM.0.by_method("line"));
static BY_VOXELS: LazyLock<Vec<[f64; BONES]>> = LazyLock::new(|| ARM.0.by_method("voxel"));
static BY_HEAT: LazyLock<Vec<[f64; BONES]>> = LazyLock::new(|| ARM.0.by_method("heat"));

/// A position on the arm in a column of the upper row.
pub(super) fn in_column(column: usize, p: DVec3) -> Vec3 {
    (p + DVec3::new(COLUMNS[column], ROWS[0], 0.0)).as_vec3()
}

pub(super) fn vertex_in_column(column: usize, vertex: usize) -> Vec3 {
    in_column(column, ARM.0.positions[vertex])
}

/// The way of each column, as an index of [`WAYS`].
pub(super) fn shown(settings: &Settings) -> [usize; COLUMNS.len()] {
    [0, 1, (2 + settings.get("way").round().max(0.0) as usize).min(WAYS.len() - 1)]
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

/// The bone of each vertex by one of the [`WAYS`]; where that shares a vertex among bones, the one with the most weight.
pub(super) fn bones(settings: &Settings, way: usize) -> Vec<usize> {
    let (arm, paths) = &*ARM;
    match way {
        0 => arm.by_capsules(&capsules(settings)),
        1 => heaviest(&BY_LINE),
        2 => arm.by_paths(paths),
        3 => heaviest(&BY_VOXELS),
        _ => heaviest(&BY_HEAT),
    }
}

/// The weights by one of the [`WAYS`] after so many steps of smoothing. At first voxels and heat blend, and the others give each vertex
/// one bone.
pub(super) fn bound(settings: &Settings, way: usize, steps: usize) -> Vec<[f64; BONES]> {
    let first = match way {
        3 => BY_VOXELS.clone(),
        4 => BY_HEAT.clone(),
        _ => alone(&bones(settings, way)),
    };
    ARM.0.smoothed(first, steps)
}

/// The vertices that capsules and the way of the right column do not agree about.
pub(super) fn apart(settings: &Settings) -> Vec<usize> {
    let [capsules, others] = [0, shown(settings)[2]].map(|way| bones(settings, way));
    (0..capsules.len()).filter(|v| capsules[*v] != others[*v]).collect()
}

/// The vertices that several bones move, by one of the [`WAYS`]: no bone has 99 % of the weight.
pub(super) fn blended(settings: &Settings, way: usize) -> Vec<usize> {
    let weights = bound(settings, way, steps(settings));
    (0..weights.len()).filter(|v| weights[*v].iter().all(|share| *share < 0.99)).collect()
}

/// ```text
/// root ─┬─ bound by …                                  the arms of the upper row
///       └─ upper arm … ── forearm … ── hand …          once for each column, below
/// ```
pub(super) fn model(settings: &Settings) -> Model {
    let mut rig = Rig::new("Automatic binding");
    let arm = &ARM.0;
    let [_, elbow, wrist] = [0, 1, 2].map(|bone| arm.bones[bone][0].as_vec3());
    let columns = 0..COLUMNS.len();
    let above: Vec<NodeId> = columns
        .clone()
        .map(|column| {
            rig.joint(&format!("bound, column {}", column + 1), NodeId(0), in_column(column, DVec3::ZERO).to_array())
        })
        .collect();
    let moved: Vec<[NodeId; BONES]> = columns
        .map(|column| {
            let at = [COLUMNS[column] as f32, ROWS[1] as f32, 0.0];
            let upper = rig.joint(&format!("upper arm, column {}", column + 1), NodeId(0), at);
            let fore = rig.joint(&forearm(column), upper, elbow.to_array());
            [upper, fore, rig.joint(&format!("hand, column {}", column + 1), fore, (wrist - elbow).to_array())]
        })
        .collect();
    for (column, way) in shown(settings).into_iter().enumerate() {
        let weights = bound(settings, way, steps(settings));
        let color = |v: usize| {
            let [r, g, b] = Ramp::Heat.color(weights[v][1] as f32).map(|c| (c * 255.0).round() as u32);
            r << 16 | g << 8 | b
        };
        let positions = arm.positions.iter().map(|p| p.as_vec3()).collect();
        let shape = Shape::of(positions, arm.indices.clone()).painted_by_number(color);
        rig.rigid(&format!("weights by {}", WAYS[way]), above[column], shape.clone());
        let offset = Vec3::new(COLUMNS[column] as f32, ROWS[1] as f32, 0.0);
        let skin = rig.skin(&moved[column]);
        let own = |v: usize| (0..BONES as u16).map(|bone| (bone, weights[v][usize::from(bone)] as f32)).collect();
        rig.skinned(&format!("arm by {}", WAYS[way]), skin, shape.at(offset).weighted_by_number(own));
    }
    rig.build()
}

pub(super) fn forearm(column: usize) -> String {
    format!("forearm, column {}", column + 1)
}

pub(super) fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    let phi = settings.get("phi").to_radians();
    for column in 0..COLUMNS.len() {
        change(skeleton, local, &forearm(column), |t| t.rotation = Quat::from_rotation_z(-phi));
    }
}

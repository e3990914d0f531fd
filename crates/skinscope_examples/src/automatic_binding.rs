//! Automatic binding: what capsules, lines with planes, paths through tetrahedra, voxels and heat make of one arm, before and after
//! smoothing.

use glam::{DQuat, DVec3, Vec3};

use super::arm_binding::{BONES, Capsule, Divide, nearest};
use super::binding_rig::{
    ARM, CAPSULE_SLIDERS, COLUMNS, MARKED, ROWS, WAYS, apart, blended, bound, capsules, in_column, model, pose, shown,
    steps, vertex_in_column,
};
use super::moment::Moment;
use super::symbol::symbols;
use super::{Handle, Mark, MarkInk, Scene, Settings, Symbol, Unit};

/// The row of this example in [`super::SCENES`].
pub(super) static AUTOMATIC_BINDING: Scene = Scene {
    id: "automatic-binding",
    text: include_str!("../../../assets/examples/automatic-binding.md"),
    sliders: &[
        "r", "n", "phi", "way", "x", "y", "fx", "fy", "ux", "uy", "ux2", "uy2", "ur", "hx", "hy", "hx2", "hy2", "hr",
    ],
    rebuilds: &["r", "n", "way", "x", "y", "fx", "fy", "ux", "uy", "ux2", "uy2", "ur", "hx", "hy", "hx2", "hy2", "hr"],
    dragged: &["x", "y", "fx", "fy", "ux", "uy", "ux2", "uy2", "ur", "hx", "hy", "hx2", "hy2", "hr"],
    symbols: SYMBOLS,
    stage: [[-3.6, -1.95, -0.3], [3.35, 2.15, 0.3]],
    model,
    pose,
    marks: |moment| {
        let mut marks: Vec<Mark> =
            (0..BONES).flat_map(|bone| outline(&capsules(moment.settings())[bone], MarkInk::Dim)).collect();
        for handle in HANDLES {
            marks.push(Mark::dot((handle.at)(moment.settings()), MarkInk::Second, "").wide(9.0));
        }
        let end = in_column(0, capsules(moment.settings())[1].ends[1]);
        marks.push(Mark::named_aside(end, Vec3::new(0.15, 0.18, 0.0), "drag"));
        marks.extend(ARM.0.divides().iter().map(|divide| plane(divide, MarkInk::Dim)));
        let ways = shown(moment.settings());
        if WAYS[ways[2]] == "tetrahedra" {
            marks.extend(ARM.0.cut().iter().map(|edge| tetrahedron_edge(*edge)));
            marks.extend(ARM.1.iter().map(|paths| Mark::dot(node_in_column(paths.seed), MarkInk::Dim, "").wide(8.0)));
        }
        for (column, way) in ways.into_iter().enumerate() {
            marks.push(Mark::dot(vertex_in_column(column, MARKED), MarkInk::Accent, "").wide(9.0));
            marks.push(Mark::name(in_column(column, DVec3::Y * 0.16), WAYS[way]));
        }
        marks
    },
    handles: HANDLES,
    ..Scene::PLAIN
};

/// Both ends and the rim of every capsule.
static HANDLES: &[Handle] = &[
    end::<0, 0>("First end of the upper arm's capsule"),
    end::<0, 1>("Last end of the upper arm's capsule"),
    rim::<0>("Radius of the upper arm's capsule"),
    end::<1, 0>("First end of the forearm's capsule"),
    end::<1, 1>("Last end of the forearm's capsule"),
    rim::<1>("Radius of the forearm's capsule"),
    end::<2, 0>("First end of the hand's capsule"),
    end::<2, 1>("Last end of the hand's capsule"),
    rim::<2>("Radius of the hand's capsule"),
];

const fn end<const BONE: usize, const END: usize>(name: &'static str) -> Handle {
    Handle {
        name,
        at: |settings| in_column(0, capsules(settings)[BONE].ends[END]),
        drag: |_, to| vec![(CAPSULE_SLIDERS[BONE][2 * END], to.x), (CAPSULE_SLIDERS[BONE][2 * END + 1], to.y)],
    }
}

/// The point of the rim beside the middle of a capsule; the radius is how far it is dragged from the capsule's middle line.
const fn rim<const BONE: usize>(name: &'static str) -> Handle {
    Handle {
        name,
        at: |settings| {
            let capsule = capsules(settings)[BONE];
            in_column(0, capsule.ends[0].midpoint(capsule.ends[1]) + aside(&capsule))
        },
        drag: |settings, to| {
            let from_shoulder = to.as_dvec3() - DVec3::new(COLUMNS[0], ROWS[0], 0.0);
            let far = nearest(capsules(settings)[BONE].ends, from_shoulder).distance(from_shoulder);
            vec![(CAPSULE_SLIDERS[BONE][4], far as f32)]
        },
    }
}

/// From the middle line of a capsule to its rim, across it in the plane of the arm.
fn aside(capsule: &Capsule) -> DVec3 {
    (capsule.ends[1] - capsule.ends[0]).normalize_or(DVec3::Y).cross(DVec3::Z) * capsule.radius
}

/// Where a node of the tetrahedra is in the right column.
fn node_in_column(node: usize) -> Vec3 {
    in_column(2, ARM.0.node(node))
}

fn tetrahedron_edge(edge: [usize; 2]) -> Mark {
    Mark::line(edge.map(node_in_column).to_vec(), MarkInk::Dim, "").wide(1.0)
}

/// A line from the marked vertex to the nearest point of the middle of a capsule.
fn to_capsule(moment: &Moment, bone: usize, label: &str) -> Vec<Mark> {
    let foot = nearest(capsules(moment.settings())[bone].ends, marked());
    vec![Mark::line(vec![vertex_in_column(0, MARKED), in_column(0, foot)], MarkInk::Accent, label).wide(4.0)]
}

/// The shortest path from the middle of a bone to the marked vertex.
fn path(bone: usize, label: &str) -> Vec<Mark> {
    let points = ARM.1[bone].to(MARKED).into_iter().map(node_in_column).collect();
    vec![
        Mark::line(points, MarkInk::Accent, "").wide(4.0),
        Mark::dot(node_in_column(ARM.1[bone].seed), MarkInk::Accent, label),
    ]
}

static SYMBOLS: &[Symbol] = symbols! {
    "q1" "q" [below: "1"] "the score of the marked vertex in the capsule of the upper arm; at most 1 inside" =>
        |m| capsules(m.settings())[0].score(marked()).into(), |m| outline(&capsules(m.settings())[0], MarkInk::Accent);
    "q2" "q" [below: "2"] "its score in the capsule of the forearm" =>
        |m| capsules(m.settings())[1].score(marked()).into(), |m| outline(&capsules(m.settings())[1], MarkInk::Accent);
    "d1" "d" [below: "1", unit: Unit::Metres] "how far the marked vertex is from the middle of the upper arm's capsule" =>
        |m| nearest(capsules(m.settings())[0].ends, marked()).distance(marked()).into(), |m| to_capsule(m, 0, "d₁");
    "d2" "d" [below: "2", unit: Unit::Metres] "how far it is from the middle of the forearm's capsule" =>
        |m| nearest(capsules(m.settings())[1].ends, marked()).distance(marked()).into(), |m| to_capsule(m, 1, "d₂");
    "r1" "r" [below: "1", unit: Unit::Metres] "the radius of the upper arm's capsule" =>
        |m| m.slider("ur").into(), |m| outline(&capsules(m.settings())[0], MarkInk::Accent);
    "r2" "r" [below: "2", unit: Unit::Metres] "the radius of the forearm's capsule" =>
        |m| m.slider("r").into(), |m| outline(&capsules(m.settings())[1], MarkInk::Accent);
    "h" "h" [unit: Unit::Metres]
        "how far the marked vertex is beyond the plane of the elbow; negative on the side of the upper arm" =>
        |_| elbow().beyond(marked()).into(),
        |_| {
            let foot = marked() - elbow().normal * elbow().beyond(marked());
            vec![Mark::line(vec![in_column(1, foot), vertex_in_column(1, MARKED)], MarkInk::Accent, "h").wide(4.0)]
        };
    "m" "m" [bold: true] "the normal of that plane, towards the forearm" =>
        |_| elbow().normal.into(),
        |_| {
            let from = elbow().joint;
            let ends = [from, from + elbow().normal * 0.4].map(|p| in_column(1, p));
            vec![plane(&elbow(), MarkInk::Accent), Mark::line(ends.to_vec(), MarkInk::Accent, "m").wide(4.0)]
        };
    "v" "v" [bold: true] "the marked vertex at rest, from the shoulder" =>
        |_| marked().into(), |_| vec![Mark::dot(vertex_in_column(1, MARKED), MarkInk::Accent, "v")];
    "j" "j" [bold: true] "the joint of the elbow, from the shoulder" =>
        |_| elbow().joint.into(), |_| vec![Mark::dot(in_column(1, elbow().joint), MarkInk::Accent, "j")];
    "t1" "t" [below: "1", unit: Unit::Metres]
        "how far the path to the marked vertex leads beyond the end of the upper arm; negative within it" =>
        |_| (ARM.1[0].lengths[MARKED] - ARM.0.half(0)).into(), |_| path(0, "t₁");
    "t2" "t" [below: "2", unit: Unit::Metres] "how far it leads beyond the end of the forearm" =>
        |_| (ARM.1[1].lengths[MARKED] - ARM.0.half(1)).into(), |_| path(1, "t₂");
    "p1" "p" [below: "1", unit: Unit::Metres]
        "the path along the edges of the tetrahedra from the middle of the upper arm to the marked vertex" =>
        |_| ARM.1[0].lengths[MARKED].into(), |_| path(0, "p₁");
    "p2" "p" [below: "2", unit: Unit::Metres] "the path from the middle of the forearm" =>
        |_| ARM.1[1].lengths[MARKED].into(), |_| path(1, "p₂");
    "l1" "l" [below: "1", unit: Unit::Metres] "the length of the upper arm's bone" =>
        |_| (2.0 * ARM.0.half(0)).into(), |_| bone(0, "l₁");
    "l2" "l" [below: "2", unit: Unit::Metres] "the length of the forearm's bone" =>
        |_| (2.0 * ARM.0.half(1)).into(), |_| bone(1, "l₂");
    "w" "w" "the weight of the marked vertex for the forearm, by capsules, after n steps" =>
        |m| bound(m.settings(), 0, steps(m.settings()))[MARKED][1].into(),
        |_| vec![Mark::dot(vertex_in_column(0, MARKED), MarkInk::Accent, "w")];
    "a" "a" "the mean of that weight over the neighbours of the marked vertex" =>
        |m| ARM.0.mean(&bound(m.settings(), 0, steps(m.settings())), MARKED)[1].into(),
        |_| {
            ARM.0
                .around(MARKED)
                .iter()
                .map(|v| Mark::dot(vertex_in_column(0, *v), MarkInk::Accent, "").wide(7.0))
                .collect()
        };
    "w'" "w′" "that weight after one step more" =>
        |m| bound(m.settings(), 0, steps(m.settings()) + 1)[MARKED][1].into(),
        |_| vec![Mark::dot(vertex_in_column(0, MARKED), MarkInk::Accent, "w′")];
    "s" "s" [unit: Unit::Percent] "the share of vertices that capsules and the right arm do not agree about" =>
        |m| (apart(m.settings()).len() as f64 / ARM.0.positions.len() as f64).into(), |m| disagreed(m.settings());
    "u" "u" [unit: Unit::Decimals(0)] "how many these are" =>
        |m| (apart(m.settings()).len() as f64).into(), |m| disagreed(m.settings());
    "b" "b" [unit: Unit::Percent] "the share of the right arm's vertices that several bones move, none of them with 99 %" =>
        |m| (blended(m.settings(), shown(m.settings())[2]).len() as f64 / ARM.0.positions.len() as f64).into(),
        |m| shared(m.settings());
    "k" "k" [unit: Unit::Decimals(0)] "how many these are" =>
        |m| (blended(m.settings(), shown(m.settings())[2]).len() as f64).into(), |m| shared(m.settings());
    "N" "N" [unit: Unit::Decimals(0)] "how many vertices the arm has" =>
        |_| (ARM.0.positions.len() as f64).into(),
        |_| {
            (0..ARM.0.positions.len())
                .map(|v| Mark::dot(vertex_in_column(0, v), MarkInk::Accent, "").wide(3.0))
                .collect()
        };
};

fn marked() -> DVec3 {
    ARM.0.positions[MARKED]
}

fn elbow() -> Divide {
    ARM.0.divides()[0]
}

fn disagreed(settings: &Settings) -> Vec<Mark> {
    let mut out = vec![Mark::name(vertex_in_column(0, MARKED), "")];
    out.extend(apart(settings).into_iter().map(|v| Mark::dot(vertex_in_column(0, v), MarkInk::Accent, "").wide(7.0)));
    out
}

/// The vertices of the right arm that several bones move.
fn shared(settings: &Settings) -> Vec<Mark> {
    let mut out = vec![Mark::name(vertex_in_column(2, MARKED), "")];
    let dot = |v: usize| Mark::dot(vertex_in_column(2, v), MarkInk::Accent, "").wide(7.0);
    out.extend(blended(settings, shown(settings)[2]).into_iter().map(dot));
    out
}

fn bone(bone: usize, label: &str) -> Vec<Mark> {
    vec![Mark::line(ARM.0.bones[bone].map(|p| in_column(2, p)).to_vec(), MarkInk::Accent, label).wide(4.0)]
}

/// The outline of a capsule in the plane of the arm.
fn outline(capsule: &Capsule, ink: MarkInk) -> Vec<Mark> {
    let [from, to] = capsule.ends;
    let out = aside(capsule);
    let half = |center: DVec3, begin: DVec3| {
        (0..=16).map(move |i| center + DQuat::from_rotation_z(std::f64::consts::PI * f64::from(i) / 16.0) * begin)
    };
    let points: Vec<Vec3> = half(to, out).chain(half(from, -out)).chain([to + out]).map(|p| in_column(0, p)).collect();
    vec![Mark::line(points, ink, "").wide(2.0)]
}

/// Where a plane cuts that of the arm, through the middle column.
fn plane(divide: &Divide, ink: MarkInk) -> Mark {
    let along = divide.normal.cross(DVec3::Z);
    // The elbow's plane runs between both bones, the wrist's across its own.
    let reach = if divide.joint.distance(elbow().joint) < 1e-9 { [-0.35, 1.45] } else { [-0.3, 0.3] };
    let up = if along.y < 0.0 { -along } else { along };
    Mark::line(reach.map(|far| in_column(1, divide.joint + up * far)).to_vec(), ink, "").wide(2.0)
}

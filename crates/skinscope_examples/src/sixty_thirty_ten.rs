//! One vertex that three joints move: 60 % by joint 37, 30 % by joint 6, 10 % by joint 14.

use glam::{DVec3, Quat, Vec3};
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::moment::Moment;
use super::rig::{Rig, Shape, change};
use super::symbol::symbols;
use super::{Mark, MarkInk, Scene, Settings, Symbol, Unit, Value};

/// The joints, each with its name and where it rests, metres.
const JOINTS: [(&str, [f32; 3]); 3] =
    [("joint 37", [-0.9, 0.2, 0.0]), ("joint 6", [0.9, 0.2, 0.0]), ("joint 14", [0.0, 1.6, 0.0])];
/// Weights go in steps of one in so many.
const STEPS: usize = 20;
const INKS: [MarkInk; 3] = [MarkInk::First, MarkInk::Second, MarkInk::Third];

/// The row of this example in [`super::SCENES`].
pub(super) static SIXTY_THIRTY_TEN: Scene = Scene {
    id: "three-weights",
    text: include_str!("../../../assets/examples/three-weights.md"),
    sliders: &["w1", "w2", "turn"],
    symbols: SYMBOLS,
    stage: [[-1.65, -0.45, -0.3], [1.65, 1.95, 0.3]],
    model,
    pose,
    marks,
    ..Scene::PLAIN
};

static SYMBOLS: &[Symbol] = symbols! {
    like weight::<0>("w1", "1", "the weight that the vertex has for joint 37");
    like weight::<1>("w2", "2", "the weight that the vertex has for joint 6");
    like weight::<2>("w3", "3", "the weight that the vertex has for joint 14: what the other two leave");
    "W" "W" [below: "1", bold: true] "the matrix that takes joint 37's own space to the world, as it stands now" =>
        |moment| Value::in_plane(moment.exact_node(JOINTS[0].0)),
        |moment| Mark::frame(moment.exact_node(JOINTS[0].0), 0.35, MarkInk::Accent, "W₁");
    "B" "B" [below: "1", bold: true] "the same matrix when the plate was bound: the binding matrix of joint 37" =>
        |moment| Value::in_plane(moment.rest_node(JOINTS[0].0)),
        |moment| Mark::frame(moment.rest_node(JOINTS[0].0), 0.35, MarkInk::Accent, "B₁");
    "M" "M" [below: "1", bold: true]
        "the skinning matrix of joint 37; the outline is the whole plate as this joint alone would carry it" =>
        |moment| Value::in_plane(moment.skinning_matrix(0, 0)),
        |moment| {
            let m = moment.skinning_matrix(0, 0);
            let corner = |i: usize| m.transform_point3(Vec3::from(JOINTS[i % 3].1).as_dvec3()).as_vec3();
            vec![Mark::line((0..=3).map(corner).collect(), MarkInk::Accent, "M₁")]
        };
    "v" "v" [bold: true] "the vertex as it was modelled" =>
        |moment| Value::plane_point(stored(moment)), |moment| vec![Mark::dot(stored(moment).as_vec3(), MarkInk::Accent, "v")];
    like alone_symbol::<0>("p1", "1", "where joint 37 alone would carry the vertex");
    like alone_symbol::<1>("p2", "2", "where joint 6 alone would carry the vertex");
    like alone_symbol::<2>("p3", "3", "where joint 14 alone would carry the vertex");
    "p" "p" [bold: true] "where the vertex is, measured on the skinned surface" =>
        |moment| Value::plane_point(moment.vertex("linear", 0, vertex(moment))),
        |moment| {
            let corners = (0..=3).map(|i| alone(moment, i % 3).as_vec3()).collect();
            let at = moment.vertex("linear", 0, vertex(moment)).as_vec3();
            vec![Mark::line(corners, MarkInk::Accent, ""), Mark::dot(at, MarkInk::Accent, "p")]
        };
};

const fn weight<const JOINT: usize>(id: &'static str, below: &'static str, words: &'static str) -> Symbol {
    Symbol {
        id,
        letter: "w",
        below,
        unit: Unit::Decimals(2),
        words,
        value: |moment| (weights(moment)[JOINT] as f64 / STEPS as f64).into(),
        marks: |moment| {
            let at = moment.vertex("linear", 0, vertex(moment)).as_vec3();
            vec![Mark::line(vec![alone(moment, JOINT).as_vec3(), at], MarkInk::Accent, "").wide(6.0)]
        },
        ..Symbol::PLAIN
    }
}

const fn alone_symbol<const JOINT: usize>(id: &'static str, below: &'static str, words: &'static str) -> Symbol {
    Symbol {
        id,
        letter: "p",
        below,
        bold: true,
        words,
        value: |moment| Value::plane_point(alone(moment, JOINT)),
        marks: |moment| {
            vec![Mark::dot(alone(moment, JOINT).as_vec3(), MarkInk::Accent, ["p₁", "p₂", "p₃"][JOINT]).wide(16.0)]
        },
        ..Symbol::PLAIN
    }
}

/// A triangle whose corners are the joints. Vertex number [`number_of`] has weights in steps, as near as it is to each corner.
///
/// ```text
///        joint 14
///        /      \
/// joint 37 ── joint 6
/// ```
fn model(_: &Settings) -> Model {
    let mut rig = Rig::new("60 %, 30 %, 10 %");
    let joints: Vec<NodeId> = JOINTS.iter().map(|(name, at)| rig.joint(name, NodeId(0), *at)).collect();
    let skin = rig.skin(&joints);
    rig.skinned("plate", skin, plate());
    rig.build()
}

fn plate() -> Shape {
    let mut rows = Vec::new();
    for first in 0..=STEPS {
        for second in 0..=STEPS - first {
            rows.push([first, second, STEPS - first - second]);
        }
    }
    let share = |steps: usize| steps as f32 / STEPS as f32;
    let blended = |w: &[usize; 3]| (0..3).map(|i| Vec3::from(JOINTS[i].1) * share(w[i])).sum::<Vec3>();
    let mut indices = Vec::new();
    for first in 0..STEPS {
        for second in 0..STEPS - first {
            let [a, b, c] = [(first, second), (first, second + 1), (first + 1, second)].map(|(i, j)| number_of(i, j));
            // Seen from +Z: corner 37 lies left below, 6 right below, 14 above.
            indices.extend([a, c, b]);
            if first + second + 1 < STEPS {
                indices.extend([b, c, number_of(first + 1, second + 1)]);
            }
        }
    }
    let weights: Vec<[f32; 3]> = rows.iter().map(|w| w.map(share)).collect();
    // Each corner has the colour of its joint's lines, a little darker.
    const CORNERS: [[f32; 3]; 3] = [[150.0, 156.0, 166.0], [60.0, 122.0, 72.0], [146.0, 66.0, 62.0]];
    let color = |w: &[f32; 3]| {
        (0..3).fold(0, |out, channel| out << 8 | (0..3).map(|i| w[i] * CORNERS[i][channel]).sum::<f32>().round() as u32)
    };
    let colors: Vec<u32> = rows.iter().map(|w| color(&w.map(share))).collect();
    Shape::of(rows.iter().map(blended).collect(), indices.into_iter().map(|i| i as u32).collect())
        .painted_by_number(|i| colors[i])
        .weighted_by_number(|i| (0..3).map(|joint| (joint as u16, weights[i][joint])).collect())
}

/// The number of the vertex with so many steps of weight for the first and the second joint.
fn number_of(first: usize, second: usize) -> usize {
    // Row `first` has one vertex less than the row before it.
    first * (STEPS + 1) - first * first.saturating_sub(1) / 2 + second
}

fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    let turn = settings.get("turn").to_radians();
    change(skeleton, local, JOINTS[0].0, |t| t.rotation = Quat::from_rotation_z(turn));
    change(skeleton, local, JOINTS[1].0, |t| t.rotation = Quat::from_rotation_z(-turn));
    change(skeleton, local, JOINTS[2].0, |t| t.translation.y += 0.1);
}

/// The weights of the marked vertex, in steps.
fn weights(moment: &Moment) -> [usize; 3] {
    let steps = |id: &str| (moment.slider(id) * STEPS as f64).round() as usize;
    let [first, second] = ["w1", "w2"].map(steps);
    [first, second, STEPS.saturating_sub(first + second)]
}

fn vertex(moment: &Moment) -> usize {
    let [first, second, _] = weights(moment);
    number_of(first, second)
}

fn stored(moment: &Moment) -> DVec3 {
    moment.stored_vertex(0, vertex(moment))
}

/// Where a joint alone would carry the marked vertex.
fn alone(moment: &Moment, joint: usize) -> DVec3 {
    moment.alone(joint, 0, vertex(moment))
}

/// The joints by name, the triangle of the three positions, and lines from there to the vertex that are as wide as the weights.
fn marks(moment: &Moment) -> Vec<Mark> {
    let at = moment.vertex("linear", 0, vertex(moment)).as_vec3();
    let name = |(name, _): &(&str, _)| Mark::dot(moment.joint_position(name), MarkInk::Dim, *name).wide(6.0);
    let mut out: Vec<Mark> = JOINTS.iter().map(name).collect();
    out.push(Mark::line((0..=3).map(|i| alone(moment, i % 3).as_vec3()).collect(), MarkInk::Dim, "").wide(1.5));
    for (joint, steps) in weights(moment).into_iter().enumerate() {
        let alone_at = alone(moment, joint).as_vec3();
        out.push(Mark::line(vec![alone_at, at], INKS[joint], "").wide(1.0 + 7.0 * steps as f32 / STEPS as f32));
        out.push(Mark::dot(alone_at, INKS[joint], ["p₁", "p₂", "p₃"][joint]));
    }
    out.push(Mark::dot(at, MarkInk::First, "p").wide(14.0));
    out
}

#[cfg(test)]
mod tests {
    use glam::DAffine3;

    use super::*;

    /// The book's own example in double precision: (3.3) with the binding matrices and world matrices written out.
    #[test]
    fn the_vertex_stands_where_the_book_says_over_all_sliders() {
        let first = Moment::new(Settings::of(SIXTY_THIRTY_TEN.example()));
        assert_eq!(weights(&first), [12, 6, 2]);
        for turn in (-90..=90).step_by(15) {
            for w1 in 0..=STEPS {
                for w2 in (0..=STEPS).step_by(4) {
                    let moment = first
                        .with("turn", turn as f32)
                        .with("w2", w2 as f32 / STEPS as f32)
                        .with("w1", w1 as f32 / STEPS as f32);
                    // The slider that was moved last is right.
                    let w2 = w2.min(STEPS - w1);
                    assert_eq!(
                        [moment.slider("w1"), moment.slider("w2")].map(|w| (w * 20.0).round() as usize),
                        [w1, w2]
                    );
                    let w = [w1, w2, STEPS - w1 - w2].map(|steps| steps as f64 / STEPS as f64);
                    let corner = |i: usize| Vec3::from(JOINTS[i].1).as_dvec3();
                    let v: DVec3 = (0..3).map(|i| corner(i) * w[i]).sum();
                    let angle = f64::from(turn).to_radians();
                    let world = [
                        DAffine3::from_translation(corner(0)) * DAffine3::from_rotation_z(angle),
                        DAffine3::from_translation(corner(1)) * DAffine3::from_rotation_z(-angle),
                        DAffine3::from_translation(corner(2) + DVec3::Y * 0.1),
                    ];
                    let bind = [0, 1, 2].map(|i| DAffine3::from_translation(corner(i)));
                    let wanted: DVec3 = (0..3).map(|i| (world[i] * bind[i].inverse()).transform_point3(v) * w[i]).sum();
                    let got = moment.vertex("linear", 0, vertex(&moment));
                    assert!(got.distance(wanted) < 1e-6, "{turn}° {w:?}: {got} {wanted}");
                }
            }
        }
    }

    #[test]
    fn every_vertex_is_found_by_its_weights() {
        let moment = Moment::new(Settings::of(SIXTY_THIRTY_TEN.example()));
        let primitive = &moment.model().meshes[0].primitives[0];
        let influences = primitive.stored_influences.as_ref().unwrap();
        let mut seen = 0;
        for first in 0..=STEPS {
            for second in 0..=STEPS - first {
                let (_, weights) = influences.of(number_of(first, second));
                let third = STEPS - first - second;
                let wanted = [first, second, third].map(|steps| steps as f32 / STEPS as f32);
                assert_eq!(weights[..3], wanted);
                seen += 1;
            }
        }
        assert_eq!(seen, primitive.positions.len());
        assert!(primitive.normals.iter().all(|n| n.z > 0.99), "it faces the camera");
    }
}

//! Normals and tangents as lines over the surface.

use glam::Vec3;
use skinscope_base::math::Projection;
use skinscope_deform::{Deformed, Surface};
use skinscope_frame::{Frame, Line};

use super::SceneColors;
use crate::surfaces::tangents::CarriedTangent;
use crate::{Surfaces, Toggle};

/// The length of a line, as a share of the size of the model.
const LENGTH: f32 = 0.015;
/// The width of a line and of the dot where there is no direction, pixels.
const WIDTH: f32 = 1.25;
const DOT: f32 = 5.0;
/// The most vertices whose lines are drawn; of more, every second, third… vertex has lines.
pub(super) const MOST: usize = 50_000;

/// Adds the lines that the view asks for: from each vertex of `surface` along its normal, along its tangent, where the vertex faces
/// the camera; and a dot where the normal has length zero.
pub(super) fn add_directions(
    frame: &mut Frame,
    surfaces: Surfaces<'_>,
    surface: Option<&Surface>,
    colors: &SceneColors,
) {
    let wants = [Toggle::Normals, Toggle::Tangents].map(|toggle| surfaces.view.is_on(toggle));
    let Some(surface) = surface.filter(|_| wants.contains(&true)) else { return };
    let count: usize = surface.parts.iter().map(|p| p.deformed.positions.len() * p.copies.len().max(1)).sum();
    let step = count.div_ceil(MOST).max(1);
    let length = LENGTH * surfaces.pose.opened_bounds.diagonal();
    for part in &surface.parts {
        // Those that the file has are deformed with the surface.
        let lacks = wants[1] && part.deformed.tangents.is_empty();
        let computed = surfaces.deforming.document.zip(surfaces.deforming.shown_model()).filter(|_| lacks).map_or(
            &[][..],
            |(document, model)| {
                let mesh = model.instances[part.instance.index()].mesh;
                document.computed_tangents().of_primitive(mesh, part.primitive)
            },
        );
        if part.copies.is_empty() {
            lines_of(frame, (&part.deformed, computed), (wants, step, length), colors);
        }
        for copy in 0..part.copies.len() {
            lines_of(frame, (&part.copy(copy), computed), (wants, step, length), colors);
        }
    }
}

fn lines_of(
    frame: &mut Frame,
    (of, computed): (&Deformed, &[Option<CarriedTangent>]),
    (wants, step, length): ([bool; 2], usize, f32),
    colors: &SceneColors,
) {
    let eye = Vec3::from(frame.camera.world_from_view.translation);
    let back = Vec3::from(frame.camera.world_from_view.matrix3.z_axis);
    let is_flat = matches!(frame.camera.projection, Projection::Orthographic { .. });
    for (i, (from, normal)) in of.positions.iter().zip(&of.normals).enumerate().step_by(step) {
        let towards = if is_flat { back } else { eye - *from };
        let is_seen = normal.dot(towards) > 0.0;
        if wants[0] && *normal == Vec3::ZERO {
            frame.lines.push(Line { from: *from, to: *from, width: DOT, color: colors.edited });
        }
        if wants[0] && is_seen {
            let to = *from + *normal * length;
            frame.lines.push(Line { from: *from, to, width: WIDTH, color: colors.axes[2] });
        }
        if !wants[1] || !is_seen {
            continue;
        }
        let stored = of.tangents.get(i).map(|t| t.truncate());
        let tangent = stored.or_else(|| Some(computed.get(i)?.as_ref()?.posed(of)));
        if let Some(tangent) = tangent.filter(|t| *t != Vec3::ZERO) {
            let to = *from + tangent * length;
            frame.lines.push(Line { from: *from, to, width: WIDTH, color: colors.axes[0] });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skinscope_inspect::VertexRef;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{InstanceId, Model, ModelParts, NodeId};

    use super::*;
    use crate::{ChannelValue, ComparisonCommand, Document, EditCommand, Session, ViewCommand};

    /// A bent tube whose tangents run along it.
    fn open() -> Session {
        let mut parts = ModelParts::clone(&tube(Tube { joints: 3, ..Tube::default() }));
        let primitive = &mut parts.meshes[0].primitives[0];
        primitive.tangents = vec![Vec3::Y.extend(1.0); primitive.positions.len()];
        let mut session = Session::default();
        session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
        session.apply(ViewCommand::Set(Toggle::Bones, false));
        session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(70.0, 0.0, 20.0))));
        session.update_pose();
        session
    }

    #[test]
    fn a_file_without_tangents_has_those_of_mikktspace_and_they_follow_the_surface() {
        // Texture coordinates run along the tube, and around it.
        let mut parts = ModelParts::clone(&tube(Tube { joints: 3, ..Tube::default() }));
        let primitive = &mut parts.meshes[0].primitives[0];
        let around = |p: &Vec3| p.z.atan2(p.x) / std::f32::consts::TAU;
        primitive.uvs[0] = primitive.positions.iter().map(|p| glam::Vec2::new(p.y, around(p))).collect();
        let mut session = Session::default();
        session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
        session.apply(ViewCommand::Set(Toggle::Bones, false));
        session.apply(crate::PlaybackCommand::SetPose(crate::PoseSource::Rest));
        session.update_pose();
        assert_eq!(session.picking().tangents_note(), None);
        session.apply(ViewCommand::Set(Toggle::Tangents, true));
        assert!(session.picking().tangents_note().unwrap().contains("computed by MikkTSpace"));
        let along = |lines: Vec<Line>| lines.iter().map(|l| (l.to - l.from).normalize()).collect::<Vec<_>>();
        let rest = along(lines(&session).0);
        let upright = rest.iter().filter(|t| t.y > 0.999).count();
        assert!(rest.len() > 20 && upright * 10 > rest.len() * 8, "{upright} of {} run along the tube", rest.len());
        // The whole tube is laid down, and its tangents with it.
        session.apply(EditCommand::Edit(NodeId(0), ChannelValue::Rotation(Vec3::new(0.0, 0.0, 90.0))));
        session.update_pose();
        let lying = along(lines(&session).0);
        let level = lying.iter().filter(|t| t.x < -0.999).count();
        assert!(lying.len() > 20 && level * 10 > lying.len() * 8, "{level} of {}", lying.len());
    }

    #[test]
    fn without_texture_coordinates_it_is_said_that_there_are_no_tangents() {
        let mut session = Session::default();
        let mut parts = ModelParts::clone(&tube(Tube { joints: 3, ..Tube::default() }));
        parts.meshes[0].primitives[0].uvs = Default::default();
        session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
        session.apply(ViewCommand::Set(Toggle::Tangents, true));
        session.update_pose();
        assert!(session.picking().tangents_note().unwrap().starts_with("No tangents"));
    }

    fn lines(session: &Session) -> (Vec<Line>, Option<Vec<Line>>) {
        let mut frame = Frame::default();
        session.build_frame(&mut frame, &SceneColors::DARK);
        (frame.lines.clone(), frame.compared.map(|other| other.frame.lines))
    }

    #[test]
    fn lines_run_along_what_was_deformed_where_it_faces_the_camera() {
        let mut session = open();
        assert!(lines(&session).0.is_empty());
        let surface = session.surfaces().surface().unwrap();
        let of = &surface.parts[0].deformed;
        for (toggle, along) in [
            (Toggle::Normals, of.normals.clone()),
            (Toggle::Tangents, of.tangents.iter().map(|t| t.truncate()).collect::<Vec<_>>()),
        ] {
            session.apply(ViewCommand::Set(toggle, true));
            let (drawn, _) = lines(&session);
            let eye = Vec3::from(session.view().world_from_view().translation);
            let seen = (0..along.len()).filter(|i| of.normals[*i].dot(eye - of.positions[*i]) > 0.0);
            let seen: Vec<usize> = seen.collect();
            assert!(
                drawn.len() == seen.len() && seen.len() > along.len() / 5 && seen.len() < along.len(),
                "{toggle:?}"
            );
            let length = LENGTH * session.pose().opened_bounds.diagonal();
            for (line, i) in drawn.iter().zip(seen) {
                assert_eq!(line.from, of.positions[i]);
                assert!((line.to - line.from - along[i] * length).length() < 1e-5, "{toggle:?}");
            }
            session.apply(ViewCommand::Set(toggle, false));
        }
        assert!(lines(&session).0.is_empty());
    }

    #[test]
    fn each_side_of_a_comparison_has_its_own_lines() {
        let mut session = open();
        session.apply(ViewCommand::Set(Toggle::Normals, true));
        session.apply(ComparisonCommand::Set(true));
        session.apply(ComparisonCommand::SetMethod("dual-quaternion"));
        let (first, second) = lines(&session);
        let (one, other) = (
            session.surfaces().surface().unwrap(),
            session.surfaces().compared_surfaces().unwrap().surfaces[1].clone(),
        );
        let stands =
            |lines: &[Line], at: &Surface| lines.iter().all(|l| at.parts[0].deformed.positions.contains(&l.from));
        let second = second.unwrap();
        assert!(!first.is_empty() && stands(&first, &one) && stands(&second, &other) && !stands(&second, &one));
    }

    #[test]
    fn a_dot_stands_where_a_normal_has_length_zero() {
        let mut session = open();
        session.apply(ViewCommand::Set(Toggle::Normals, true));
        for node in 1..4 {
            session.apply(EditCommand::Edit(NodeId(node), ChannelValue::Scale(Vec3::ZERO)));
        }
        session.update_pose();
        let (drawn, _) = lines(&session);
        let count = session.model().unwrap().meshes[0].primitives[0].positions.len();
        assert!(drawn.len() == count && drawn.iter().all(|l| l.from == l.to && l.color == SceneColors::DARK.edited));
    }

    #[test]
    fn the_directions_of_one_vertex_are_those_of_the_surface() {
        for (id, with_surface) in [("linear", false), ("linear", true), ("mixed", false), ("polar", true)] {
            let mut session = open();
            session.apply(ViewCommand::SetMethod(id));
            session.prepare();
            session.update_pose();
            let vertex = VertexRef { instance: InstanceId(0), primitive: 0, vertex: 70 };
            let alone = (!with_surface).then(|| session.picking().directions(vertex, false).unwrap());
            let surface = session.surfaces().surface().unwrap();
            let of = &surface.parts[0].deformed;
            let said = alone.or_else(|| session.picking().directions(vertex, false)).unwrap();
            assert!((said.normal - of.normals[70]).length() < 1e-6, "{id}");
            assert!((said.tangent.unwrap() - of.tangents[70]).length() < 1e-6, "{id}");
            let cosine = of.normals[70].dot(of.tangents[70].truncate());
            assert!((said.angle().unwrap().to_radians().cos() - cosine).abs() < 1e-5, "{id}");
        }
    }
}

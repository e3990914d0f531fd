//! Builds the frame of a session.

use std::sync::Arc;

use glam::{Vec3, Vec4};
use skinscope_base::math::{Aabb, Projection};
use skinscope_deform::{Deformer, Surface};
use skinscope_edit::has_bare_mesh;
use skinscope_examples::{Mark, MarkInk};
use skinscope_frame::{Bone, Camera, Compared, Display, Dots, Frame, Grid, Light, Line, SideLayout, joint_color};
use skinscope_inspect::{BoneShape, Explanation, Term};
use skinscope_model::{Change, Model, NodeId, Property};

use super::beside::add_beside;
use super::bind_shapes::add_bind_shapes;
use super::bounds::add_bounds;
use super::brush_bones::thin_bones;
use super::colors::SceneColors;
use super::directions::add_directions;
use super::onion::add_onion_skins;
use super::placed::add_placed;
use super::ring::add_ring;
use super::trail::add_trail;
use super::vertex_drag::add_vertex_drag;
use crate::{
    Bones, ComparisonLayout, Edits, FileLights, Lighting, MethodChoice, Pose, PosedLight, Session, Surfaces, Toggle,
    View,
};

/// The radii of dots in pixels: of vertices and of marked ones.
const DOT_RADIUS: [f32; 2] = [2.5, 5.0];

/// Does what [`Session::build_frame`] says.
pub(super) fn build(frame: &mut Frame, session: &Session, colors: &SceneColors) {
    let compared = frame.compared.take();
    let beside = std::mem::take(&mut frame.beside);
    build_alone(frame, session, colors);
    let draws_directions = [Toggle::Normals, Toggle::Tangents].iter().any(|toggle| session.view().is_on(*toggle));
    let Some(comparison) = session.deforming().comparison() else {
        add_onion_skins(frame, session.pose(), colors);
        let add_own = |frame: &mut Frame, session: &Session| {
            let surface = draws_directions.then(|| session.surfaces().surface()).flatten();
            add_directions(frame, session.surfaces(), surface.as_deref(), colors);
        };
        add_own(frame, session);
        return add_beside(frame, session, beside, |frame, session| {
            build_alone(frame, session, colors);
            add_own(frame, session);
        });
    };
    let mut other =
        compared.unwrap_or_else(|| Box::new(Compared { frame: Frame::default(), layout: SideLayout::SideBySide }));
    other.frame.clone_from(frame);
    let surfaces = session.surfaces();
    let model = surfaces.deforming.compared_model();
    other.frame.model = model.map(Arc::clone);
    if let Some(model) = model {
        other.frame.palettes.clear();
        other.frame.palettes.extend_from_slice(&surfaces.palettes_of(model));
        other.frame.palettes.extend_from_slice(&surfaces.crowd_palettes_of(model));
    }
    deform_by(&mut other.frame, (comparison.choice, model), surfaces, |m| surfaces.compared_surface(comparison, m));
    if let Some(measure) = session.measurements().shown_measure() {
        let measured =
            session.measurements().compared_measures().filter(|pose| pose.key.wanted().vertices == Some(measure));
        other.frame.values = measured.map(|pose| Arc::clone(&pose.values));
    }
    if draws_directions {
        add_directions(&mut other.frame, surfaces, surfaces.compared_surface(comparison, 0).as_deref(), colors);
        add_directions(frame, surfaces, surfaces.surface().as_deref(), colors);
    }
    other.layout = match comparison.layout {
        ComparisonLayout::Split => SideLayout::Split(comparison.split),
        ComparisonLayout::SideBySide => SideLayout::SideBySide,
        ComparisonLayout::Blink => {
            if comparison.is_turned != comparison.swapped {
                std::mem::swap(frame, &mut other.frame);
            }
            return;
        }
    };
    if comparison.swapped {
        std::mem::swap(frame, &mut other.frame);
    }
    frame.compared = Some(other);
}

/// Says how the vertices of a model are deformed, and by whom. `surface` gives the surface of a member of the crowd.
fn deform_by(
    frame: &mut Frame,
    (choice, model): (MethodChoice, Option<&Arc<Model>>),
    surfaces: Surfaces<'_>,
    surface: impl Fn(usize) -> Option<Arc<Surface>>,
) {
    let deformation = surfaces.deforming.deformation_of(choice, model);
    (frame.method, frame.parameters) = (surfaces.deforming.ready(choice, model).method, deformation.values);
    frame.needs_processor = deformation.needs_processor();
    frame.deformer = if frame.needs_processor.is_some() { Deformer::Processor } else { surfaces.view.deformer };
    frame.surfaces.clear();
    if let Some(subdivided) = surfaces.subdivided() {
        frame.needs_processor = Some("each vertex is a mean of others, which a shader does not have");
        frame.deformer = Deformer::Processor;
        frame.surfaces.push(subdivided);
    } else if frame.deformer == Deformer::Processor {
        frame.surfaces.extend((0..surfaces.pose.formation.members).filter_map(surface));
    }
    if let Some(split) = frame.surfaces.first().and_then(|surface| surface.split_model()) {
        frame.model = Some(Arc::clone(split));
    }
}

fn build_alone(frame: &mut Frame, session: &Session, colors: &SceneColors) {
    let view = session.view();
    let (near, far) = view.planes(session.pose().shown_bounds());
    frame.model = session.deforming().shown_model().map(Arc::clone);
    frame.camera = Camera { world_from_view: view.world_from_view(), projection: view.projection(), near, far };
    let surfaces = session.surfaces();
    let shown = (view.choice(), surfaces.deforming.shown_model());
    deform_by(frame, shown, surfaces, |member| surfaces.member_surface(member));
    frame.palettes.clone_from(&session.pose().palettes);
    frame.palettes.extend_from_slice(&session.pose().crowd.palettes);
    frame.morph_weights.clone_from(&session.pose().local.morph_weights);
    frame.morph_weights.extend_from_slice(&session.pose().crowd.morph_weights);
    frame.members = session.pose().formation.members as u32;
    frame.variant = view.variant;
    frame.draws.clear();
    frame.lights.clear();
    frame.changes.clear();
    frame.studio = true;
    frame.environment = session.environment();
    frame.bones.clear();
    frame.lines.clear();
    frame.ghosts.clear();
    frame.marked = Arc::clone(&view.marked);
    frame.values = view.overlay.and_then(|overlay| session.vertex_values(overlay));
    let weights_joint = view.overlay.is_some_and(|o| o.of_joint).then(|| session.picking().weights_joint()).flatten();
    frame.display = Display {
        overlay: view.overlay,
        look: view.look,
        tone_map: view.tone_map,
        environment: view.environment_settings(),
        model_size: session.pose().opened_bounds.diagonal().max(1e-6),
        ramp: view.ramp,
        // The overlay's numbers are powers of ten of millimetres.
        scale_ends: view
            .overlay
            .filter(|overlay| overlay.id == "distance")
            .map(|_| session.extents().distance_scale().map(|metres| 3.0 + metres.log10())),
        selected: weights_joint.map(|(node, _)| node).or(view.selected),
        with_children: view.is_on(Toggle::WithChildren),
        influenced_only: view.is_on(Toggle::InfluencedOnly),
        shared_black: view.is_on(Toggle::SharedBlack),
        influence_limit: view.influence_limit,
        dots: view.is_on(Toggle::Vertices).then_some(Dots { radius: DOT_RADIUS[0], color: colors.dots }),
        marks: Dots { radius: DOT_RADIUS[1], color: colors.marks },
        wireframe: view.is_on(Toggle::Wireframe),
        ghost: None,
        mesh: view.is_on(Toggle::Mesh),
        skin_opacity: view.skin_opacity,
        shadows: view.is_on(Toggle::Shadows),
        palette_buffer: view.palette_buffer,
        palette_rows: view.palette_rows,
        grid: (view.is_on(Toggle::Grid) || view.is_on(Toggle::Ground)).then(|| grid(view, session.pose(), colors)),
        background: colors.background,
    };
    let Some(model) = session.model() else { return };
    frame.draws.extend(&session.pose().draws);
    let of_materials = |c: &&Change| matches!(c.0, Property::Material(..));
    frame.changes.extend(session.pose().changes.iter().filter(of_materials));
    add_lights(frame, session.file_lights());
    add_trail(frame, session.pose(), session.playback(), colors);
    add_bounds(frame, surfaces, colors);
    if view.is_on(Toggle::Bones) {
        add_bones(frame, model, session.bones(), session.edits(), colors);
        if session.painting().brush().is_some() {
            thin_bones(frame, view.is_on(Toggle::WithChildren), colors);
        }
    }
    if view.is_on(Toggle::Axes) {
        add_axes(frame, model, session.bones(), colors);
    }
    if let Some(explanation) = session.picking().explanation() {
        add_ghosts(frame, &explanation, colors);
    }
    add_example_marks(frame, &session.example_marks(), colors);
    // Where every mesh has a skin they stand for nothing.
    if session.model().is_some_and(|model| has_bare_mesh(model)) {
        add_placed(frame, session.placing(), view, session.pose().opened_bounds.diagonal(), colors);
    }
    add_bind_shapes(frame, session.edited_weights(), colors);
    add_vertex_drag(frame, session.brushwork(), colors);
    add_ring(frame, session.brushwork(), colors);
}

/// Adds the lines and dots of an example, each on a wider one that sets it off from what lies behind.
fn add_example_marks(frame: &mut Frame, marks: &[Mark], colors: &SceneColors) {
    let [ink, edge] = colors.pinned;
    for mark in marks.iter().filter(|mark| !mark.leads) {
        let color = match mark.ink {
            MarkInk::Accent => colors.selected,
            MarkInk::Dim => [ink[0], ink[1], ink[2], 0.7],
            MarkInk::First => ink,
            MarkInk::Second => colors.axes[1],
            MarkInk::Third => colors.axes[0],
        };
        let ends = || mark.points.windows(2).map(|ends| [ends[0], ends[1]]);
        let dot = mark.points.first().filter(|_| mark.points.len() == 1 && mark.width > 0.0).map(|at| [*at, *at]);
        // A wide edge would be all that is seen of a faint line.
        let wider = if mark.ink == MarkInk::Dim { 1.5 } else { 3.0 };
        for (wider, color) in [(wider, edge), (0.0, color)] {
            let width = mark.width + wider;
            frame.lines.extend(ends().chain(dot).map(|[from, to]| Line { from, to, width, color }));
        }
    }
}

/// Adds a dot where each joint alone would carry the pinned vertex, and a line from there to the vertex, which is
/// stronger the more the joint weighs.
fn add_ghosts(frame: &mut Frame, explanation: &Explanation, colors: &SceneColors) {
    let [ink, edge] = colors.pinned;
    let position = explanation.position.as_vec3();
    let ghosts = || explanation.terms.iter().filter(|_| explanation.skinned);
    let strength = |term: &Term| term.weight.abs().min(1.0) as f32;
    let tint = |term: &Term, alpha: f32| {
        let [r, g, b] = joint_color(term.node);
        [r, g, b, alpha]
    };
    for term in ghosts() {
        let (width, alpha) = (1.5 + 3.0 * strength(term), 0.4 + 0.6 * strength(term));
        frame.lines.push(Line { from: term.alone.as_vec3(), to: position, width, color: tint(term, alpha) });
    }
    let mut dot = |at, width, color| frame.lines.push(Line { from: at, to: at, width, color });
    // The heaviest is drawn last, on top.
    for term in ghosts().collect::<Vec<_>>().into_iter().rev() {
        let (at, width) = (term.alone.as_vec3(), 7.0 + 6.0 * strength(term));
        dot(at, width + 3.0, edge);
        dot(at, width, tint(term, 1.0));
    }
    dot(position, 13.0, edge);
    dot(position, 9.0, ink);
}

/// Adds the lights of the file where they are wanted; a file without any is lit by the studio.
fn add_lights(frame: &mut Frame, lights: FileLights<'_>) {
    let lighting = lights.view.lighting;
    if lighting == Lighting::Studio || !lights.has_lights() {
        return;
    }
    frame.studio = lighting == Lighting::Both;
    let exposure = lights.pose.exposure;
    frame.lights.extend(lights.posed_lights().map(|PosedLight { kind, position, direction, color, range }| Light {
        kind,
        position,
        direction,
        color: color * exposure,
        range,
    }));
}

fn add_bones(frame: &mut Frame, model: &Model, bones: Bones<'_>, edits: &Edits, colors: &SceneColors) {
    let (view, bounds) = (bones.view, bones.pose.opened_bounds);
    let below = view.selected.map_or(0..0, |n| n.index()..model.skeleton.subtree_end(n));
    for bone in &bones.pose.bones {
        let color = if Some(bone.node) == view.selected {
            colors.selected
        } else if Some(bone.node) == view.hovered {
            colors.hovered
        } else if edits.nodes.contains_key(&bone.node) {
            colors.edited
        } else if below.contains(&bone.node.index()) {
            colors.below_selected
        } else if view.selected.is_some() {
            colors.unselected
        } else {
            colors.bone
        };
        let length = bone.head.distance(bone.tail);
        let radius = match view.bone_shape {
            BoneShape::Octahedra => (length * 0.1).min(bounds.diagonal() * 0.02),
            BoneShape::Sticks | BoneShape::Lines => bounds.diagonal() * 0.003,
        };
        frame.bones.push(Bone {
            head: bone.head,
            tail: bone.tail,
            radius: radius * view.bone_size,
            color,
            shape: view.bone_shape,
            outlined: Some(bone.node) == view.selected,
            fades: color == colors.unselected,
        });
    }
}

fn add_axes(frame: &mut Frame, model: &Model, bones: Bones<'_>, colors: &SceneColors) {
    let length = bones.pose.opened_bounds.diagonal() * 0.025;
    for (i, world) in bones.pose.model.iter().enumerate() {
        let node = NodeId::from_index(i);
        let shown = model.scenes.get(bones.view.scene).is_none_or(|s| s.contains[i]);
        if !shown || bones.is_hidden(node) || !(model.is_joint(node) || model.skins.is_empty()) {
            continue;
        }
        let selected = bones.view.selected == Some(node);
        let from = Vec3::from(world.translation);
        let axes = [world.matrix3.x_axis, world.matrix3.y_axis, world.matrix3.z_axis];
        for (axis, color) in axes.into_iter().zip(colors.axes) {
            let scale = if selected { 2.0 } else { 1.0 };
            let to = from + Vec3::from(axis.normalize_or_zero()) * length * scale;
            frame.lines.push(Line { from, to, width: if selected { 2.5 } else { 1.5 }, color });
        }
    }
}

/// Returns the ground, which reaches as far as the crowd does. A crowd has no contact shadow, since only the first
/// member's could be drawn.
fn grid(view: &View, pose: &Pose, colors: &SceneColors) -> Grid {
    let lines = view.is_on(Toggle::Grid);
    let mut grid = Grid { lines, ..ground(pose.opened_bounds, colors) };
    if pose.formation.members > 1 {
        grid.shadow = Vec4::ZERO;
        grid.radius = grid.radius.max(pose.shown_bounds().diagonal() * 1.5);
    }
    grid
}

/// Returns the distance in metres between the lines of the grid that can be distinguished where the camera looks, where
/// the grid is shown.
#[must_use]
pub fn grid_unit(surfaces: Surfaces<'_>) -> Option<f32> {
    const LEAST_PIXELS: f32 = 6.0;
    let Surfaces { deforming, view, pose } = surfaces;
    if !view.is_on(Toggle::Grid) || deforming.document.is_none() {
        return None;
    }
    let focus = if view.through.is_some() { pose.opened_bounds.center() } else { view.orbit.target };
    let depth = -view.world_from_view().inverse().transform_point3(focus).z;
    let height = match view.projection() {
        Projection::Perspective { fov_y } => 2.0 * depth * (0.5 * fov_y).tan(),
        Projection::Orthographic { height } => height,
    };
    let finest = ground(pose.opened_bounds, &SceneColors::DARK).spacing;
    // The shader leaves out lines that are too close together: the finest, and then every tenth.
    let pixels = finest * view.viewport.y / height;
    Some(if height > 0.0 && pixels < LEAST_PIXELS { 10.0 * finest } else { finest })
}

/// Returns a ground whose lines are a power of ten apart, some ten to a hundred across the model; the shadow lies under
/// its box.
fn ground(bounds: Aabb, colors: &SceneColors) -> Grid {
    let size = bounds.diagonal().max(1e-6);
    let center = bounds.center();
    let half = bounds.size() * 0.5;
    let grounded = !bounds.is_empty() && bounds.min.y.abs() < 0.1 * size;
    let shadow = if grounded { Vec4::new(center.x, center.z, half.x, half.z) } else { Vec4::ZERO };
    let height = if grounded { bounds.min.y.min(0.0) } else { 0.0 };
    Grid {
        spacing: 10.0_f32.powf((size * 0.12).log10().floor()),
        height,
        radius: size * 3.0,
        shadow,
        color: colors.grid,
        lines: true,
        floor: colors.floor,
    }
}

#[cfg(test)]
mod tests {
    use skinscope_inspect::VertexRef;
    use skinscope_model::InstanceId;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::{CameraCommand, ChannelValue, Document, EditCommand, SelectionCommand, ViewCommand};

    fn open() -> Session {
        let mut session = Session::default();
        let mut parts = (*tube(Tube { joints: 3, ..Tube::default() })).clone();
        parts.variants = vec![String::new(); 5];
        session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
        session
    }

    #[test]
    fn a_frame_holds_what_the_session_shows() {
        let mut session = open();
        session.apply(SelectionCommand::Select(Some(NodeId(2))));
        session.apply(ViewCommand::ToggleOverlay("weights"));
        session.apply(ViewCommand::SetVariant(Some(4)));
        let mut frame = Frame::default();
        session.build_frame(&mut frame, &SceneColors::DARK);
        assert_eq!((frame.draws.len(), frame.palettes.len(), frame.bones.len()), (1, 3, 3));
        assert_eq!((frame.display.selected, frame.variant), (Some(NodeId(2)), Some(4)));
        assert_eq!(frame.overlay().map(|o| o.id), Some("weights"));
        let colors: Vec<_> = frame.bones.iter().map(|b| b.color).collect();
        assert_eq!(
            colors,
            [SceneColors::DARK.unselected, SceneColors::DARK.selected, SceneColors::DARK.below_selected]
        );
        session.apply(SelectionCommand::Select(None));
        session.build_frame(&mut frame, &SceneColors::DARK);
        assert!(
            frame.bones.iter().all(|b| b.color == SceneColors::DARK.bone && !b.fades),
            "nothing stands back for a selection"
        );
        for colors in [SceneColors::DARK, SceneColors::LIGHT] {
            assert!(colors.bone[3] >= 0.85 && colors.unselected[3] <= 0.5);
        }
        assert!(frame.camera.near > 0.0 && frame.camera.far > session.view().orbit.distance);
    }

    #[test]
    fn bones_and_skin_are_as_the_view_has_them() {
        let mut session = open();
        session.apply(SelectionCommand::Select(Some(NodeId(2))));
        session.update_pose();
        let mut frame = Frame::default();
        let mut built = |session: &Session| {
            session.build_frame(&mut frame, &SceneColors::DARK);
            frame.clone()
        };
        let usual = built(&session);
        // The selected bone has outlines, and only the bones that are neither selected nor below it fade with depth.
        assert_eq!(usual.bones.iter().map(|b| b.outlined).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(usual.bones.iter().map(|b| b.fades).collect::<Vec<_>>(), [true, false, false]);
        assert_eq!((usual.display.skin_opacity, usual.bones[0].shape), (1.0, BoneShape::Octahedra));
        session.apply(ViewCommand::SetBoneShape(BoneShape::Sticks));
        session.apply(ViewCommand::SetSkinOpacity(0.25));
        let sticks = built(&session);
        assert_eq!((sticks.display.skin_opacity, sticks.bones[0].shape), (0.25, BoneShape::Sticks));
        assert!(sticks.bones[0].radius < 0.5 * usual.bones[0].radius, "octahedra are as thick as they are long");
        session.apply(ViewCommand::SetBoneSize(2.0));
        assert_eq!(built(&session).bones[0].radius, 2.0 * sticks.bones[0].radius);
    }

    #[test]
    fn a_pinned_vertex_shows_where_each_joint_alone_would_carry_it() {
        let mut session = open();
        session.apply(EditCommand::Edit(NodeId(3), ChannelValue::Rotation(Vec3::X * 60.0)));
        // The vertex is in the last ring, which joint 2 moves, and joint 1 a little.
        let vertex = session.model().unwrap().meshes[0].primitives[0].vertex_count() - 1;
        session.apply(SelectionCommand::Pin(Some(VertexRef { instance: InstanceId(0), primitive: 0, vertex })));
        session.update_pose();
        let mut frame = Frame::default();
        session.build_frame(&mut frame, &SceneColors::DARK);
        let explained = session.picking().explanation().unwrap();
        let (lines, dots): (Vec<Line>, Vec<Line>) = frame.lines.iter().partition(|line| line.from != line.to);
        // Joint 2 turned and joint 1 did not: joint 1 alone would leave the vertex where it is stored.
        let stored = session.model().unwrap().meshes[0].primitives[0].positions[vertex];
        assert_eq!(lines.len(), 2);
        assert!((lines[1].from - stored).length() < 1e-6 && lines.iter().all(|l| l.to == explained.position.as_vec3()));
        assert!(lines[0].width > lines[1].width && lines[0].color[3] > lines[1].color[3], "{lines:?}");
        assert_eq!(lines[0].color[..3], joint_color(NodeId(3)));
        assert_eq!(dots.last().map(|dot| (dot.from, dot.color)), Some((lines[0].to, SceneColors::DARK.pinned[0])));
        session.apply(SelectionCommand::Deselect);
        session.build_frame(&mut frame, &SceneColors::DARK);
        assert!(frame.lines.is_empty());
    }

    #[test]
    fn the_grid_says_how_far_apart_its_lines_are() {
        let mut session = open();
        assert_eq!(grid_unit(session.surfaces()), Some(0.1), "two metres high");
        for orthographic in [false, true] {
            if session.view().orbit.orthographic != orthographic {
                session.apply(CameraCommand::ToggleOrthographic);
            }
            session.apply(CameraCommand::FrameAll);
            assert_eq!(grid_unit(session.surfaces()), Some(0.1));
            session.apply(CameraCommand::Zoom(-25.0, session.view().viewport * 0.5));
            assert_eq!(grid_unit(session.surfaces()), Some(1.0), "lines a tenth of a metre apart crowd");
        }
        session.apply(ViewCommand::Toggle(Toggle::Grid));
        assert_eq!(grid_unit(session.surfaces()), None);
        assert_eq!(grid_unit(Session::default().surfaces()), None);
    }

    #[test]
    fn the_grid_fits_models_of_any_size() {
        for size in [0.02_f32, 1.8, 280.0] {
            let bounds = Aabb { min: Vec3::new(-0.3, 0.0, -0.2) * size, max: Vec3::new(0.3, 1.0, 0.2) * size };
            let lines = size / ground(bounds, &SceneColors::DARK).spacing;
            assert!((5.0..100.0).contains(&lines), "{size}: {lines}");
        }
    }
}

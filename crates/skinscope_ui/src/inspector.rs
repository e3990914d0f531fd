//! The inspector: sliders, weights and matrices of the selected node, or a summary of the model.

use egui::{Frame, Label, Margin, Rect, RichText, ScrollArea, Sense, Ui, vec2};
use glam::{Affine3A, DVec3, Quat, Vec3};
use skinscope_anim as anim;
use skinscope_base::math::{Units, axis_angle_degrees, quat_from_euler_xyz_degrees, smallest_euler_xyz_degrees};
use skinscope_inspect::rig::RestFigures;
use skinscope_model::{Model, NodeId, SkinId};
use skinscope_session::{
    ChannelKind, ChannelValue, Command, EditCommand, NodeEdit, PlaybackCommand, PoseSource, Session,
};

use super::theme::{self, MARGIN, ROW, SMALL, colors};
use super::tour::Named;
use super::value_row::ValueRow;
use super::widgets::{figure, grouped, histogram, link, number, section, segmented, text_button, tip, title};
use super::{
    Status, UiState, aside, controls, explain, focus, icons, links, matrices, morphs, palette, rules, search_list,
    shapes, summary,
};

/// State of the inspector for the open model.
#[derive(Debug, Default)]
pub(super) struct Inspector {
    /// The matrix of each node at rest; empty until first needed.
    rest: Vec<Affine3A>,
    node: Option<NodeId>,
    /// Skins that refer to `node`, and its slot in the joints of each.
    pub(super) skins: Vec<(SkinId, usize)>,
    explain: explain::Explain,
    other_side: search_list::SearchList,
    controls: controls::ControlsPanel,
    links: links::LinksPanel,
    shapes: shapes::ShapesPanel,
    /// Whether morph targets of one name have a slider in each mesh.
    split_morphs: bool,
    /// The turn from rest that was set last, degrees, so that its sliders do not jump to other angles of the same rotation: the node, the
    /// rotation that it gave, and the angles.
    turned: Option<(NodeId, Quat, Vec3)>,
}

impl Inspector {
    /// Forgets what was of another model. Where shapes are made stays open: each of them makes another model of the same file.
    pub(super) fn forget_model(&mut self) {
        let shapes = std::mem::take(&mut self.shapes);
        *self = Self { shapes, ..Self::default() };
    }

    fn follow(&mut self, model: &Model, node: NodeId) {
        if self.rest.len() != model.skeleton.len() {
            anim::local_to_model(&model.skeleton, &model.skeleton.rest, &mut self.rest);
        }
        if self.node != Some(node) {
            self.node = Some(node);
            let slot = |s: &skinscope_model::Skin| s.joints.iter().position(|j| *j == node);
            let skins = model.skins.iter().enumerate();
            self.skins = skins.filter_map(|(i, s)| Some((SkinId::from_index(i), slot(s)?))).collect();
        }
    }

    /// Notes that a click on the skin asks about the vertex, not about its joint.
    pub(super) fn show_vertex(&mut self) {
        self.explain.asked();
    }

    /// Returns how far a translation slider reaches to each side, in the units of the node's parent, in a model of
    /// `size` metres.
    fn reach(&self, model: &Model, size: f32, node: NodeId) -> f32 {
        let scale = model.skeleton.parents[node.index()]
            .map_or(1.0, |p| self.rest[p.index()].matrix3.determinant().abs().cbrt());
        let reach = 0.25 * size / scale.max(1e-6);
        if reach.is_finite() && reach > 0.0 { reach } else { 1.0 }
    }
}

pub(super) fn show(ui: &mut Ui, session: &Session, state: &mut UiState, status: &Status, commands: &mut Vec<Command>) {
    ScrollArea::vertical().auto_shrink(false).id_salt("inspector").show(ui, |ui| {
        let margin = Margin { left: MARGIN, right: MARGIN, top: 10, bottom: 16 };
        Frame::NONE.inner_margin(margin).show(ui, |ui| {
            ui.set_width(ui.available_width());
            let Some(model) = session.model() else {
                let text = "Open a file to pose its joints and see their weights.";
                ui.add(Label::new(RichText::new(text).color(colors(ui).dim)).wrap());
                return;
            };
            if explain::show(ui, session, &mut state.inspector.explain, commands) {
                return;
            }
            match session.view().selected {
                Some(node) => {
                    state.inspector.follow(model, node);
                    head(ui, model, node, &state.inspector);
                    summary::size(ui, session);
                    pose(ui, session, commands);
                    controls::show(ui, session, &mut state.inspector.controls, commands);
                    channels(ui, session, node, &mut state.inspector, commands);
                    ui.scope(|ui| rules::show(ui, session, node, &mut state.inspector.other_side, commands));
                    links::show(ui, session, (node, status), &mut state.inspector.links, commands);
                    morphs::show(ui, session, Some(node), &mut state.inspector.split_morphs, commands);
                    shapes::show(ui, session, &mut state.inspector.shapes, commands);
                    weights(ui, session, node);
                    matrices::show(ui, session, node, &state.inspector.skins, &mut state.saved.matrices);
                }
                None => {
                    summary::head(ui, session);
                    summary::size(ui, session);
                    pose(ui, session, commands);
                    controls::show(ui, session, &mut state.inspector.controls, commands);
                    aside::show(ui, session, commands);
                    summary::variants(ui, session, commands);
                    morphs::show(ui, session, None, &mut state.inspector.split_morphs, commands);
                    shapes::show(ui, session, &mut state.inspector.shapes, commands);
                    summary::figures(ui, session, commands);
                    palette::show(ui, session, status, commands);
                    summary::file(ui, session);
                }
            }
        });
    });
}

/// Shows the name of the node, its slots in skins and its parent.
fn head(ui: &mut Ui, model: &Model, node: NodeId, inspector: &Inspector) {
    let c = colors(ui);
    let name = &model.skeleton.names[node.index()];
    title(ui, name);
    let skin_name = |skin: SkinId| match model.skins[skin.index()].name.as_str() {
        "" => format!("skin {}", skin.0),
        name => format!("skin {name}"),
    };
    let mut text = match inspector.skins.as_slice() {
        [] if model.instances.iter().any(|i| i.node == node) => "node with a mesh".to_owned(),
        [] => "node".to_owned(),
        [(skin, text)] => format!("joint {text} of {}", skin_name(*skin)),
        [(skin, text), rest @ ..] => format!("joint {text} of {} and {} more", skin_name(*skin), rest.len()),
    };
    if let Some(humanoid) = model.humanoid(node) {
        text = format!("{humanoid} · {text}");
    }
    if let Some(parent) = model.skeleton.parents[node.index()] {
        text += &format!(" · child of {}", model.skeleton.names[parent.index()]);
    }
    let note = |text: String| Label::new(RichText::new(text).font(theme::regular(12.0)).color(c.dim)).wrap();
    ui.add(note(text));
    let rest = RestFigures::of(model, &inspector.rest, node);
    if !inspector.skins.is_empty() && rest.is_turned() {
        let words = "The rest rotation of this joint is not the identity: clips and scripts that expect joints without a turn at rest go wrong here.";
        ui.add(note(format!("Turned by {:.1}° at rest", rest.rotation_degrees))).on_hover_text(words);
    }
}

/// Shows the choice of rest pose, bind pose and clip.
fn pose(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    ui.add_space(6.0);
    let now = session.playback().source;
    let mut choices = vec![
        ("Rest pose", now == PoseSource::Rest, Command::Playback(PlaybackCommand::SetPose(PoseSource::Rest))),
        ("Bind pose", now == PoseSource::Bind, Command::Playback(PlaybackCommand::SetPose(PoseSource::Bind))),
    ];
    if session.playback().clip.is_some() {
        choices.push(("Clip", now == PoseSource::Clip, Command::Playback(PlaybackCommand::SetPose(PoseSource::Clip))));
    }
    segmented(ui, &choices, commands);
}

/// The translation, rotation or scale of a node.
struct Channel {
    kind: ChannelKind,
    /// The name for screen readers and the reset button.
    name: &'static str,
    title: String,
    value: Vec3,
    /// The value at which the sliders' fill starts.
    home: Vec3,
    /// The reach to each side of `home`.
    reach: f32,
    decimals: usize,
    unit: &'static str,
    /// How many of what the file counts in one of the shown numbers stands for.
    size: f32,
    edited: bool,
    /// The rotation from which this one is measured; the identity for the other channels.
    rest: Quat,
}

/// Returns the angles of a turn from rest as the sliders show them: those that were set, where it is that turn, else the smallest.
fn turn_angles(inspector: &Inspector, node: NodeId, edit: &NodeEdit, rest: Quat, now: Quat) -> Vec3 {
    let set = inspector.turned.filter(|(of, turned, _)| *of == node && edit.quaternion == Some(*turned));
    match (set, edit.rotation) {
        (Some((.., angles)), _) => angles,
        // Such angles are stored as they were typed.
        (None, Some(typed)) if rest == Quat::IDENTITY && edit.quaternion.is_none() => typed,
        _ => smallest_euler_xyz_degrees(rest.inverse() * now),
    }
}

/// Says in words by how much a joint is turned from rest, and about which axis of its own.
fn turn_words(turn: Quat) -> String {
    let (axis, degrees) = axis_angle_degrees(turn);
    // The sliders have one decimal.
    if degrees < 0.05 {
        return "Not turned from rest".to_owned();
    }
    let along = axis.abs().max_position();
    if axis.abs()[along] > 0.999_9 {
        let sign = if axis[along] < 0.0 { -1.0 } else { 1.0 };
        return format!("Turned by {}° about its {} axis", number(sign * degrees, 1), ["X", "Y", "Z"][along]);
    }
    let [x, y, z] = axis.to_array().map(|v| number(v, 2));
    format!("Turned by {}° about ({x}, {y}, {z}) in its own axes", number(degrees, 1))
}

fn channels(ui: &mut Ui, session: &Session, node: NodeId, inspector: &mut Inspector, commands: &mut Vec<Command>) {
    let (Some(model), Some(now)) = (session.model(), controls::posed(session, node)) else { return };
    let rest = model.skeleton.rest.transforms[node.index()];
    let edit = session.edits().nodes.get(&node).copied().unwrap_or_default();
    let NodeEdit { translation, rotation, scale, .. } = edit;
    let reach = inspector.reach(model, session.pose().opened_bounds.diagonal(), node);
    let metres = Units::of_columns().1 as f32;
    let rest_turn = rest.rotation.normalize();
    let all = [
        Channel {
            kind: ChannelKind::Rotation,
            name: "Rotation",
            title: "Rotation from rest (XYZ, degrees)".into(),
            value: turn_angles(inspector, node, &edit, rest_turn, now.rotation),
            home: Vec3::ZERO,
            reach: 180.0,
            decimals: 1,
            unit: "°",
            size: 1.0,
            edited: rotation.is_some(),
            rest: rest_turn,
        },
        Channel {
            kind: ChannelKind::Translation,
            name: "Translation",
            title: translation_title(model.skeleton.base(node.index()) + session.pose().local.wide.offset(node)),
            value: now.translation,
            home: rest.translation,
            reach,
            decimals: decimals_for(reach / metres),
            unit: "",
            size: metres,
            edited: translation.is_some(),
            rest: Quat::IDENTITY,
        },
        Channel {
            kind: ChannelKind::Scale,
            name: "Scale",
            title: "Scale".into(),
            value: now.scale,
            home: rest.scale,
            reach: rest.scale.abs().max_element().max(0.1),
            decimals: 3,
            unit: "",
            size: 1.0,
            edited: scale.is_some(),
            rest: Quat::IDENTITY,
        },
    ];
    for channel in all {
        ui.scope(|ui| show_channel(ui, node, &channel, inspector, commands));
        if channel.kind == ChannelKind::Rotation {
            let words = turn_words(rest_turn.inverse() * now.rotation);
            let note = RichText::new(words).font(theme::regular(SMALL)).color(colors(ui).dim);
            ui.add(Label::new(note)).on_hover_text("The whole turn, about an axis of the joint as it is at rest");
        }
        controls::driven(ui, session, node, channel.kind);
    }
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        let mut button = |text, on, command: Command| {
            let response = ui.add_enabled_ui(on, |ui| text_button(ui, Some(icons::RESET), text, false)).inner;
            if response.on_hover_text(tip(&command)).clicked() {
                commands.push(command);
            }
        };
        button("Reset joint", edit != NodeEdit::default(), Command::Edit(EditCommand::ResetJoint));
        button("Reset all", !session.edits().is_empty(), Command::Edit(EditCommand::ResetAll));
    });
}

/// Returns the text that says from which position a translation is measured; empty for the origin.
fn translation_title(base: DVec3) -> String {
    let (unit, metres) = Units::of_columns();
    let DVec3 { x, y, z } = base / metres;
    if base == DVec3::ZERO {
        format!("Translation ({unit})")
    } else {
        format!("Translation ({unit}, from {x}, {y}, {z})")
    }
}

/// Returns three decimals, or as many as a slider of this reach can resolve.
fn decimals_for(reach: f32) -> usize {
    (2.0 - reach.log10()).ceil().clamp(0.0, 6.0) as usize
}

fn show_channel(ui: &mut Ui, node: NodeId, channel: &Channel, inspector: &mut Inspector, commands: &mut Vec<Command>) {
    let c = colors(ui);
    let top = ui.cursor().top();
    section(ui, &channel.title, |ui| {
        if !channel.edited {
            return;
        }
        let name = format!("Reset {}", channel.name.to_lowercase());
        let reset = link(ui, "Reset", &name).on_hover_text("Give this channel back to the clip");
        // Tab goes from value to value.
        focus::pass_over(ui, reset.id);
        if reset.clicked() {
            commands.push(EditCommand::ResetChannel(node, channel.kind).into());
        }
        let (rect, _) = ui.allocate_exact_size(vec2(8.0, ROW - 4.0), Sense::hover());
        ui.painter().circle_filled(rect.center(), 4.0, c.amber);
    });
    ui.spacing_mut().item_spacing.y = 1.0;
    for axis in 0..3 {
        let letter = ["X", "Y", "Z"][axis];
        // A spline may overflow; a slider must not follow it there.
        let finite = |v: f32| if v.is_finite() { v } else { 0.0 };
        let (value, home) = (finite(channel.value[axis]) / channel.size, channel.home[axis] / channel.size);
        let reach = channel.reach / channel.size;
        let row = ValueRow {
            name: &format!("{} {letter}", channel.name),
            help: match channel.kind {
                ChannelKind::Rotation => {
                    "How the selected joint is turned from rest about this axis of its own, degrees"
                }
                ChannelKind::Translation => "Where the selected joint is along this axis, from its parent's origin",
                ChannelKind::Scale => "How the selected joint is stretched along this axis; 1 is its own size",
            },
            label: letter,
            label_width: 16.0,
            color: c.axes[axis],
            value,
            range: (home - reach).min(value)..=(home + reach).max(value),
            home,
            decimals: channel.decimals,
            unit: channel.unit,
            edited: channel.edited,
        };
        let change = row.show(ui);
        if let Some(value) = change.value {
            let mut all = channel.value;
            all[axis] = value * channel.size;
            let value = match channel.kind {
                ChannelKind::Translation => ChannelValue::Translation(all),
                ChannelKind::Rotation if channel.rest == Quat::IDENTITY => ChannelValue::Rotation(all),
                ChannelKind::Rotation => {
                    let turned = channel.rest * quat_from_euler_xyz_degrees(all);
                    inspector.turned = Some((node, turned, all));
                    ChannelValue::Quaternion(turned)
                }
                ChannelKind::Scale => ChannelValue::Scale(all),
            };
            commands.push(EditCommand::Edit(node, value).into());
        }
        if change.ended {
            commands.push(EditCommand::EndEdit.into());
        }
    }
    if channel.kind == ChannelKind::Rotation {
        Named::Rotation.is_at(ui, Rect::from_x_y_ranges(ui.max_rect().x_range(), top..=ui.cursor().top()));
    }
}

fn weights(ui: &mut Ui, session: &Session, node: NodeId) {
    let Some(stats) = session.document().and_then(|d| d.stats().nodes.get(node.index())) else { return };
    section(ui, "Weights", |_| {});
    if stats.vertices == 0 {
        ui.label(RichText::new("Moves no vertex.").color(colors(ui).dim));
        return;
    }
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        figure(ui, "Vertices moved", &grouped(stats.vertices));
        figure(ui, "Largest weight", &format!("{:.3}", stats.largest));
        figure(ui, "Sum of weights", &format!("{:.1}", stats.sum));
    });
    ui.add_space(4.0);
    histogram(ui, "Influences of these vertices", &["1", "2", "3", "4", "5+"], &stats.by_influences);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_said_as_findings_say_it() {
        let about =
            |axis: Vec3, degrees: f32| turn_words(Quat::from_axis_angle(axis.normalize(), degrees.to_radians()));
        assert_eq!(about(Vec3::X, 0.0), "Not turned from rest");
        assert_eq!(about(Vec3::Z, -90.0), "Turned by −90.0° about its Z axis");
        assert_eq!(about(Vec3::Y, 135.0), "Turned by 135.0° about its Y axis");
        assert_eq!(about(Vec3::new(3.0, 0.0, -4.0), 20.0), "Turned by 20.0° about (0.60, 0.00, −0.80) in its own axes");
    }

    #[test]
    fn places_follow_the_reach_of_the_slider() {
        assert_eq!(decimals_for(0.5), 3);
        assert_eq!(decimals_for(50.0), 1);
        assert_eq!(decimals_for(0.004), 5);
    }
}

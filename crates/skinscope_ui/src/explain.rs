//! The inspector's page about the pinned vertex: what moves it, written out with numbers, and where it is in any space.

use std::borrow::Cow;

use egui::{Color32, Label, RichText, Ui, vec2};
use glam::{Affine3A, DVec3};
use skinscope_base::math::Units;
use skinscope_deform::{Readout, ReadoutTerm};
use skinscope_inspect::{Explanation, Term, VertexRef, in_space};
use skinscope_model::{InfluencesRef, Model, NodeId};
use skinscope_session::{Command, SelectionCommand, Session};

use super::card::{influences_of, mesh_of, stored_weight, sum};
use super::explain_rows::{axes, columns, position, vector, warning};
use super::search_list::{SearchList, SearchListOptions};
use super::theme::{self, SMALL, colors};
use super::widgets::{link, number, paint_line, press, section, segments, shortened, text_button, title};
use super::{copied, explain_text, matrices};

/// The state that the page keeps from frame to frame.
#[derive(Debug, Default)]
pub(super) struct Explain {
    /// Whether the vertex is shown, not the joint.
    page: bool,
    /// Whether a click has just asked about the vertex: the joint that the click also selects does not turn the page.
    asked: bool,
    /// The vertex that was pinned and the node that was selected in the last frame, to find which has changed.
    seen: (Option<VertexRef>, Option<NodeId>),
    /// The space in which the position is shown; `None`: that of the joint that moves the vertex most.
    space: Option<Space>,
    spaces: SearchList,
    /// Whether the matrix of each influence is shown.
    matrices: bool,
    /// Whether each influence is also shown as a quaternion, a scale and a position.
    quaternions: bool,
}

/// A space in which a position is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    World,
    Node(NodeId),
}

impl Explain {
    pub(super) fn asked(&mut self) {
        self.asked = true;
    }

    /// Turns the page to what was pinned or selected last.
    fn follow(&mut self, session: &Session) {
        let now = (session.view().pinned, session.view().selected);
        if std::mem::take(&mut self.asked) || now.0 != self.seen.0 {
            self.page = now.0.is_some();
        } else if now.1 != self.seen.1 {
            self.page = false;
        }
        self.seen = now;
    }
}

/// While a vertex is pinned, shows the choice between it and the joint, and the page about it if chosen; then returns
/// true.
pub(super) fn show(ui: &mut Ui, session: &Session, state: &mut Explain, commands: &mut Vec<Command>) -> bool {
    state.follow(session);
    let Some((model, e)) =
        session.deforming().side_model(session.deforming().explains_second()).zip(session.picking().explanation())
    else {
        return false;
    };
    let other = if session.view().selected.is_some() { "Joint" } else { "Model" };
    ui.horizontal(|ui| {
        let pages = [
            (other, !state.page, "Sliders, weights and matrices of what is selected".to_owned()),
            ("Vertex", state.page, "Why the pinned vertex is where it is".to_owned()),
        ];
        if let Some(page) = segments(ui, &pages) {
            state.page = page == 1;
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if link(ui, "Unpin", "Unpin the vertex").on_hover_text("Let the vertex go (Esc)").clicked() {
                commands.push(SelectionCommand::Pin(None).into());
            }
        });
    });
    ui.add_space(6.0);
    if !state.page {
        return false;
    }
    let decimals = decimals_of(session);
    head(ui, model, &e, session.deforming().explains_second());
    stored(ui, model, &e, decimals);
    terms(ui, session, model, &e, state, commands);
    blend(ui, session, &e, (state.matrices, state.quaternions), decimals);
    space(ui, session, model, &e, state);
    copy(ui, session, model, &e);
    true
}

/// Returns how many decimals positions have: a tenth of a millimetre for a model of two metres, fewer for larger ones,
/// and in other units as many for a model of as many.
fn decimals_of(session: &Session) -> usize {
    explain_text::decimals(session.pose().opened_bounds.diagonal() / Units::of_columns().1 as f32)
}

fn head(ui: &mut Ui, model: &Model, e: &Explanation, is_second: bool) {
    title(ui, &format!("Vertex {}", e.number));
    let mesh = mesh_of(model, e.vertex).unwrap_or_default();
    let count = model.meshes[e.mesh.index()].primitives.len();
    let part =
        if count > 1 { format!("primitive {} of mesh {mesh}", e.vertex.primitive) } else { format!("of mesh {mesh}") };
    let side = if is_second { ", as the second side of the comparison has it" } else { "" };
    ui.add(Label::new(RichText::new(format!("{part}{side}")).font(theme::regular(12.0)).color(colors(ui).dim)).wrap());
}

/// Shows the stored position, and how morph targets change it.
fn stored(ui: &mut Ui, model: &Model, e: &Explanation, decimals: usize) {
    section(ui, &format!("Stored position ({})", Units::of_columns().0), |_| {});
    ui.spacing_mut().item_spacing.y = 0.0;
    axes(ui);
    let (text, dim) = (colors(ui).text, colors(ui).dim);
    if e.morphs.is_empty() {
        position(ui, "v", e.stored, decimals, text).on_hover_text("As the file stores it, mesh space");
        return;
    }
    position(ui, "Stored", e.stored, decimals, text).on_hover_text("As the file stores it, mesh space");
    for morph in &e.morphs {
        let names = &model.meshes[e.mesh.index()].morph_names;
        let name = names.get(morph.target).map_or("morph target", String::as_str);
        let what = format!("{name}, weight {}", number(morph.weight as f32, 3));
        position(ui, &format!("+ {name}"), morph.displacement, decimals, dim).on_hover_text(what);
    }
    position(ui, "v", e.rest, decimals, text).on_hover_text("With the morph targets: what the joints move");
}

/// Returns the weight of each term as the file stores it.
fn stored_weights(session: &Session, e: &Explanation) -> Vec<String> {
    let influences = stored_influences(session, e);
    let now = session
        .deforming()
        .side_model(session.deforming().explains_second())
        .and_then(|model| influences_of(model, e.vertex));
    let text = |term: &Term| {
        let joint = now?.of(e.vertex.vertex).0[term.slot];
        Some(stored_weight(&influences?, e.vertex.vertex, (joint, term.slot)))
    };
    e.terms.iter().map(|term| text(term).unwrap_or_default()).collect()
}

/// Returns the stored influences of the vertex's primitive; `None` where it is rigid.
fn stored_influences<'a>(session: &'a Session, e: &Explanation) -> Option<InfluencesRef<'a>> {
    let document = session.document().filter(|_| e.skinned)?;
    influences_of(document.stored(), e.vertex)
}

/// Shows each influence: the joint, its weight, the vertex seen from it, its matrix, and where it alone would carry the
/// vertex.
fn terms(
    ui: &mut Ui,
    session: &Session,
    model: &Model,
    e: &Explanation,
    state: &mut Explain,
    commands: &mut Vec<Command>,
) {
    let decimals = decimals_of(session);
    section(ui, if e.skinned { "Influences" } else { "Moved by" }, |ui| {
        let help = match state.matrices {
            true => "Hide the skinning matrices",
            false => "Show the skinning matrix of each joint, and the blended one",
        };
        if link(ui, "Matrices", help).on_hover_text(help).clicked() {
            state.matrices = !state.matrices;
        }
        ui.add_space(8.0);
        let help = match state.quaternions {
            true => "Hide the joints as quaternions",
            false => "Show the rotation of each joint as a quaternion, and b + R v′, which is M v",
        };
        if link(ui, "Quaternions", help).on_hover_text(help).clicked() {
            state.quaternions = !state.quaternions;
        }
    });
    ui.spacing_mut().item_spacing.y = 0.0;
    let stored = stored_weights(session, e);
    let text = colors(ui).text;
    let width_of = |stored: &String| ui.painter().layout_no_wrap(stored.clone(), theme::regular(12.0), text).size().x;
    let column = stored.iter().map(width_of).fold(0.0, f32::max);
    for (term, stored) in e.terms.iter().zip(&stored) {
        state.asked |= joint(ui, session, model, term, (stored, column), commands);
        if e.skinned {
            let help = "v′ = inverse bind · v: the vertex seen from the joint as both were bound";
            position(ui, "v′", term.offset, decimals, text).on_hover_text(help);
        }
        if state.matrices {
            ui.add_space(2.0);
            let name = &model.skeleton.names[term.node.index()];
            let m = Affine3A::from_cols_array(&term.matrix.to_cols_array().map(|v| v as f32));
            matrices::table(ui, &format!("M of {name}"), &m);
        }
        if state.quaternions {
            quaternion(ui, model, term, decimals);
        }
        let help = "M v: where this joint alone would carry the vertex. M = joint now · inverse bind";
        position(ui, "M v", term.alone, decimals, text).on_hover_text(help);
        ui.add_space(4.0);
    }
    if let Some(influences) = stored_influences(session, e) {
        let is_edited = session
            .deforming()
            .side_model(session.deforming().explains_second())
            .and_then(|m| influences_of(m, e.vertex))
            .is_some_and(|i| i.is_edited(e.vertex.vertex));
        let label = if is_edited { "Sum of weights, edited" } else { "Sum of weights" };
        sum(ui, label, e.sum, &influences, e.vertex.vertex);
    }
    if e.terms.is_empty() {
        ui.add(
            Label::new(RichText::new("No joint has a weight: it stays at the origin.").color(colors(ui).amber)).wrap(),
        );
    }
}

/// Shows how the joint of an influence rotates the vertex's bind-pose position and adds its own position; or why its
/// matrix has no such form.
fn quaternion(ui: &mut Ui, model: &Model, term: &Term, decimals: usize) {
    let (text, dim) = (colors(ui).text, colors(ui).dim);
    let form = match term.quaternion {
        Ok(form) => form,
        Err(why) => {
            warning(ui, &why.sentence(&model.skeleton.names[term.node.index()]));
            return;
        }
    };
    // The narrowest panel has room for three decimals.
    let quaternion_decimals = if ui.available_width() < 270.0 { 3 } else { 4 };
    columns(ui, "R xyzw", &form.rotation.to_array(), quaternion_decimals, dim)
        .on_hover_text("The rotation of the joint in the world as a unit quaternion");
    let [turned, carried] = if form.scales() {
        vector(ui, "S", form.scale, 4, dim)
            .on_hover_text("How much the joint scales along its own axes, before it turns");
        ["R S v′", "b + R S v′"]
    } else {
        ["R v′", "b + R v′"]
    };
    position(ui, turned, form.turned, decimals, dim).on_hover_text("v′ as the joint turns it, seen from the joint");
    position(ui, "b", form.translation, decimals, dim).on_hover_text("Where the joint is, world space");
    position(ui, carried, form.carried(), decimals, text)
        .on_hover_text("Where this joint alone would carry the vertex, as M v says too");
}

/// Shows the name of a joint, its weight, and in a column at the end what is stored; returns true where a click on the
/// name selects it.
fn joint(
    ui: &mut Ui,
    session: &Session,
    model: &Model,
    term: &Term,
    (stored, column): (&str, f32),
    commands: &mut Vec<Command>,
) -> bool {
    let c = colors(ui);
    let name = &model.skeleton.names[term.node.index()];
    let (rect, response) = press(ui, vec2(ui.available_width(), 22.0), &format!("Select {name}"), None);
    let y = rect.center().y;
    let [r, g, b] = skinscope_frame::joint_color(term.node).map(|v| (v * 255.0) as u8);
    ui.painter().circle_filled(egui::pos2(rect.left() + 4.0, y), 4.0, Color32::from_rgb(r, g, b));
    let line = |text: String| ui.painter().layout_no_wrap(text, theme::regular(12.0), c.text);
    let (stored, weight) = (line(stored.to_owned()), line(number(term.weight as f32, 4)));
    let before = rect.right() - column - if column > 0.0 { 10.0 } else { 0.0 } - weight.size().x;
    let ink = if session.view().selected == Some(term.node) || response.hovered() { c.accent } else { c.text };
    let (galley, cut) = shortened(ui, name, theme::strong(12.0), ink, before - rect.left() - 22.0);
    paint_line(ui, galley, rect.left() + 14.0, y, ink);
    paint_line(ui, weight, before, y, c.text);
    let x = rect.right() - stored.size().x;
    paint_line(ui, stored, x, y, c.dim);
    super::widgets::focus_ring(ui, rect, &response);
    let response = if cut { response.on_hover_text(name) } else { response };
    if response.clicked() {
        commands.push(SelectionCommand::Select(Some(term.node)).into());
    }
    response.clicked()
}

/// Shows how the terms become the position.
fn blend(
    ui: &mut Ui,
    session: &Session,
    e: &Explanation,
    (shows_matrix, shows_quaternions): (bool, bool),
    decimals: usize,
) {
    let applied = session.deforming().side_deformation(session.deforming().explains_second());
    let method = applied.method;
    section(ui, method.label, |_| {});
    ui.spacing_mut().item_spacing.y = 0.0;
    let (text, dim) = (colors(ui).text, colors(ui).dim);
    ui.add(Label::new(RichText::new(method.text.explanation).font(theme::regular(SMALL)).color(dim)).wrap());
    ui.add_space(4.0);
    match &e.readout {
        Readout::Sum(shares) => {
            for (i, (term, share)) in e.terms.iter().zip(shares).filter(|(_, share)| **share != 0.0).enumerate() {
                let sign = if i == 0 { "" } else { "+ " };
                position(ui, &format!("{sign}{} ·", number(*share as f32, 6)), term.alone, decimals, dim);
            }
        }
        Readout::Motion { rotation, translation } => {
            let (axis, angle) = rotation.to_axis_angle();
            let axis = if angle.abs() < 1e-9 { DVec3::ZERO } else { axis };
            vector(ui, &format!("R {}°", number(angle.to_degrees() as f32, 2)), axis, 4, dim)
                .on_hover_text("The blended rotation: its angle, and the axis that it turns about");
            position(ui, "R v", *rotation * e.rest, decimals, dim);
            position(ui, "+ t", *translation, decimals, dim);
        }
        Readout::Terms(terms) => {
            for (i, ReadoutTerm { label, share, vector: at }) in terms.iter().enumerate() {
                let sign = if i == 0 { "" } else { "+ " };
                let factor = if *share == 1.0 { String::new() } else { format!("{} · ", number(*share as f32, 4)) };
                position(ui, &format!("{sign}{factor}{label}"), *at, decimals, dim);
            }
        }
    }
    if let Some(applied) = applied.pass {
        let pass = applied.pass;
        ui.add_space(4.0);
        ui.label(
            RichText::new(format!("{}: {}", pass.label, pass.text.equation)).font(theme::regular(SMALL)).color(text),
        );
        ui.add(Label::new(RichText::new(pass.text.explanation).font(theme::regular(SMALL)).color(dim)).wrap());
        position(ui, "y", e.map.transform_point3(e.rest), decimals, dim)
            .on_hover_text("Where the method alone has the vertex");
    }
    position(ui, "= p", e.position, decimals, text).on_hover_text("Where the vertex is now, world space");
    if shows_quaternions && !e.terms.is_empty() {
        ui.add_space(4.0);
        quaternion_sum(ui, e, decimals);
    }
    if shows_matrix {
        ui.add_space(4.0);
        ui.label(RichText::new("Blended matrix").font(theme::regular(SMALL)).color(dim));
        ui.add_space(2.0);
        let map = Affine3A::from_cols_array(&e.map.to_cols_array().map(|v| v as f32));
        matrices::table(ui, "Blended matrix", &map);
    }
}

/// Shows the sum of the influences in quaternion form; for methods that do not add up positions, the sum of linear
/// blending.
fn quaternion_sum(ui: &mut Ui, e: &Explanation, decimals: usize) {
    let Some(sum) = e.quaternion_sum() else {
        warning(ui, "Without a quaternion for every joint there is no Σ w (b + R v′).");
        return;
    };
    let help = match &e.readout {
        Readout::Sum(_) => "Σ w (b + R v′): the same place without a matrix",
        Readout::Motion { .. } | Readout::Terms(_) => {
            "Σ w (b + R v′): where linear blending has the vertex; this method puts it elsewhere"
        }
    };
    position(ui, "Σ w (b + R v′)", sum, decimals, colors(ui).text).on_hover_text(help);
}

/// Shows the position in the space that is chosen.
fn space(ui: &mut Ui, session: &Session, model: &Model, e: &Explanation, state: &mut Explain) {
    let decimals = decimals_of(session);
    section(ui, "Seen from", |_| {});
    let main = e.terms.first().map_or(Space::World, |t| Space::Node(t.node));
    let now = state.space.unwrap_or(main);
    spaces(ui, model, e, now, state);
    ui.spacing_mut().item_spacing.y = 0.0;
    let c = colors(ui);
    let Space::Node(node) = now else {
        position(ui, "p", e.position, decimals, c.text);
        return;
    };
    if let Some(bound) = bound_offset(model, e, node) {
        position(ui, "v′ as bound", bound, decimals, c.dim)
            .on_hover_text("inverse bind · v: where a joint that is alone would keep the vertex");
    }
    let world = session.pose().model.get(node.index());
    match world.and_then(|world| in_space(world, e.position)) {
        Some(inside) => {
            position(ui, "p′ now", inside, decimals, c.text)
                .on_hover_text("p′ = W⁻¹ p: the skinned position in the local space of this node");
        }
        None => {
            let text = "This node flattens space: nothing can be seen from it.";
            ui.add(Label::new(RichText::new(text).color(c.amber)).wrap());
        }
    }
}

/// Returns the position of the vertex in the bind pose, in the space of a joint of its skin.
pub(super) fn bound_offset(model: &Model, e: &Explanation, node: NodeId) -> Option<DVec3> {
    let skin = &model.skins[model.instances[e.vertex.instance.index()].skin?.index()];
    let joint = skin.joints.iter().position(|j| *j == node).filter(|_| e.skinned)?;
    let inverse_bind = skin.inverse_bind[joint];
    Some(inverse_bind.matrix3.as_dmat3() * e.rest + inverse_bind.translation.as_dvec3())
}

/// Returns the name of a space.
fn space_name(model: &Model, e: &Explanation, space: Space) -> String {
    let carrier = model.instances[e.vertex.instance.index()].node;
    match space {
        Space::World => "World".to_owned(),
        Space::Node(node) if node == carrier => format!("Mesh ({})", model.skeleton.names[node.index()]),
        Space::Node(node) => model.skeleton.names[node.index()].clone(),
    }
}

/// Shows the list of spaces: world, the mesh's node, the joints that move the vertex, all others; with a search where
/// it is long.
fn spaces(ui: &mut Ui, model: &Model, e: &Explanation, now: Space, state: &mut Explain) {
    let carrier = model.instances[e.vertex.instance.index()].node;
    let movers = e.terms.iter().map(|t| t.node);
    let bare = model.skins.is_empty();
    let rest = (0..model.skeleton.len()).map(NodeId::from_index).filter(|n| bare || model.is_joint(*n));
    let mut all = vec![Space::World];
    let mut listed = std::collections::HashSet::new();
    all.extend(std::iter::once(carrier).chain(movers).chain(rest).filter(|n| listed.insert(*n)).map(Space::Node));
    let shown = space_name(model, e, now);
    let width = ui.available_width();
    let choice = SearchListOptions {
        id: "space",
        search: "Search joints",
        none: "No joint has that in its name.",
        width,
        list_width: width,
        count: all.len(),
        now: all.iter().position(|s| *s == now),
        shown: &shown,
    };
    let name = |i: usize| Cow::Owned(space_name(model, e, all[i]));
    let (response, chosen) = state.spaces.show(ui, &choice, name, |_| None);
    state.space = chosen.map(|i| all[i]).or(state.space);
    response
        .accessible_name(format!("Space: {shown}"))
        .on_hover_text("The space in which the position of the vertex is read");
    ui.add_space(2.0);
}

fn copy(ui: &mut Ui, session: &Session, model: &Model, e: &Explanation) {
    ui.add_space(10.0);
    let stored = stored_weights(session, e);
    ui.horizontal(|ui| {
        if text_button(ui, None, "Copy as text", false).on_hover_text("For a message or a ticket").clicked() {
            let decimals = decimals_of(session);
            let text = explain_text::text(
                model,
                session.deforming().side_deformation(session.deforming().explains_second()).method,
                e,
                &stored,
                decimals,
            );
            copied::copy(ui, text, &format!("vertex {} as text", e.number));
        }
        if text_button(ui, None, "Copy as TSV", false).on_hover_text("For a table, with every digit").clicked() {
            copied::copy(ui, explain_text::tsv(model, e, &stored), &format!("vertex {} as a table", e.number));
        }
    });
}

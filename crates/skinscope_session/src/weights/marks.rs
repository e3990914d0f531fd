//! Marked vertices: marked in the picture, by joint or by their neighbours on the surface. Each change of them is a step
//! that can be undone.
//!
//! Vertices at one point of the surface are marked together, so that what works on them does not open a seam.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Weak};

use glam::Vec2;
use skinscope_edit::{self as edit, Sheet};
use skinscope_inspect::VertexSet;
use skinscope_model::{MeshId, Model, NodeId, PrimitiveId};

use crate::{Document, Picking, Scope, Session};

/// How a drag over the picture marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[expect(missing_docs, reason = "the names of the tools")]
pub enum MarkTool {
    Box,
    Lasso,
    Circle,
}

/// A part of the picture: pixels from its top left.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum MarkShape {
    /// The nearest vertex to a point, where one is near.
    Point(#[serde(with = "skinscope_base::text_form::vector")] Vec2),
    /// Between two corners.
    Box(
        #[serde(with = "skinscope_base::text_form::vector")] Vec2,
        #[serde(with = "skinscope_base::text_form::vector")] Vec2,
    ),
    /// Inside of a line that comes back to its start.
    Lasso(#[serde(with = "crate::command::shared_lists::points")] Arc<Vec<Vec2>>),
    /// Around a point.
    Circle(#[serde(with = "skinscope_base::text_form::vector")] Vec2, f32),
}

/// What becomes of the marks that are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum MarkMode {
    #[default]
    Replace,
    Add,
    Remove,
}

/// Commands about marks.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum MarkCommand {
    /// Let drags over the picture mark vertices; `None`: they turn the camera. The tool that is used is put away.
    Use(Option<MarkTool>),
    /// Mark also what the surface hides, or only what is seen.
    ToggleThrough,
    /// Mark what lies in a part of the picture.
    In(MarkShape, MarkMode),
    /// Mark the neighbours of marked vertices too.
    Grow,
    /// Marked vertices with a neighbour that is not marked are marked no more.
    Shrink,
    /// Mark the whole pieces of the surface that have a marked vertex.
    Pieces,
    /// Mark all vertices with the materials that marked vertices have.
    SameMaterial,
    /// Mark what the selected joint moves.
    OfJoint,
    /// Mark what is not marked, and nothing else.
    Invert,
    /// Mark every vertex with weights.
    All,
    /// Mark nothing.
    None,
}

/// How vertices are marked.
#[derive(Clone, Debug, Default)]
pub struct Marking {
    /// What a drag over the picture does; `None`: it turns the camera.
    pub tool: Option<MarkTool>,
    /// Also what the surface hides is marked.
    pub through: bool,
    /// Whether what is marked was put together in the picture by several strokes, which takes time, and not by one command.
    pub by_hand: bool,
    surfaces: Option<Neighbours>,
}

/// The welded surfaces of a file.
#[derive(Clone, Debug)]
struct Neighbours {
    of: Weak<Model>,
    surfaces: Arc<Vec<edit::RestSurface>>,
    /// By primitive: the index of the surface, and the number of the first vertex there.
    parts: Arc<HashMap<PrimitiveId, (usize, u32)>>,
}

/// A vertex of a surface after those at one position were welded: the index of the surface, and that of the welded vertex there.
type WeldedVertex = (usize, u32);

/// How far from a click a vertex may lie, pixels.
const REACH: f32 = 14.0;

impl Neighbours {
    fn welded(&self, (mesh, primitive, vertex): (MeshId, usize, u32)) -> Option<WeldedVertex> {
        let (surface, first) = *self.parts.get(&PrimitiveId { mesh, primitive })?;
        Some((surface, *self.surfaces[surface].mesh.weld.group.get((first + vertex) as usize)?))
    }

    fn welded_set(&self, set: &VertexSet) -> BTreeSet<WeldedVertex> {
        set.iter().filter_map(|vertex| self.welded(vertex)).collect()
    }

    fn set(&self, welded: &BTreeSet<WeldedVertex>) -> VertexSet {
        let mut out = Vec::new();
        for (surface, vertex) in welded {
            let surface = &self.surfaces[*surface];
            for vertex in surface.members(*vertex) {
                let (part, stored) = surface.stored(*vertex);
                out.push((part.primitive.mesh, part.primitive.primitive, stored as u32));
            }
        }
        VertexSet::from_vertices(out)
    }

    fn around(&self, (surface, vertex): WeldedVertex) -> impl Iterator<Item = WeldedVertex> {
        self.surfaces[surface].neighbours(vertex).iter().map(move |next| (surface, *next))
    }

    /// Returns all vertices to which edges lead from some of them.
    fn pieces_of(&self, from: &BTreeSet<WeldedVertex>) -> BTreeSet<WeldedVertex> {
        let mut out = from.clone();
        let mut open: Vec<WeldedVertex> = from.iter().copied().collect();
        while let Some(vertex) = open.pop() {
            open.extend(self.around(vertex).filter(|next| out.insert(*next)));
        }
        out
    }

    fn all(&self) -> BTreeSet<WeldedVertex> {
        let of = |(i, surface): (usize, &edit::RestSurface)| (0..surface.positions.len() as u32).map(move |p| (i, p));
        self.surfaces.iter().enumerate().flat_map(of).collect()
    }
}

impl Marking {
    /// The welded surfaces of the open file, made when first asked for.
    fn neighbours(&mut self, stored: &Arc<Model>) -> Neighbours {
        if let Some(known) = self.surfaces.as_ref().filter(|known| known.of.ptr_eq(&Arc::downgrade(stored))) {
            return known.clone();
        }
        let surfaces = Sheet::of_file(stored).surfaces().to_vec();
        let mut parts = HashMap::new();
        for (i, surface) in surfaces.iter().enumerate() {
            parts.extend(surface.parts.iter().map(|part| (part.primitive, (i, part.first))));
        }
        let made = Neighbours { of: Arc::downgrade(stored), surfaces: Arc::new(surfaces), parts: Arc::new(parts) };
        self.surfaces = Some(made.clone());
        made
    }
}

impl Session {
    /// How vertices are marked.
    #[must_use]
    pub fn marking(&self) -> &Marking {
        &self.marking
    }
}

/// Carries out a command of its family.
pub(crate) fn apply(session: &mut Session, command: &MarkCommand) {
    match command {
        MarkCommand::Use(tool) => {
            session.marking.tool =
                tool.filter(|tool| session.marking.tool != Some(*tool) && session.document().is_some());
            // Who marks vertices wants tools to work on them.
            if session.marking.tool.is_some() {
                session.tools.set_scope(Scope::Marked);
            }
            return;
        }
        MarkCommand::ToggleThrough => {
            session.marking.through = !session.marking.through;
            return;
        }
        _ => {}
    }
    let Some(stored) = session.document.as_ref().map(Document::stored) else { return };
    let neighbours = session.marking.neighbours(stored);
    let before = neighbours.welded_set(&session.view().marked);
    let after = match command {
        MarkCommand::In(shape, mode) => {
            let found = neighbours.welded_set(&session.picking().within(shape, session.marking.through));
            match mode {
                MarkMode::Replace => found,
                MarkMode::Add => &before | &found,
                MarkMode::Remove => &before - &found,
            }
        }
        MarkCommand::Grow => {
            let grown = before.iter().flat_map(|vertex| neighbours.around(*vertex));
            before.iter().copied().chain(grown).collect()
        }
        MarkCommand::Shrink => {
            let is_inside = |vertex: &&WeldedVertex| neighbours.around(**vertex).all(|next| before.contains(&next));
            before.iter().filter(is_inside).copied().collect()
        }
        MarkCommand::Pieces => neighbours.pieces_of(&before),
        MarkCommand::SameMaterial => neighbours.welded_set(&of_same_material(stored, &session.view().marked)),
        MarkCommand::OfJoint => session
            .edited_weights()
            .vertices_of(Scope::Joint)
            .map(|set| neighbours.welded_set(&set))
            .unwrap_or_default(),
        MarkCommand::Invert => &neighbours.all() - &before,
        MarkCommand::All => neighbours.all(),
        MarkCommand::Use(_) | MarkCommand::ToggleThrough | MarkCommand::None => BTreeSet::new(),
    };
    let is_by_hand = match command {
        MarkCommand::In(_, MarkMode::Add | MarkMode::Remove) => session.marking.by_hand || !before.is_empty(),
        MarkCommand::Grow | MarkCommand::Shrink | MarkCommand::Invert => session.marking.by_hand,
        _ => false,
    };
    if after != before || *command == MarkCommand::None {
        session.marker().mark_as_step(Arc::new(neighbours.set(&after)), is_by_hand && !after.is_empty());
    }
}

/// Returns the vertices with the materials that some vertices have, those included.
fn of_same_material(model: &Model, some: &VertexSet) -> VertexSet {
    let mut parts = Vec::new();
    for (mesh, of) in model.meshes.iter().enumerate().map(|(m, of)| (MeshId::from_index(m), of)) {
        for (list, primitive) in of.vertex_lists() {
            for part in of.parts(list) {
                let corners = primitive.indices.get(part.indices).unwrap_or_default();
                let vertices: BTreeSet<u32> = corners.iter().map(|corner| primitive.stored_vertex(*corner)).collect();
                parts.push((of.primitives[part.primitive].material, (mesh, list), vertices));
            }
        }
    }
    let has_some = |(mesh, list): (MeshId, usize), vertices: &BTreeSet<u32>| {
        vertices.iter().any(|vertex| some.contains(mesh, list, *vertex))
    };
    let wanted: Vec<_> = parts.iter().filter(|(_, at, of)| has_some(*at, of)).map(|(material, ..)| *material).collect();
    let mut found: Vec<_> = some.iter().collect();
    for (_, (mesh, list), vertices) in parts.iter().filter(|(material, ..)| wanted.contains(material)) {
        found.extend(vertices.iter().map(|vertex| (*mesh, *list, *vertex)));
    }
    VertexSet::from_vertices(found)
}

impl Picking<'_> {
    /// The selected joint, where marks or tools may ask for what it moves.
    #[must_use]
    pub fn has_joint(self) -> Option<NodeId> {
        self.view.selected.filter(|node| self.model.is_some_and(|model| model.is_joint(*node)))
    }
}

impl MarkShape {
    /// Returns the least and the greatest coordinates of the part.
    pub(super) fn bounds(&self) -> [Vec2; 2] {
        match self {
            Self::Point(point) => [*point - REACH, *point + REACH],
            Self::Box(a, b) => [a.min(*b), a.max(*b)],
            Self::Circle(middle, radius) => [*middle - *radius, *middle + *radius],
            Self::Lasso(line) => {
                let ends = [Vec2::INFINITY, Vec2::NEG_INFINITY];
                line.iter().fold(ends, |[least, most], at| [least.min(*at), most.max(*at)])
            }
        }
    }

    /// Whether a point of the picture lies in it.
    #[must_use]
    pub fn has(&self, at: Vec2) -> bool {
        match self {
            Self::Point(point) => at.distance(*point) <= REACH,
            Self::Box(a, b) => at.cmpge(a.min(*b)).all() && at.cmple(a.max(*b)).all(),
            Self::Circle(middle, radius) => at.distance(*middle) <= *radius,
            Self::Lasso(line) => {
                // A ray to the right crosses the line an odd number of times.
                let mut inside = false;
                for (i, a) in line.iter().enumerate() {
                    let b = line[(i + 1) % line.len()];
                    if (a.y > at.y) != (b.y > at.y) && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x) {
                        inside = !inside;
                    }
                }
                inside
            }
        }
    }
}

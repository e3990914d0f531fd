//! Marked vertices: marked in the picture, by joint or by their neighbours on the surface. Each change of them is a step
//! that can be undone.
//!
//! Vertices at one point of the surface are marked together, so that what works on them does not open a seam.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Weak};

use glam::{Affine3A, Vec2, Vec3};
use skinscope_edit::{self as edit, Sheet};
use skinscope_inspect::VertexSet;
use skinscope_model::{MeshId, Model, NodeId, PrimitiveId, Topology};

use crate::{Document, Picking, Projector, Scope, Session, findings};

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
/// What lies behind the surface by no more than this part of its distance lies on it.
const THICKNESS: f32 = 1e-3;

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
                tool.filter(|tool| session.marking.tool != Some(*tool) && session.document.is_some());
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
    let before = neighbours.welded_set(&session.view.marked);
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
        findings::mark_as_step(session, Arc::new(neighbours.set(&after)), is_by_hand && !after.is_empty());
    }
}

impl Picking<'_> {
    /// The vertices with weights in a part of the picture: those that are seen, or all.
    fn within(self, shape: &MarkShape, through: bool) -> VertexSet {
        let (Some(surface), Some(model)) = (self.surfaces.surface(), self.model) else { return VertexSet::default() };
        let model = surface.model(model);
        let projector = self.view.projector();
        let mut found: Vec<(Vec2, f32, (MeshId, usize, u32))> = Vec::new();
        for part in &surface.parts {
            let mesh = model.instances[part.instance.index()].mesh;
            let primitive = &model.meshes[mesh.index()].primitives[part.primitive];
            if primitive.stored_influences.is_none() {
                continue;
            }
            for copy in 0..part.copies.len().max(1) {
                let matrix = part.copies.get(copy).copied().unwrap_or(Affine3A::IDENTITY);
                for (drawn, position) in part.deformed.positions.iter().enumerate() {
                    let world = matrix.transform_point3(*position);
                    let Some(at) = projector.project(world).filter(|at| shape.has(*at)) else { continue };
                    let stored = primitive.stored_vertex(drawn as u32);
                    found.push((at, projector.nearness(world), (mesh, part.primitive, stored)));
                }
            }
        }
        if !through && !found.is_empty() {
            let mut front = Front::around(found.iter().map(|(at, ..)| *at));
            for part in &surface.parts {
                let mesh = model.instances[part.instance.index()].mesh;
                let primitive = &model.meshes[mesh.index()].primitives[part.primitive];
                if primitive.topology != Topology::Triangles {
                    continue;
                }
                for copy in 0..part.copies.len().max(1) {
                    let matrix = part.copies.get(copy).copied().unwrap_or(Affine3A::IDENTITY);
                    let seen = |p: &Vec3| {
                        let world = matrix.transform_point3(*p);
                        projector.project(world).map(|at| (at, projector.nearness(world)))
                    };
                    let corners: Vec<_> = part.deformed.positions.iter().map(seen).collect();
                    for triangle in primitive.indices.as_chunks::<3>().0 {
                        if let [Some(a), Some(b), Some(c)] = triangle.map(|v| corners[v as usize]) {
                            front.draw([a, b, c]);
                        }
                    }
                }
            }
            found.retain(|(at, nearness, _)| front.shows(*at, *nearness, &projector));
        }
        if let MarkShape::Point(point) = shape {
            let nearest = found.iter().min_by(|a, b| a.0.distance(*point).total_cmp(&b.0.distance(*point)));
            return VertexSet::from_vertices(nearest.map(|(.., vertex)| *vertex).into_iter().collect());
        }
        VertexSet::from_vertices(found.into_iter().map(|(.., vertex)| vertex).collect())
    }

    /// The selected joint, where marks or tools may ask for what it moves.
    #[must_use]
    pub fn has_joint(self) -> Option<NodeId> {
        self.view.selected.filter(|node| self.model.is_some_and(|model| model.is_joint(*node)))
    }
}

impl MarkShape {
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

/// How near the surface is in some pixels of the picture.
#[derive(Debug)]
struct Front {
    left: i32,
    top: i32,
    width: usize,
    nearness: Vec<f32>,
}

/// The most pixels to each side: parts of the picture are never larger.
const MOST: f32 = 16_384.0;

impl Front {
    fn around(points: impl Iterator<Item = Vec2> + Clone) -> Self {
        let least = points.clone().fold(Vec2::splat(MOST), Vec2::min).max(Vec2::splat(-MOST)).floor() - 2.0;
        let most = points.fold(Vec2::splat(-MOST), Vec2::max).min(Vec2::splat(MOST)).ceil() + 2.0;
        let size = (most - least).max(Vec2::ONE);
        let (width, height) = (size.x as usize + 1, size.y as usize + 1);
        Self { left: least.x as i32, top: least.y as i32, width, nearness: vec![f32::NEG_INFINITY; width * height] }
    }

    fn height(&self) -> usize {
        self.nearness.len() / self.width
    }

    /// Draws a triangle: what is nearest in each pixel counts.
    fn draw(&mut self, [a, b, c]: [(Vec2, f32); 3]) {
        let origin = Vec2::new(self.left as f32, self.top as f32);
        let [p, q, r] = [a.0 - origin, b.0 - origin, c.0 - origin];
        let area = (q - p).perp_dot(r - p);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let last = Vec2::new(self.width as f32 - 1.0, self.height() as f32 - 1.0);
        let least = p.min(q).min(r).max(Vec2::ZERO).floor();
        let most = p.max(q).max(r).min(last).ceil().min(last);
        if least.x > most.x || least.y > most.y {
            return;
        }
        for y in least.y as usize..=most.y as usize {
            for x in least.x as usize..=most.x as usize {
                let at = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let shares = [(q - at).perp_dot(r - at), (r - at).perp_dot(p - at), (p - at).perp_dot(q - at)];
                let shares = shares.map(|share| share / area);
                if shares.iter().all(|share| *share >= 0.0) {
                    let nearness = shares[0] * a.1 + shares[1] * b.1 + shares[2] * c.1;
                    let pixel = &mut self.nearness[y * self.width + x];
                    *pixel = pixel.max(nearness);
                }
            }
        }
    }

    /// Whether nothing lies before a point in its pixel, or in one beside it that shows a part of the surface.
    fn shows(&self, at: Vec2, nearness: f32, projector: &Projector) -> bool {
        let (x, y) = (at.x.floor() as i32 - self.left, at.y.floor() as i32 - self.top);
        let at = |x: i32, y: i32| {
            let is_inside = x >= 0 && y >= 0 && (x as usize) < self.width && (y as usize) < self.height();
            is_inside.then(|| self.nearness[y as usize * self.width + x as usize])
        };
        let mut farthest = at(x, y).unwrap_or(f32::NEG_INFINITY);
        for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))) {
            if let Some(beside) = at(x + dx, y + dy).filter(|nearness| nearness.is_finite()) {
                farthest = farthest.min(beside);
            }
        }
        projector.is_no_nearer(farthest, nearness, THICKNESS)
    }
}

//! A vertex that is dragged on a model: which places go along, and the weights that they get.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::{DVec3, Vec3};
use skinscope_anim::pose::Mirror;
use skinscope_deform::SurfaceDistances;
use skinscope_model::{InstanceId, LocalPose, Model, PrimitiveId};
use skinscope_weights::{Falloff, RestSurface, Table, TableRow};

use crate::Joints;
use crate::candidates::{Candidates, Kin};
use crate::drag::{Dragged, DraggedRow, Follower, HeldRows, HeldVertex, at};
use crate::motion::{Motion, Posed, diagonal, shown_by};
use crate::pulled::{Pulled, PulledRow};
use crate::row::RowRules;

/// A pose in which the dragged vertex is pinned, and where it should be then.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// The pose.
    pub pose: LocalPose,
    /// The place in the scene of the file, metres.
    pub target: DVec3,
}

/// How a vertex is dragged.
#[derive(Clone, Copy, Debug)]
pub struct PullSettings {
    /// The most joints of a vertex; no more than the file has room for.
    pub most: usize,
    /// The joints that a vertex may have.
    pub joints: Joints,
    /// How strongly the weights of before are kept, as in [`crate::SolveSettings::keep`].
    pub keep: f64,
    /// How far the change reaches along the surface at rest, metres; 0: no other vertex goes along.
    pub radius: f64,
    /// How the change becomes less away from the vertex.
    pub falloff: &'static Falloff,
}

/// What a dragged vertex takes along, as it was before the drag. It is found once, and serves every move.
#[derive(Clone, Debug, Default)]
pub struct PullField {
    /// The first one is that of the dragged vertex, whose first place is the vertex itself.
    parts: Vec<FieldPart>,
    size: f64,
    room: usize,
    /// The keys of the joints of each table, where vertices that go along may have the joints that the dragged one gets, beside those near them: all
    /// joints of the skin for each of them would take too long.
    gaining: Option<Vec<Vec<u32>>>,
    /// What the moves until now have in common.
    held: Option<Arc<Held>>,
}

/// What the moves of a drag have in common while the poses stay.
#[derive(Clone, Debug)]
struct Held {
    poses: Vec<LocalPose>,
    locked: BTreeSet<u32>,
    /// The most joints of a vertex, and how strongly the weights of before are kept, as bits.
    rules: (usize, u64),
    /// For each pose: the origin of the places of the dragged vertex.
    origins: Vec<DVec3>,
    vertex: HeldVertex,
    /// What goes along, by part; `None` where nothing moves it.
    rows: Vec<Option<HeldRows>>,
    /// The keys of the joints that it may have beside its own.
    gained: Vec<u32>,
}

/// The places of one primitive.
#[derive(Clone, Debug)]
struct FieldPart {
    instance: InstanceId,
    primitive: usize,
    /// The key of each joint of its skin.
    keys: Vec<u32>,
    places: Vec<FieldPlace>,
}

/// A place of the surface: the vertices that are welded there, which get the same weights.
#[derive(Clone, Debug)]
struct FieldPlace {
    /// The vertex of the primitive that stands for all.
    vertex: usize,
    rows: Vec<TableRow>,
    strength: f64,
    /// Its weights and the joints that it may have, by index in the skin.
    before: Vec<(u32, f64)>,
    joints: Vec<u32>,
}

impl PullField {
    /// Finds what a vertex of the file takes along; `tables` and `surfaces` are those of the model. By `mirror` joints on the side where a vertex
    /// has no weight are not near it. Returns `None` where no skin moves the vertex, or no weights of it can be used.
    #[must_use]
    pub fn new(
        model: &Model,
        (surfaces, tables): (&[RestSurface], &[Table]),
        (primitive, vertex): (PrimitiveId, usize),
        settings: &PullSettings,
        mirror: Option<&Mirror>,
    ) -> Option<Self> {
        let has = |surface: &&RestSurface| surface.parts.iter().any(|part| part.primitive == primitive);
        let surface = surfaces.iter().find(has)?;
        let part = surface.parts.iter().position(|part| part.primitive == primitive)?;
        let table = tables.get(surface.parts[part].table)?;
        if vertex >= table.vertices() {
            return None;
        }
        let rest = RestPlaces::new(model, surface, tables);
        let dragged = surface.mesh.point(surface.parts[part].first + vertex as u32);
        let kin = Kin::new(model, surface, tables);
        let kin = match mirror {
            Some(mirror) => kin.with_sides(model, mirror),
            None => kin,
        };
        let candidates = Candidates::new(settings.joints, surface, tables, &kin).narrow();
        let mut finder = Finder { surface, tables, rest: &rest, candidates, out: Self::default() };
        finder.out.size = diagonal(rest.all());
        finder.out.room = table.per_vertex;
        if !finder.add(dragged, Some((part, vertex)), 1.0) {
            return None;
        }
        if settings.joints == Joints::All {
            finder.candidates = Candidates::new(Joints::Near, surface, tables, &kin).narrow();
            finder.out.gaining = Some(tables.iter().map(|table| table.keys.clone()).collect());
        }
        if settings.radius > 0.0 {
            let mut distances = SurfaceDistances::default();
            let place = |point: u32| rest.place(point).map_or(Vec3::NAN, |place| place.as_vec3());
            let near = distances.within(&surface.mesh, place, &[(dragged, 0.0)], settings.radius as f32);
            for (point, distance) in near.iter().filter(|(point, _)| *point != dragged) {
                let strength = settings.falloff.at(f64::from(*distance) / settings.radius);
                if strength > 0.0 {
                    finder.add(*point, None, strength);
                }
            }
        }
        let mut out = finder.out;
        // In the order of their rows, what every move finds need not be sorted again; the first place stays the dragged one.
        for (number, part) in out.parts.iter_mut().enumerate() {
            part.places[usize::from(number == 0)..].sort_by_key(|place| place.rows.first().copied());
        }
        Some(out)
    }

    /// Returns how many places there are, with the dragged one.
    #[cfg(test)]
    fn places(&self) -> usize {
        self.parts.iter().map(|part| part.places.len()).sum()
    }

    /// Returns the places to which the joints that the dragged vertex may have would each take it alone in a pose: in the scene of the file,
    /// metres.
    #[must_use]
    pub fn ghosts(&self, model: &Model, pose: &LocalPose) -> Vec<DVec3> {
        let Some(part) = self.parts.first() else { return Vec::new() };
        let posed = Posed::new(model, pose);
        let Some((motion, place)) = posed.motion(part.instance, part.primitive).zip(part.places.first()) else {
            return Vec::new();
        };
        place.joints.iter().map(|joint| motion.ghost(*joint as usize, place.vertex) + motion.origin()).collect()
    }

    /// Returns the row of the dragged vertex, by the number of its table; vertices of the same place have the same weights.
    #[must_use]
    pub fn row(&self) -> Option<TableRow> {
        self.parts.first()?.places.first()?.rows.first().copied()
    }

    /// Returns the size of the surface at rest, metres: distances that do not matter are shares of it.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Returns how many joints every vertex that goes along has room for.
    #[must_use]
    pub fn room(&self) -> usize {
        self.room
    }

    /// Returns the rows of all places, each with how far it goes along.
    pub(crate) fn reach(&self) -> impl Iterator<Item = (TableRow, f64)> {
        let places = self.parts.iter().flat_map(|part| &part.places);
        places.flat_map(|place| place.rows.iter().map(move |at| (*at, place.strength)))
    }

    /// Returns the rows of the vertices at the place of the dragged one, with its own.
    pub(crate) fn own_rows(&self) -> &[TableRow] {
        let place = self.parts.first().and_then(|part| part.places.first());
        place.map_or(&[][..], |place| &place.rows[..])
    }

    /// Returns where weights, by the keys of joints, put the dragged vertex in a pose: in the scene of the file, metres.
    #[must_use]
    pub fn put_by(&self, model: &Model, pose: &LocalPose, shares: &[(u32, f64)]) -> Option<DVec3> {
        let part = self.parts.first()?;
        let place = part.places.first()?;
        let motion = Posed::new(model, pose).motion(part.instance, part.primitive)?;
        let index = |key: u32| part.keys.iter().position(|known| *known == key).map(|joint| joint as u32);
        let known: Vec<(u32, f64)> = shares.iter().filter_map(|(key, weight)| Some((index(*key)?, *weight))).collect();
        let sum: f64 = known.iter().map(|(_, weight)| weight).sum();
        let found = at(&motion, place.vertex, &known) / sum + motion.origin();
        found.is_finite().then_some(found)
    }

    /// Solves the weights for all pins at once. Locked joints, given by key, keep theirs. The model is that of [`PullField::new`]. What does not
    /// depend on where the vertex should be is found once, and kept while the poses and what is locked stay.
    #[must_use]
    pub fn pull(&mut self, model: &Model, pins: &[Pin], locked: &BTreeSet<u32>, settings: &PullSettings) -> Pulled {
        let rules = (settings.most.min(self.room), settings.keep.to_bits());
        let mut out = Pulled::holding(locked);
        let mut held = match self.held.take().filter(|held| held.is_of(pins, locked, rules)) {
            Some(held) => held,
            None => {
                let Some(held) = self.hold(model, pins, locked, settings) else { return out };
                Arc::new(held)
            }
        };
        let targets: Vec<DVec3> = pins.iter().zip(&held.origins).map(|(pin, origin)| pin.target - *origin).collect();
        let (Dragged { mut rows, landed, away, outside }, moved) = held.vertex.to(&targets);
        (out.away, out.outside) = (away, outside);
        out.landed = landed.iter().zip(&held.origins).map(|(landed, origin)| *landed + *origin).collect();
        let gained = self.gained(&rows);
        if held.gained != gained {
            let posed: Vec<Posed> = pins.iter().map(|pin| Posed::new(model, &pin.pose)).collect();
            let rows = self.held_rows(&posed, (locked, settings), &gained);
            let held = Arc::make_mut(&mut held);
            (held.rows, held.gained) = (rows, gained);
        }
        for (part, others) in self.parts.iter().zip(&held.rows) {
            let Some(others) = others else { continue };
            // The dragged vertex is the first place of the first part.
            let mut solved = std::mem::take(&mut rows);
            solved.extend(others.along(&moved));
            part.take(solved, &mut out);
        }
        out.sort();
        self.held = Some(held);
        out
    }

    /// Finds what the moves of a drag have in common; `None` where nothing moves the dragged vertex.
    fn hold(&self, model: &Model, pins: &[Pin], locked: &BTreeSet<u32>, settings: &PullSettings) -> Option<Held> {
        let (most, keep) = (settings.most.min(self.room), settings.keep);
        let posed: Vec<Posed> = pins.iter().map(|pin| Posed::new(model, &pin.pose)).collect();
        let part = self.parts.first()?;
        let (motions, own_locked) = (part.motions(&posed)?, part.locked(locked));
        let rules = RowRules { most, keep, prefers_own: true, locked: &own_locked };
        let all: Vec<&Motion> = motions.iter().collect();
        let vertex = HeldVertex::new(&part.places.first()?.follower(), (&all, self.size), &rules);
        let origins = motions.iter().map(|motion| motion.origin()).collect();
        let rows = self.held_rows(&posed, (locked, settings), &[]);
        let poses = pins.iter().map(|pin| pin.pose.clone()).collect();
        let rules = (most, keep.to_bits());
        Some(Held { poses, locked: locked.clone(), rules, origins, vertex, rows, gained: Vec::new() })
    }

    /// Looks at where the joints of what goes along would take it, by part; it may have `gained` joints, by key, beside its own.
    fn held_rows(
        &self,
        posed: &[Posed<'_>],
        (locked, settings): (&BTreeSet<u32>, &PullSettings),
        gained: &[u32],
    ) -> Vec<Option<HeldRows>> {
        let of_part = |(number, part): (usize, &FieldPart)| {
            let (motions, own_locked) = (part.motions(posed)?, part.locked(locked));
            let all: Vec<&Motion> = motions.iter().collect();
            let (most, keep) = (settings.most.min(self.room), settings.keep);
            let rules = RowRules { most, keep, prefers_own: true, locked: &own_locked };
            // The first place of the first part is the dragged vertex.
            let places = &part.places[usize::from(number == 0)..];
            let joints: Vec<Vec<u32>> = places.iter().map(|place| self.joints_of(part, place, gained)).collect();
            let followers: Vec<Follower> =
                places.iter().zip(&joints).map(|(place, joints)| Follower { joints, ..place.follower() }).collect();
            Some(HeldRows::new(&followers, (&all, self.size), &rules))
        };
        self.parts.iter().enumerate().map(of_part).collect()
    }

    /// Returns the joints that a place may have, by index in the skin: its own, and those gained that each of its vertices can have.
    fn joints_of(&self, part: &FieldPart, place: &FieldPlace, gained: &[u32]) -> Vec<u32> {
        let mut out = place.joints.clone();
        for key in gained {
            let has = |at: &TableRow| self.gaining.as_ref().is_some_and(|keys| keys[at.table].contains(key));
            let joint = part.keys.iter().position(|known| known == key).map(|joint| joint as u32);
            out.extend(joint.filter(|joint| !out.contains(joint) && place.rows.iter().all(has)));
        }
        out
    }

    /// Returns the joints of the dragged vertex that what goes along may have too, by key, rising.
    fn gained(&self, own: &[DraggedRow]) -> Vec<u32> {
        let keys = self.parts.first().filter(|_| self.gaining.is_some()).map_or(&[][..], |part| &part.keys[..]);
        let shares = own.iter().flat_map(|row| &row.shares);
        let mut out: Vec<u32> = shares.filter_map(|(joint, _)| keys.get(*joint as usize).copied()).collect();
        out.sort_unstable();
        out
    }
}

impl Held {
    /// Returns whether it is of these poses, locks and rules.
    fn is_of(&self, pins: &[Pin], locked: &BTreeSet<u32>, rules: (usize, u64)) -> bool {
        self.rules == rules && self.locked == *locked && self.poses.iter().eq(pins.iter().map(|pin| &pin.pose))
    }
}

impl FieldPlace {
    fn follower(&self) -> Follower<'_> {
        Follower { vertex: self.vertex, strength: self.strength, before: &self.before, joints: &self.joints }
    }
}

impl FieldPart {
    /// Returns how each pose moves it; `None` where one of them does not.
    fn motions<'m>(&self, posed: &[Posed<'m>]) -> Option<Vec<Motion<'m>>> {
        posed.iter().map(|posed| posed.motion(self.instance, self.primitive)).collect()
    }

    /// Returns those of some joints, by key, that its skin has, by index in the skin.
    fn locked(&self, locked: &BTreeSet<u32>) -> BTreeSet<u32> {
        (0..).zip(&self.keys).filter(|(_, key)| locked.contains(*key)).map(|(joint, _)| joint).collect()
    }

    /// Adds the rows of all places to `out`; `solved` has those that change, in the order of the places.
    fn take(&self, solved: Vec<DraggedRow>, out: &mut Pulled) {
        let mut solved = solved.into_iter().peekable();
        for place in &self.places {
            let mut shares = solved.next_if(|row| row.vertex == place.vertex).map(|row| row.shares);
            if let Some(shares) = &mut shares {
                shares.retain(|(joint, _)| (*joint as usize) < self.keys.len());
                shares.iter_mut().for_each(|(joint, _)| *joint = self.keys[*joint as usize]);
            }
            let is_alone = place.rows.len() == 1;
            let Some((last, others)) = place.rows.split_last() else { continue };
            out.extend(others.iter().map(|at| PulledRow { at: *at, is_alone, shares: shares.clone() }));
            out.extend(std::iter::once(PulledRow { at: *last, is_alone, shares }));
        }
    }
}

/// Where the points of a surface rest in the scene.
struct RestPlaces<'a> {
    surface: &'a RestSurface,
    tables: &'a [Table],
    /// The motion of each part to the rest pose, with the instance that draws it.
    motions: Vec<Option<(InstanceId, Motion<'a>)>>,
}

impl<'a> RestPlaces<'a> {
    fn new(model: &'a Model, surface: &'a RestSurface, tables: &'a [Table]) -> Self {
        let posed = Posed::new(model, &model.skeleton.rest);
        let motion = |at: PrimitiveId| {
            let instance = shown_by(model, at)?;
            Some((instance, posed.motion(instance, at.primitive)?))
        };
        let motions = surface.parts.iter().map(|part| motion(part.primitive)).collect();
        Self { surface, tables, motions }
    }

    /// Returns the rows of a point with the part that each is of, where something draws them.
    fn rows(&self, point: u32) -> impl Iterator<Item = (usize, TableRow)> {
        self.surface.members(point).iter().filter_map(move |member| {
            let parts = &self.surface.parts;
            let part = parts.partition_point(|part| part.first <= *member).checked_sub(1)?;
            let at = self.surface.row(*member);
            let (_, motion) = self.motions[part].as_ref()?;
            let count = self.tables.get(at.table).map_or(0, Table::vertices).min(motion.vertices());
            (at.row < count).then_some((part, at))
        })
    }

    /// Returns where a point rests.
    fn place(&self, point: u32) -> Option<DVec3> {
        let (part, at) = self.rows(point).next()?;
        let (_, motion) = self.motions[part].as_ref()?;
        Some(motion.blended(&self.tables[at.table], at.row))
    }

    fn all(&self) -> impl Iterator<Item = DVec3> {
        (0..self.surface.mesh.point_count()).filter_map(move |point| self.place(point))
    }
}

/// Finds the places of a field, one after the other.
struct Finder<'a> {
    surface: &'a RestSurface,
    tables: &'a [Table],
    rest: &'a RestPlaces<'a>,
    candidates: Candidates<'a>,
    out: PullField,
}

impl Finder<'_> {
    /// Adds a point with its strength, which `stands_for` may say the part and the vertex of; else its first vertex stands for it. Returns
    /// whether it has weights that can be used.
    fn add(&mut self, point: u32, stands_for: Option<(usize, usize)>, strength: f64) -> bool {
        let all: Vec<(usize, TableRow)> = self.rest.rows(point).collect();
        let found = stands_for.or_else(|| all.first().map(|(part, at)| (*part, at.row)));
        let Some((part, vertex)) = found else { return false };
        let Some((instance, motion)) = self.rest.motions[part].as_ref() else { return false };
        if vertex >= motion.vertices() {
            return false;
        }
        let before = self.before(&all);
        let mut joints = Vec::new();
        self.candidates.of(point, &before, &mut joints);
        // A joint that one of the vertices cannot have is none of the place.
        joints.retain(|key| all.iter().all(|(_, at)| self.tables[at.table].keys.contains(key)));
        let keys = &self.tables[self.surface.parts[part].table].keys;
        let index = |key: u32| keys.iter().position(|known| *known == key).map(|joint| joint as u32);
        let place = FieldPlace {
            vertex,
            rows: all.iter().map(|(_, at)| *at).collect(),
            strength,
            before: before.iter().filter_map(|(key, weight)| Some((index(*key)?, *weight))).collect(),
            joints: joints.iter().filter_map(|key| index(*key)).collect(),
        };
        if place.before.is_empty() {
            return false;
        }
        let primitive = self.surface.parts[part].primitive.primitive;
        let parts = &mut self.out.parts;
        match parts.iter_mut().find(|known| known.instance == *instance && known.primitive == primitive) {
            Some(known) => known.places.push(place),
            None => parts.push(FieldPart { instance: *instance, primitive, keys: keys.clone(), places: vec![place] }),
        }
        let room = all.iter().map(|(_, at)| self.tables[at.table].per_vertex).min();
        self.out.room = room.map_or(self.out.room, |room| room.min(self.out.room));
        true
    }

    /// Returns the mean of the weights of some rows, whose sum is one; none where no row has any.
    fn before(&self, rows: &[(usize, TableRow)]) -> Vec<(u32, f64)> {
        let (mut out, mut own, mut count) = (Vec::<(u32, f64)>::new(), Vec::new(), 0.0);
        for (_, at) in rows {
            self.tables[at.table].shares(at.row, &mut own);
            let sum: f64 = own.iter().map(|(_, weight)| weight).sum();
            if !(sum > 0.0 && sum.is_finite()) {
                continue;
            }
            count += 1.0;
            for (key, weight) in &own {
                match out.iter_mut().find(|(known, _)| known == key) {
                    Some((_, total)) => *total += weight / sum,
                    None => out.push((*key, weight / sum)),
                }
            }
        }
        out.iter_mut().for_each(|(_, weight)| *weight /= count);
        out
    }
}

#[cfg(test)]
mod tests {
    use skinscope_anim::pose::rotate;
    use skinscope_model::NodeId;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_weights::FALLOFFS;

    use super::*;
    use crate::tests::{surface_of, table_of};

    const VERTEX: usize = 100;

    fn shape() -> Model {
        tube(Tube { joints: 3, rings: 13, influences: 2, ..Tube::default() })
    }

    fn settings(radius: f64) -> PullSettings {
        PullSettings { most: 4, joints: Joints::All, keep: 1e-6, radius, falloff: FALLOFFS[0] }
    }

    fn turned(model: &Model, degrees: Vec3) -> LocalPose {
        let mut pose = model.skeleton.rest.clone();
        rotate(&mut pose, NodeId(2), degrees);
        pose
    }

    /// Returns where the weights of a table put the vertex in a pose.
    fn place(model: &Model, table: &Table, pose: &LocalPose, vertex: usize) -> DVec3 {
        Posed::new(model, pose).motion(InstanceId::from_index(0), 0).unwrap().blended(table, vertex)
    }

    #[test]
    fn the_target_is_reached_and_neighbours_go_along_unless_joints_are_locked() {
        let model = shape();
        let (tables, surfaces) = ([table_of(&model)], [surface_of(&model)]);
        let at = (tables[0].primitives[0], VERTEX);
        let alone = PullField::new(&model, (&surfaces, &tables), at, &settings(0.0), None).unwrap();
        let mut field = PullField::new(&model, (&surfaces, &tables), at, &settings(0.3), None).unwrap();
        assert!(alone.places() == 1 && field.places() > 5, "{} {}", alone.places(), field.places());
        let pose = turned(&model, Vec3::X * 50.0);
        let ghosts = field.ghosts(&model, &pose);
        assert_eq!(ghosts.len(), 3);
        let pin = Pin { target: ghosts[0].lerp(ghosts[1], 0.3), pose: pose.clone() };
        let none = BTreeSet::new();
        let (untouched, mut again) = (field.clone(), field.clone());
        let pulled = field.pull(&model, std::slice::from_ref(&pin), &none, &settings(0.3));
        assert!(pulled.away[0] < 2e-4 && pulled.outside[0] < 1e-4 && pulled.landed[0].distance(pin.target) < 2e-4);
        let changes = pulled.changes(&tables);
        let changed = model.with_weights(&changes).unwrap();
        let now = table_of(&changed);
        assert!(place(&changed, &now, &pose, VERTEX).distance(pin.target) < 3e-4);
        // Every row sums to one, and those beyond the radius are not named.
        assert!(changes.len() == 1 && changes[0].vertices.len() < tables[0].vertices());
        let mut sums = changes[0].weights.chunks(changes[0].per_vertex).map(|row| row.iter().sum::<f32>());
        assert!(sums.all(|sum| (sum - 1.0).abs() < 1e-6));
        // Where every joint is locked, nothing changes.
        let locked = model.skins[0].joints.iter().map(|joint| joint.0).collect();
        let held = field.pull(&model, std::slice::from_ref(&pin), &locked, &settings(0.3)).changes(&tables);
        assert!(held.is_empty());
        // What came before a move does not count: other places, poses, locks and limits.
        let near = Pin { target: ghosts[0].lerp(ghosts[1], 0.6), ..pin.clone() };
        let other = Pin { target: ghosts[0], pose: turned(&model, Vec3::Z * 20.0) };
        let few = PullSettings { most: 1, ..settings(0.3) };
        for (pins, most) in [(vec![near.clone()], settings(0.3)), (vec![near, other], settings(0.3)), (vec![pin], few)]
        {
            let mut before = pins.clone();
            before[0].target += DVec3::new(0.02, 0.01, 0.03);
            let elsewhere = again.pull(&model, &before, &none, &most);
            let moved = again.pull(&model, &pins, &none, &most);
            assert!(moved != elsewhere, "{} pins", pins.len());
            assert!(moved == untouched.clone().pull(&model, &pins, &none, &most), "{} pins", pins.len());
        }
    }

    #[test]
    fn a_place_that_is_not_there_has_no_field() {
        let model = shape();
        let (tables, surfaces) = ([table_of(&model)], [surface_of(&model)]);
        let at = tables[0].primitives[0];
        let beyond = tables[0].vertices();
        assert!(PullField::new(&model, (&surfaces, &tables), (at, beyond), &settings(0.1), None).is_none());
        let other = PrimitiveId::new(at.mesh, 7);
        assert!(PullField::new(&model, (&surfaces, &tables), (other, 0), &settings(0.1), None).is_none());
    }
}

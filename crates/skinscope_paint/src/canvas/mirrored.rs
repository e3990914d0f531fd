//! The other side of a symmetric model: which place is the mirror image of which, and which joints are partners.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use skinscope_anim::pose::Axis;
use skinscope_edit::{Settings, Sheet, check, operation};
use skinscope_inspect::symmetry::Mirrored;
use skinscope_model::{Model, NodeId, PrimitiveId};
use skinscope_weights::brush::Painted;
use skinscope_weights::{RestSurface, Shares, difference, mean, share_of};

use super::PaintError;
use super::place::Place;
use crate::MirrorAxis;

/// A row in the middle of a model whose weights differ by no more than this from those of its mirror image counts as symmetric: integers of eight
/// bits may be one apart where their sum is odd.
const NEARLY_EVEN: f64 = 1.01 / 255.0;

/// The other sides across the three axes of mesh space, each found when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct Mirrors([OnceLock<Result<Arc<Images>, PaintError>>; 3]);

/// What is opposite to what across one axis.
#[derive(Debug, Default)]
pub(super) struct Images {
    /// For each surface and each of its places, the place at its mirror image.
    places: Vec<Vec<Option<Place>>>,
    /// The partner of each joint that has one; a joint of the middle is its own.
    partners: HashMap<NodeId, NodeId>,
}

impl Mirrors {
    /// Returns what is opposite across an axis. `auto` takes the axis across which most places have an image, of several the first.
    pub fn across(&self, model: &Model, surfaces: &[RestSurface], axis: MirrorAxis) -> Result<Arc<Images>, PaintError> {
        let axis = axis.axis().or_else(|| self.best(model, surfaces));
        self.of(model, surfaces, axis.unwrap_or(Axis::X)).clone()
    }

    /// Returns the axis across which most places have an image, of several the first; `None` where the model has no plane of symmetry.
    pub fn best(&self, model: &Model, surfaces: &[RestSurface]) -> Option<Axis> {
        let (mut best, mut most) = (None, 0);
        for axis in [Axis::X, Axis::Y, Axis::Z] {
            let count = self.of(model, surfaces, axis).as_ref().map_or(0, |images| images.count());
            if count > most {
                (best, most) = (Some(axis), count);
            }
        }
        best
    }

    fn of(&self, model: &Model, surfaces: &[RestSurface], axis: Axis) -> &Result<Arc<Images>, PaintError> {
        self.0[axis as usize].get_or_init(|| Images::across(model, surfaces, axis))
    }
}

impl Images {
    fn across(model: &Model, surfaces: &[RestSurface], axis: Axis) -> Result<Arc<Self>, PaintError> {
        if let Some(mirror) = operation("mirror") {
            let settings = Settings { axis, ..Settings::default() };
            check(mirror, &Sheet::of(model), &settings).map_err(|why| PaintError::NoMirror(why.to_string()))?;
        }
        let mut of_primitive: HashMap<PrimitiveId, (usize, u32)> = HashMap::new();
        for (surface, rest) in surfaces.iter().enumerate() {
            for part in &rest.parts {
                of_primitive.entry(part.primitive).or_insert((surface, part.first));
            }
        }
        let mut out = Self {
            places: surfaces.iter().map(|rest| vec![None; rest.mesh.point_count() as usize]).collect(),
            partners: HashMap::new(),
        };
        for body in &Mirrored::all(model, axis).0 {
            out.partners.extend(body.partners(&[]));
            let place = |vertex: usize| {
                let parts = body.parts();
                let part = parts.get(parts.partition_point(|part| part.start <= vertex).checked_sub(1)?)?;
                let (surface, first) = of_primitive.get(&PrimitiveId::new(part.mesh, part.primitive)).copied()?;
                let point = surfaces[surface].mesh.point(first + (vertex - part.start) as u32);
                Some(Place { surface, point })
            };
            body.each_image(|vertex, images| {
                let Some(here) = place(vertex) else { return };
                // A place of the same surface before those of others that stand there too.
                let there: Vec<Place> = images.iter().filter_map(|image| place(*image as usize)).collect();
                let own = there.iter().find(|there| there.surface == here.surface).or(there.first());
                out.places[here.surface][here.point as usize] = own.copied();
            });
        }
        out.keep_mutual();
        Ok(Arc::new(out))
    }

    /// Leaves only places that are each other's image, so that both sides are painted alike.
    fn keep_mutual(&mut self) {
        let of = |places: &[Vec<Option<Place>>], at: Place| places[at.surface][at.point as usize];
        let mut kept = self.places.clone();
        for (surface, places) in self.places.iter().enumerate() {
            for (point, image) in (0..).zip(places) {
                let back = image.and_then(|image| of(&self.places, image));
                if back != Some(Place { surface, point }) {
                    kept[surface][point as usize] = None;
                }
            }
        }
        self.places = kept;
    }

    /// Returns the place at the mirror image of a place; `None` where there is none.
    pub fn of(&self, place: Place) -> Option<Place> {
        self.places[place.surface][place.point as usize]
    }

    fn count(&self) -> usize {
        self.places.iter().flatten().flatten().count()
    }

    /// Returns the partner of a joint; `None` where it has none.
    pub(crate) fn partner_of(&self, node: NodeId) -> Option<NodeId> {
        self.partners.get(&node).copied()
    }

    /// Returns the partner of a joint.
    pub fn partner(&self, model: &Model, node: NodeId) -> Result<NodeId, PaintError> {
        let name = &model.skeleton.names[node.index()];
        let none = || PaintError::NoMirror(format!("\u{201c}{name}\u{201d} has no partner on the other side"));
        self.partners.get(&node).copied().ok_or_else(none)
    }

    /// Makes the new row of a place in the middle its own mirror image, where the row before, `own`, was: where one of two partners has to go, both
    /// do. The rest says how many joints stay at most, whether the sum is to stay, and which joints are locked.
    pub fn evened(
        &self,
        own: &[(u32, f64)],
        painted: Painted,
        (most, normalise, locked): (usize, bool, &BTreeSet<u32>),
    ) -> Painted {
        let opposite = |key: u32| self.partners.get(&NodeId(key)).map_or(key, |partner| partner.0);
        let across =
            |row: &[(u32, f64)]| -> Shares { row.iter().map(|(key, weight)| (opposite(*key), *weight)).collect() };
        if difference(own, &across(own)) > NEARLY_EVEN {
            return painted;
        }
        let other = across(&painted.row);
        let mut row = mean([&painted.row[..], &other[..]].into_iter());
        if row.len() > most {
            row.retain(|(key, _)| share_of(&painted.row, *key) > 0.0 && share_of(&other, *key) > 0.0);
            let whole = |row: &[(u32, f64)]| row.iter().map(|(_, weight)| weight).sum::<f64>();
            let free: f64 = row.iter().filter(|(key, _)| !locked.contains(key)).map(|(_, weight)| weight).sum();
            if free <= 0.0 {
                return painted;
            }
            if normalise {
                let factor = 1.0 + (whole(&painted.row) - whole(&row)) / free;
                row.iter_mut().filter(|(key, _)| !locked.contains(key)).for_each(|(_, weight)| *weight *= factor);
            }
        }
        let stays = |key: &u32| share_of(&row, *key).to_bits() == share_of(own, *key).to_bits();
        if locked.iter().all(stays) { Painted { row, ..painted } } else { painted }
    }
}

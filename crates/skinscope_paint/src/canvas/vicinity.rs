//! What lies around a row, for effects of layers that read more than the row itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use skinscope_anim::pose::Axis;
use skinscope_model::NodeId;
use skinscope_weights::{RestSurface, Shares, TableRow};

use super::mirrored::Images;
use super::place::Place;
use crate::layers::LayerEffect;

/// The surfaces by rows, and their mirror images across the axes that effects have asked for. A copy costs nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Vicinity {
    surfaces: Arc<Vec<RestSurface>>,
    /// For each table the surface that has it, with the number of its first vertex there.
    places: Arc<Vec<Option<(usize, u32)>>>,
    images: [Option<Arc<Images>>; 3],
}

/// What a row is for a mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Across {
    /// It has no image, or is of the side that is shown on the other one too.
    Alone,
    /// It is its own image.
    Middle,
    /// It is the image of this row.
    ImageOf(TableRow),
}

impl Vicinity {
    /// Begins with surfaces of so many tables.
    pub fn new(surfaces: &Arc<Vec<RestSurface>>, tables: usize) -> Self {
        let mut places = vec![None; tables];
        for (surface, rest) in surfaces.iter().enumerate() {
            for part in &rest.parts {
                if let Some(place) = places.get_mut(part.table) {
                    let _: &mut (usize, u32) = place.get_or_insert((surface, part.first));
                }
            }
        }
        Self { surfaces: Arc::clone(surfaces), places: places.into(), images: Default::default() }
    }

    /// Takes what is opposite to what across an axis.
    pub(crate) fn set_images(&mut self, axis: Axis, images: Arc<Images>) {
        self.images[axis as usize] = Some(images);
    }

    fn place(&self, at: TableRow) -> Option<Place> {
        let (surface, first) = (*self.places.get(at.table)?)?;
        Some(Place { surface, point: self.surfaces[surface].mesh.point(first + at.row as u32) })
    }

    /// Returns the row that says the weights of a place.
    fn row(&self, Place { surface, point }: Place) -> TableRow {
        let rest = &self.surfaces[surface];
        rest.row(rest.mesh.weld.first[point as usize])
    }

    fn members(&self, Place { surface, point }: Place) -> impl Iterator<Item = TableRow> + '_ {
        let rest = &self.surfaces[surface];
        rest.members(point).iter().map(move |vertex| rest.row(*vertex))
    }

    /// Returns the rows that say the weights of the places that an edge joins with that of a row.
    pub fn around(&self, at: TableRow) -> impl Iterator<Item = TableRow> + '_ {
        self.places_around(at).map(move |place| self.row(place))
    }

    fn places_around(&self, at: TableRow) -> impl Iterator<Item = Place> + '_ {
        self.place(at).into_iter().flat_map(move |Place { surface, point }| {
            self.surfaces[surface].neighbours(point).iter().map(move |next| Place { surface, point: *next })
        })
    }

    /// Returns what a row is for a mirror across an axis that shows one side on the other: the negative one, or the positive one.
    pub fn across(&self, (axis, from_negative): (Axis, bool), at: TableRow) -> Across {
        let images = self.images[axis as usize].as_ref();
        let Some((place, image)) = self.place(at).and_then(|place| Some((place, images?.of(place)?))) else {
            return Across::Alone;
        };
        if place == image {
            return Across::Middle;
        }
        let along = |Place { surface, point }: Place| {
            self.surfaces[surface].positions[point as usize].to_array()[axis as usize]
        };
        let (here, there) = (along(place), along(image));
        let is_copied = if from_negative { there < here } else { there > here };
        if is_copied { Across::ImageOf(self.row(image)) } else { Across::Alone }
    }

    /// Returns weights with the partners of their joints across an axis; `None` where one has no partner.
    pub fn opposite(&self, axis: Axis, shares: &[(u32, f64)]) -> Option<Shares> {
        let images = self.images[axis as usize].as_ref()?;
        shares.iter().map(|(key, weight)| Some((images.partner_of(NodeId(*key))?.0, *weight))).collect()
    }

    /// Returns the rows with all those that effects, one after the other, may change by them, rising.
    pub fn reached(&self, rows: impl Iterator<Item = TableRow>, effects: &[&LayerEffect]) -> Vec<TableRow> {
        let mut all: BTreeSet<TableRow> = rows.collect();
        for effect in effects {
            let more: Vec<TableRow> = match effect.across() {
                Some((axis, _)) => {
                    let images = self.images[axis as usize].as_ref();
                    let image = |at: &TableRow| images?.of(self.place(*at)?);
                    all.iter().filter_map(image).flat_map(|place| self.members(place)).collect()
                }
                None if effect.reads_around() => {
                    let places: BTreeSet<Place> = all.iter().flat_map(|at| self.places_around(*at)).collect();
                    places.into_iter().flat_map(|place| self.members(place)).collect()
                }
                None => continue,
            };
            all.extend(more);
        }
        all.into_iter().collect()
    }
}

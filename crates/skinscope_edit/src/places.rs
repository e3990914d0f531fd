//! The vertices of a surface by the places where it rests in the world.

use std::cmp::Reverse;

use glam::{DAffine3, DVec3};
use skinscope_base::math::BoxTree;
use skinscope_model::Model;

use super::matching::{Rest, is_alike};
use super::surface::StoredVertex;

/// A stored vertex and the way it faces in the world; zero where its file does not say it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub stored: StoredVertex,
    pub normal: DVec3,
}

/// A place, and the vertices that are welded there.
#[derive(Clone, Debug)]
struct Place {
    at: DVec3,
    /// The way that the surface faces there; zero where it faces no way.
    way: DVec3,
    piece: u32,
    members: Vec<Member>,
}

/// The places of a surface.
#[derive(Debug, Default)]
pub(super) struct Places {
    all: Vec<Place>,
    tree: BoxTree,
}

impl Places {
    /// Adds the welded vertices of a surface of a model, whose pieces are numbered from `first_piece`; `world` is its `world_from_mesh`.
    pub fn add(&mut self, model: &Model, rest: &Rest, world: DAffine3, first_piece: u32) {
        for (welded, at) in rest.positions.iter().enumerate() {
            self.all.push(Place {
                at: *at,
                way: rest.normals[welded],
                piece: first_piece + rest.piece[welded],
                members: members(model, rest, world, welded as u32),
            });
        }
    }

    /// Makes them ready to be asked.
    pub fn sort(&mut self) {
        self.tree = BoxTree::new(&self.all.iter().map(|place| [place.at; 2]).collect::<Vec<_>>());
    }

    /// Returns the vertices at a place that face as `way` does, within `reach`: those of the piece `same` before others, then those that face
    /// most as it does, then the first.
    pub fn at(&self, at: DVec3, reach: f64, same: Option<u32>, way: DVec3) -> Option<&[Member]> {
        let mut best = None;
        self.tree.nearest(at, |number| {
            let place = &self.all[number as usize];
            if place.at.distance(at) <= reach && is_alike(place.way, way) {
                let likeness = (place.way.dot(way) * 1e3) as i32;
                let rank = (same == Some(place.piece), likeness, Reverse(number));
                best = Some(best.map_or(rank, |best| rank.max(best)));
            }
            // A little more than what rounding adds to a distance.
            reach * 1.001
        });
        best.map(|(.., Reverse(number))| &self.all[number as usize].members[..])
    }
}

/// Returns the stored vertices that are welded to one.
pub(super) fn members(model: &Model, rest: &Rest, world: DAffine3, welded: u32) -> Vec<Member> {
    let member = |vertex: &u32| {
        let (part, number) = rest.surface.stored(*vertex);
        let primitive = &model.meshes[part.primitive.mesh.index()].primitives[part.primitive.primitive];
        let normal = primitive.normals.get(number).map_or(DVec3::ZERO, |normal| normal.as_dvec3());
        let normal = (world.matrix3 * normal).normalize_or_zero();
        Member { stored: (part.primitive, number as u32), normal }
    };
    rest.surface.members(welded).iter().map(member).collect()
}

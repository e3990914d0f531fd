//! Pairs of left and right joints, which checks and poses both use.
//!
//! Names propose pairs and positions decide: a joint's partner is a joint at its mirror image. Where several joints
//! stand there, the name tells which one is meant.

mod names;

pub use names::{Side, side};

use std::collections::HashMap;
use std::ops::Range;

use glam::Vec3;

use super::{NodeId, Skeleton};
use skinscope_base::math::{Grid, Plane};

/// How near a joint must stand to the mirror image of another to be its partner, as a share of the size.
const JOINT_REACH: f32 = 3e-3;

/// The way to treat a joint that does not stand where its name says, while the names of other joints are right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It has no partner: where joints were bound, a wrong position is likelier than a wrong name.
    NoPartner,
    /// The joint at its mirror image is its partner, if their parents are partners too: rest positions are trusted more
    /// than names.
    PlacesWin,
}

/// Some joints of a skeleton and what is needed to pair them. Each is known by its place in the list that
/// [`JointPairs::of`] was given; of more than 65 536 joints only the first ones are paired.
#[derive(Clone, Debug)]
pub struct JointPairs {
    /// For each joint: its position, if it is known.
    at: Vec<Option<Vec3>>,
    /// For each joint: the joint of the same name on the other side.
    named: Vec<Option<u16>>,
    /// For each joint: how many steps it is from the root.
    depth: Vec<usize>,
    /// For each joint: the nearest joint above it that is in the list.
    parent: Vec<Option<u16>>,
    /// For each joint: the range of nodes from it to the last one below it.
    subtree: Vec<Range<usize>>,
}

impl JointPairs {
    /// Prepares `nodes` of a skeleton for pairing. `at` holds the position of each (all in one space; `None` where it
    /// is not known).
    #[must_use]
    pub fn of(skeleton: &Skeleton, nodes: &[NodeId], at: Vec<Option<Vec3>>) -> Self {
        let sides: Vec<Option<(Side, String)>> = nodes.iter().map(|n| side(&skeleton.names[n.index()])).collect();
        let mut places: HashMap<(Side, &str), u16> = HashMap::new();
        for (j, said) in sides.iter().enumerate().take(1 << 16) {
            if let Some((side, rest)) = said {
                places.entry((*side, rest)).or_insert(j as u16);
            }
        }
        let other = |said: &Option<(Side, String)>| {
            let (side, rest) = said.as_ref()?;
            places.get(&(side.other(), rest.as_str())).copied()
        };
        let parents = &skeleton.parents;
        let mut depths: Vec<usize> = Vec::with_capacity(parents.len());
        for parent in parents {
            depths.push(parent.map_or(0, |p| depths[p.index()] + 1));
        }
        let mut ends: Vec<usize> = (1..=parents.len()).collect();
        for i in (0..parents.len()).rev() {
            if let Some(parent) = parents[i] {
                ends[parent.index()] = ends[parent.index()].max(ends[i]);
            }
        }
        let mut listed: Vec<Option<u16>> = vec![None; parents.len()];
        for (j, node) in nodes.iter().enumerate().take(1 << 16) {
            listed[node.index()].get_or_insert(j as u16);
        }
        // Parents come first: each node hands on the nearest joint above it.
        let mut above: Vec<Option<u16>> = vec![None; parents.len()];
        for (i, parent) in parents.iter().enumerate() {
            above[i] = parent.and_then(|p| listed[p.index()].or(above[p.index()]));
        }
        Self {
            at,
            named: sides.iter().map(other).collect(),
            depth: nodes.iter().map(|n| depths[n.index()]).collect(),
            parent: nodes.iter().map(|n| above[n.index()]).collect(),
            subtree: nodes.iter().map(|n| n.index()..ends[n.index()]).collect(),
        }
    }

    /// Returns the positions of the joints of each pair that names make, once for each pair.
    #[must_use]
    pub fn named_pairs(&self) -> Vec<[Vec3; 2]> {
        let pair = |(j, other): (usize, &Option<u16>)| {
            let other = usize::from((*other)?);
            let back = self.named[other].map(usize::from);
            (j < other && back == Some(j)).then_some([self.at[j]?, self.at[other]?])
        };
        self.named.iter().enumerate().filter_map(pair).collect()
    }

    /// Returns whether one of two joints stands above the other, which left and right joints never do.
    fn are_in_line(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.subtree[a], &self.subtree[b]);
        a.contains(&b.start) || b.contains(&a.start)
    }

    /// Returns the joint of the same name on the other side, if each names the other.
    #[must_use]
    pub fn told(&self, j: usize) -> Option<u16> {
        self.named[j].filter(|k| self.named[usize::from(*k)].map(usize::from) == Some(j))
    }

    /// Returns the partner of each joint. Of the joints at its mirror image (within 3/1000 of `size`) that is the one
    /// that its name tells, else the joint itself, else the nearest one of the same depth; `None` where there is none.
    /// Names alone are not trusted, since they may be wrong. But where a third of the named pairs stand at each other's
    /// mirror image, `doubt` says what becomes of a joint that does not.
    #[must_use]
    pub fn partners(&self, plane: Plane, size: f32, doubt: Doubt) -> Vec<Option<u16>> {
        let reach = size * JOINT_REACH;
        let placed: Vec<u16> =
            (0..self.at.len().min(1 << 16)).filter(|j| self.at[*j].is_some()).map(|j| j as u16).collect();
        let points: Vec<Vec3> = placed.iter().filter_map(|j| self.at[usize::from(*j)]).collect();
        let grid = Grid::new(&points, reach);
        let mut search = Search { pairs: self, plane, reach, placed, grid, names_are_right: false };
        let told = || (0..self.at.len()).filter_map(|j| Some((j, self.told(j)?)));
        search.names_are_right = told().filter(|(j, k)| search.fits(*j, *k)).count() * 3 >= told().count();
        let mut found: Vec<Option<u16>> = (0..self.at.len()).map(|j| search.first(j)).collect();
        let places_win = doubt == Doubt::PlacesWin;
        let mut doubtful: Vec<usize> = (0..self.at.len()).filter(|j| places_win && search.is_doubtful(*j)).collect();
        // Parents are settled before the joints below them.
        doubtful.sort_by_key(|j| self.depth[*j]);
        for j in doubtful {
            let of_parents = |k: u16| match (self.parent[j], self.parent[usize::from(k)]) {
                (Some(a), Some(b)) => found[usize::from(a)] == Some(b) && found[usize::from(b)] == Some(a),
                (a, b) => a == b,
            };
            found[j] = search.beside(j).filter(|k| of_parents(*k));
        }
        let mutual = |(j, partner): (usize, &Option<u16>)| {
            partner.filter(|k| found[usize::from(*k)].is_some_and(|back| usize::from(back) == j))
        };
        found.iter().enumerate().map(mutual).collect()
    }
}

/// A search for the partners of joints about one plane.
struct Search<'a> {
    pairs: &'a JointPairs,
    plane: Plane,
    reach: f32,
    /// The joints whose position is known.
    placed: Vec<u16>,
    /// A grid of their positions.
    grid: Grid<'a>,
    /// Whether a third of the named pairs stand at each other's mirror image.
    names_are_right: bool,
}

impl Search<'_> {
    /// Returns whether `k` stands at the mirror image of `j`, and on another branch.
    fn fits(&self, j: usize, k: u16) -> bool {
        let at = &self.pairs.at;
        let image = at[j].map(|at| self.plane.mirrored(at));
        let there = image.zip(at[usize::from(k)]).is_some_and(|(image, p)| p.distance(image) <= self.reach);
        there && !self.pairs.are_in_line(j, usize::from(k))
    }

    fn fitting_name(&self, j: usize) -> Option<u16> {
        self.pairs.named[j].filter(|k| self.fits(j, *k))
    }

    /// Returns whether `j` has a partner by its name that stands somewhere else, while names are right elsewhere.
    fn is_doubtful(&self, j: usize) -> bool {
        self.names_are_right && self.fitting_name(j).is_none() && self.pairs.told(j).is_some()
    }

    /// Returns the partner of a joint before doubt is considered.
    fn first(&self, j: usize) -> Option<u16> {
        let at = self.pairs.at[j]?;
        if let Some(named) = self.fitting_name(j) {
            return Some(named);
        }
        if self.is_doubtful(j) {
            return None;
        }
        if at.distance(self.plane.mirrored(at)) <= self.reach {
            return u16::try_from(j).ok();
        }
        self.beside(j)
    }

    /// Returns the nearest joint of the same depth at the mirror image.
    fn beside(&self, j: usize) -> Option<u16> {
        let image = self.plane.mirrored(self.pairs.at[j]?);
        let mut near = Vec::new();
        self.grid.near(image, &mut near);
        let beside = near.iter().map(|(distance, i)| ((distance / self.reach * 8.0) as u32, self.placed[*i as usize]));
        let depth = &self.pairs.depth;
        let like = |(_, k): &(u32, u16)| self.fits(j, *k) && depth[usize::from(*k)] == depth[j];
        beside.filter(like).min().map(|(_, k)| k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes arms whose names run the wrong way round, as CesiumMan's do, beside legs whose names are right.
    fn crossed() -> (Skeleton, Vec<NodeId>, Vec<Option<Vec3>>) {
        let rows: [(&str, Option<u32>, [f32; 3]); 9] = [
            ("root", None, [0.0, 1.0, 0.0]),
            ("leg_L", Some(0), [0.1, 0.5, 0.0]),
            ("leg_R", Some(0), [-0.1, 0.5, 0.0]),
            ("arm_R", Some(0), [-0.2, 1.4, 0.0]),
            ("arm_R_2", Some(3), [-0.4, 1.4, 0.0]),
            ("arm_R_3", Some(4), [-0.6, 1.4, 0.0]),
            ("arm_L_3", Some(0), [0.2, 1.4, 0.0]),
            ("arm_L_2", Some(6), [0.4, 1.4, 0.0]),
            ("arm_L", Some(7), [0.6, 1.4, 0.0]),
        ];
        let skeleton = Skeleton {
            parents: rows.iter().map(|(_, parent, _)| parent.map(NodeId)).collect(),
            names: rows.iter().map(|(name, ..)| (*name).to_owned()).collect(),
            ..Skeleton::default()
        };
        let nodes = (0..rows.len()).map(NodeId::from_index).collect();
        (skeleton, nodes, rows.iter().map(|(.., at)| Some(Vec3::from_array(*at))).collect())
    }

    #[test]
    fn where_names_and_places_disagree_places_win_if_asked_for() {
        let (skeleton, nodes, at) = crossed();
        let pairs = JointPairs::of(&skeleton, &nodes, at);
        let plane = Plane { normal: Vec3::X, offset: 0.0 };
        let partners = pairs.partners(plane, 1.5, Doubt::PlacesWin);
        assert_eq!(partners, [0, 2, 1, 6, 7, 8, 3, 4, 5].map(Some));
        let cautious = pairs.partners(plane, 1.5, Doubt::NoPartner);
        assert_eq!(cautious, [Some(0), Some(2), Some(1), None, Some(7), None, None, Some(4), None]);
    }

    #[test]
    fn what_hangs_on_no_pair_is_no_pair() {
        let (mut skeleton, nodes, at) = crossed();
        // The left arm hangs on a leg: a joint stands opposite only by chance, all down the arm.
        skeleton.parents[6] = Some(NodeId(0));
        skeleton.parents[7] = Some(NodeId(0));
        let pairs = JointPairs::of(&skeleton, &nodes, at);
        let plane = Plane { normal: Vec3::X, offset: 0.0 };
        assert_eq!(pairs.partners(plane, 1.5, Doubt::PlacesWin)[5], None);
    }
}

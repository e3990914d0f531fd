//! Finds pairs of left and right joints, for checks and for mirrored poses.
//!
//! Names propose pairs and positions decide: the partner of a joint is a joint at its mirror image. Where several
//! joints are there, the name says which of them it is.

mod names;

use std::collections::HashMap;
use std::ops::Range;

use glam::Vec3;
pub use names::{Side, side};
use skinscope_base::math::{Grid, Plane};

use super::{HumanoidRig, Model, NodeId, Skeleton};

/// The largest distance of a joint from the mirror image of its partner, as a share of the size.
const JOINT_REACH: f32 = 3e-3;
/// The same for a pair that names make, where no other joint is nearer to the mirror images.
const NAMED_REACH: f32 = 0.05;
/// The largest distance from the plane of a joint in the middle, as a share of the size.
const MIDDLE_REACH: f32 = 0.01;

/// Some joints of a skeleton, prepared for pairing. A joint is named by its index in the list that was given to
/// [`JointPairs::of`]; of more than 65 536 joints only the first ones are paired.
#[derive(Clone, Debug)]
pub struct JointPairs {
    /// For each joint: its position, if it is known.
    at: Vec<Option<Vec3>>,
    /// For each joint: the joint of the same name on the other side.
    named: Vec<Option<u16>>,
    /// For each joint: the letters of its name without the side, and whether the name tells a side.
    letters: Vec<(String, bool)>,
    /// For each joint: how many steps it is from the root.
    depth: Vec<usize>,
    /// For each joint: the nearest joint above it that is in the list.
    parent: Vec<Option<u16>>,
    /// For each joint: the range of nodes from it to the last one below it.
    subtree: Vec<Range<usize>>,
}

impl JointPairs {
    /// Prepares `nodes` of a skeleton for pairing. `at` has the position of each of them, all in one space, in metres;
    /// `None` where it is not known.
    #[must_use]
    pub fn of(skeleton: &Skeleton, nodes: &[NodeId], at: Vec<Option<Vec3>>) -> Self {
        let sides: Vec<Option<(Side, String)>> = nodes.iter().map(|n| side(&skeleton.names[n.index()])).collect();
        let mut by_name: HashMap<(Side, &str), u16> = HashMap::new();
        for (j, said) in sides.iter().enumerate().take(1 << 16) {
            if let Some((side, rest)) = said {
                by_name.entry((*side, rest)).or_insert(j as u16);
            }
        }
        let other = |said: &Option<(Side, String)>| {
            let (side, rest) = said.as_ref()?;
            by_name.get(&(side.other(), rest.as_str())).copied()
        };
        let letters = |(node, said): (&NodeId, &Option<(Side, String)>)| {
            let name = said.as_ref().map_or(skeleton.names[node.index()].as_str(), |(_, rest)| rest);
            (name.chars().filter(|c| c.is_alphabetic() || *c == '\u{0}').collect(), said.is_some())
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
            letters: nodes.iter().zip(&sides).map(letters).collect(),
            depth: nodes.iter().map(|n| depths[n.index()]).collect(),
            parent: nodes.iter().map(|n| above[n.index()]).collect(),
            subtree: nodes.iter().map(|n| n.index()..ends[n.index()]).collect(),
        }
    }

    /// Prepares `nodes` of a model for pairing, as [`JointPairs::of`] does. Bones of a humanoid ([`Model::rig`]) are
    /// paired by what they are, whatever their names are.
    #[must_use]
    pub fn of_model(model: &Model, nodes: &[NodeId], at: Vec<Option<Vec3>>) -> Self {
        let mut out = Self::of(&model.skeleton, nodes, at);
        let Some(rig) = model.rig() else { return out };
        let place = |node: NodeId| nodes.iter().take(1 << 16).position(|other| *other == node).map(|j| j as u16);
        for (bone, node) in rig.bones() {
            let Some(opposite) = HumanoidRig::opposite(bone).and_then(|bone| rig.node(&bone)) else { continue };
            if let Some((j, k)) = place(node).zip(place(opposite)) {
                let part = bone.trim_start_matches("left").trim_start_matches("right");
                out.named[usize::from(j)] = Some(k);
                out.letters[usize::from(j)] = (format!("\u{0}{part}"), true);
            }
        }
        out
    }

    /// Returns the positions of both joints of each pair that names make, once for each pair.
    #[must_use]
    pub fn named_pairs(&self) -> Vec<[Vec3; 2]> {
        let pair = |(j, other): (usize, &Option<u16>)| {
            let other = usize::from((*other)?);
            let back = self.named[other].map(usize::from);
            (j < other && back == Some(j)).then_some([self.at[j]?, self.at[other]?])
        };
        self.named.iter().enumerate().filter_map(pair).collect()
    }

    /// Returns the offset of the plane that is parallel to `plane` and lies in the middle of the pairs that names make.
    /// Where that is at most a hundredth of `size` away, or there are no such pairs, it is the offset of `plane`
    /// itself.
    #[must_use]
    pub fn own_offset(&self, plane: Plane, size: f32) -> f32 {
        let mut middles: Vec<f32> = self
            .named_pairs()
            .iter()
            .map(|[a, b]| plane.normal.dot((*a + *b) * 0.5))
            .filter(|at| at.is_finite())
            .collect();
        middles.sort_by(f32::total_cmp);
        let middle = middles.get(middles.len() / 2).copied();
        middle.filter(|middle| (middle - plane.offset).abs() <= size * MIDDLE_REACH).unwrap_or(plane.offset)
    }

    /// Returns whether one of two joints stands above the other, which left and right joints never do.
    fn are_in_line(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.subtree[a], &self.subtree[b]);
        a.contains(&b.start) || b.contains(&a.start)
    }

    /// Returns the joint of the same name on the other side, where the names of both refer to each other.
    #[must_use]
    pub(crate) fn named_partner(&self, j: usize) -> Option<u16> {
        self.named[j].filter(|k| self.named[usize::from(*k)].map(usize::from) == Some(j))
    }

    /// Returns the partner of each joint with regard to a mirror plane. `size` is the size of the skeleton, in the unit
    /// of the positions.
    ///
    /// The partner is one of the joints at the mirror image (within 3/1000 of `size`): the one with the matching name,
    /// else the joint itself, else the nearest one of the same depth; `None` where there is none. Names alone are not
    /// trusted, since they may be wrong. But where a third of the named pairs are at each other's mirror image, a joint
    /// of a named pair that is not gets the joint at its mirror image only if their parents are partners too and their
    /// names agree except for side and number, and else none: there a wrong position is more likely than a wrong name.
    #[must_use]
    pub fn partners(&self, plane: Plane, size: f32) -> Vec<Option<u16>> {
        let reach = size * JOINT_REACH;
        let located: Vec<u16> =
            (0..self.at.len().min(1 << 16)).filter(|j| self.at[*j].is_some()).map(|j| j as u16).collect();
        let points: Vec<Vec3> = located.iter().filter_map(|j| self.at[usize::from(*j)]).collect();
        let grid = Grid::new(&points, reach);
        let mut search = Search { pairs: self, plane, reach, located, grid, names_are_right: false };
        let named_partner = || (0..self.at.len()).filter_map(|j| Some((j, self.named_partner(j)?)));
        search.names_are_right =
            named_partner().filter(|(j, k)| search.fits(*j, *k)).count() * 3 >= named_partner().count();
        let mut found: Vec<Option<u16>> = (0..self.at.len()).map(|j| search.first(j)).collect();
        let mut doubtful: Vec<usize> = (0..self.at.len()).filter(|j| search.is_doubtful(*j)).collect();
        // Parents are settled before the joints below them.
        doubtful.sort_by_key(|j| self.depth[*j]);
        let is_like = |j: usize, k: u16| self.letters[j].0 == self.letters[usize::from(k)].0;
        for j in doubtful {
            found[j] = search.beside(j).filter(|k| is_like(j, *k) && self.have_paired_parents(&found, j, *k));
        }
        mutual(&found)
    }

    /// Returns the partner of each joint as [`JointPairs::partners`] does, and in addition pairs joints that are
    /// slightly out of position:
    ///
    /// - joints that only their names pair, if they are on both sides of the plane and within a twentieth of `size` of
    ///   each other's mirror image, or a position is not known;
    /// - joints in the middle, which are their own partners: those without a side in their name within a hundredth of
    ///   `size` of the plane, or within a twentieth of it if both joints of a pair are below them.
    ///
    /// A joint on one side that nothing pairs has no partner. Where the plane in the middle of the named pairs lies at
    /// most a hundredth of `size` beside `plane`, the joints are paired about that plane.
    #[must_use]
    pub fn settled(&self, plane: Plane, size: f32) -> Vec<Option<u16>> {
        let mut found = self.partners(plane, size);
        let own = Plane { offset: self.own_offset(plane, size), ..plane };
        let count = |found: &[Option<u16>]| found.iter().flatten().count();
        let about_own = self.partners(own, size);
        let plane = if count(&about_own) > count(&found) {
            found = about_own;
            own
        } else {
            plane
        };
        let beyond = |j: usize| self.at[j].map(|at| plane.normal.dot(at) - plane.offset);
        let mut open: Vec<usize> = (0..found.len()).filter(|j| found[*j].is_none()).collect();
        open.sort_by_key(|j| self.depth[*j]);
        for j in open.iter().copied() {
            let Some(k) = self.named_partner(j).filter(|k| found[usize::from(*k)].is_none()) else { continue };
            let other = usize::from(k);
            let is_near = match (self.at[j], self.at[other]) {
                (Some(a), Some(b)) => plane.mirrored(a).distance(b) <= size * NAMED_REACH,
                _ => true,
            };
            let is_opposite = beyond(j).zip(beyond(other)).is_none_or(|(a, b)| a * b <= 0.0);
            if is_near && is_opposite && !self.are_in_line(j, other) {
                (found[j], found[other]) = (Some(k), u16::try_from(j).ok());
            }
        }
        let carries = self.above_pairs(&found);
        for j in open {
            let off = beyond(j).map_or(f32::INFINITY, f32::abs);
            let has_side = self.letters[j].1;
            let is_middle = !has_side && off <= size * MIDDLE_REACH || off <= size * NAMED_REACH && carries[j];
            if found[j].is_none() && is_middle {
                found[j] = u16::try_from(j).ok();
            }
        }
        found
    }

    /// Returns whether the joints above two joints are partners, or the same, or there are none.
    fn have_paired_parents(&self, found: &[Option<u16>], j: usize, k: u16) -> bool {
        match (self.parent[j], self.parent[usize::from(k)]) {
            (Some(a), Some(b)) => found[usize::from(a)] == Some(b) && found[usize::from(b)] == Some(a),
            (a, b) => a == b,
        }
    }

    /// Returns for each joint whether both joints of a pair hang on it.
    fn above_pairs(&self, found: &[Option<u16>]) -> Vec<bool> {
        let mut out = vec![false; found.len()];
        for (j, k) in found.iter().enumerate().filter_map(|(j, k)| Some((j, usize::from((*k)?)))) {
            let mut above = self.parent[j].filter(|_| j != k && self.parent[j] == self.parent[k]);
            // What stands above one that is known is known.
            while let Some(at) = above.map(usize::from).filter(|at| !out[*at]) {
                out[at] = true;
                above = self.parent[at];
            }
        }
        out
    }
}

/// Returns the partners that name each other.
fn mutual(found: &[Option<u16>]) -> Vec<Option<u16>> {
    let mutual = |(j, partner): (usize, &Option<u16>)| {
        partner.filter(|k| found[usize::from(*k)].is_some_and(|back| usize::from(back) == j))
    };
    found.iter().enumerate().map(mutual).collect()
}

/// A search for the partners of joints about one plane.
struct Search<'a> {
    pairs: &'a JointPairs,
    plane: Plane,
    reach: f32,
    /// The joints whose position is known.
    located: Vec<u16>,
    /// A grid of their positions.
    grid: Grid<'a>,
    /// Whether a third of the named pairs are at each other's mirror image.
    names_are_right: bool,
}

impl Search<'_> {
    /// Returns whether `k` is at the mirror image of `j`, and on another branch.
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
        self.names_are_right && self.fitting_name(j).is_none() && self.pairs.named_partner(j).is_some()
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

    /// Returns the nearest joint of the same depth at the mirror image. Of several at one position, that is one with as many
    /// joints below it, and of those the one that comes as `j` does among the joints of its own position.
    fn beside(&self, j: usize) -> Option<u16> {
        let image = self.plane.mirrored(self.pairs.at[j]?);
        let mut near = Vec::new();
        self.grid.near(image, &mut near);
        let nearest =
            near.iter().map(|(distance, i)| ((distance / self.reach * 8.0) as u32, self.located[*i as usize]));
        let depth = &self.pairs.depth;
        let like = |(_, k): &(u32, u16)| self.fits(j, *k) && depth[usize::from(*k)] == depth[j];
        let found: Vec<(u32, u16)> = nearest.filter(like).collect();
        let first = found.iter().map(|(steps, _)| *steps).min()?;
        let mut tied: Vec<u16> = found.into_iter().filter(|(steps, _)| *steps == first).map(|(_, k)| k).collect();
        tied.sort_unstable();
        if tied.len() < 2 {
            return tied.first().copied();
        }
        let below = |j: usize| self.pairs.subtree[j].len();
        let as_many = |k: &u16| below(usize::from(*k)) == below(j);
        if tied.iter().any(as_many) {
            tied.retain(as_many);
        }
        self.grid.near(self.pairs.at[j]?, &mut near);
        let before = near.iter().map(|(_, i)| usize::from(self.located[*i as usize]));
        let rank = before.filter(|i| *i < j && depth[*i] == depth[j] && below(*i) == below(j)).count();
        tied.get(rank).or(tied.last()).copied()
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
    fn where_numbers_of_names_and_positions_disagree_positions_win() {
        let (skeleton, nodes, at) = crossed();
        let pairs = JointPairs::of(&skeleton, &nodes, at);
        let plane = Plane { normal: Vec3::X, offset: 0.0 };
        let partners = pairs.partners(plane, 1.5);
        assert_eq!(partners, [0, 2, 1, 6, 7, 8, 3, 4, 5].map(Some));
        let (mut skeleton, nodes, at) = crossed();
        "hand_L".clone_into(&mut skeleton.names[6]);
        "hand_R".clone_into(&mut skeleton.names[5]);
        "arm_L_3".clone_into(&mut skeleton.names[8]);
        "arm_R_3".clone_into(&mut skeleton.names[3]);
        let pairs = JointPairs::of(&skeleton, &nodes, at);
        // A hand is no arm, whatever stands opposite to it.
        assert_eq!(pairs.partners(plane, 1.5), [Some(0), Some(2), Some(1), None, Some(7), None, None, Some(4), None]);
    }

    #[test]
    fn what_hangs_on_no_pair_is_no_pair() {
        let (mut skeleton, nodes, at) = crossed();
        // The left arm hangs on a leg: a joint stands opposite only by chance, all down the arm.
        skeleton.parents[6] = Some(NodeId(0));
        skeleton.parents[7] = Some(NodeId(0));
        let pairs = JointPairs::of(&skeleton, &nodes, at);
        let plane = Plane { normal: Vec3::X, offset: 0.0 };
        assert_eq!(pairs.partners(plane, 1.5)[5], None);
    }

    #[test]
    fn bones_of_a_humanoid_are_paired_whatever_their_names_are() {
        let joint = |name: &str, parent, x: f32| crate::test_shapes::Joint {
            name: name.into(),
            parent,
            place: Vec3::new(x, 1.0, 0.0),
            turned: glam::Quat::IDENTITY,
        };
        let model =
            crate::test_shapes::rigged(&[joint("a", None, 0.0), joint("b", Some(0), 0.5), joint("c", Some(0), -0.47)]);
        let mut parts: crate::ModelParts = (*model).clone();
        parts.humanoid = vec![(NodeId(1), "leftHand".into()), (NodeId(2), "rightHand".into())];
        let nodes: Vec<NodeId> = (0..3).map(NodeId).collect();
        let at = || [0.0, 0.5, -0.47].map(|x| Some(Vec3::new(x, 1.0, 0.0))).to_vec();
        let found = |parts: crate::ModelParts| {
            let model = Model::build(parts).unwrap();
            JointPairs::of_model(&model, &nodes, at()).settled(MIDDLE, 2.0)
        };
        assert_eq!(found((*model).clone()), [Some(0), None, None]);
        assert_eq!(found(parts), [Some(0), Some(2), Some(1)]);
    }

    fn skeleton(rows: &[(&str, Option<u32>, [f32; 3])]) -> JointPairs {
        let skeleton = Skeleton {
            parents: rows.iter().map(|(_, parent, _)| parent.map(NodeId)).collect(),
            names: rows.iter().map(|(name, ..)| (*name).to_owned()).collect(),
            ..Skeleton::default()
        };
        let nodes: Vec<NodeId> = (0..rows.len()).map(NodeId::from_index).collect();
        JointPairs::of(&skeleton, &nodes, rows.iter().map(|(.., at)| Some(Vec3::from_array(*at))).collect())
    }

    const MIDDLE: Plane = Plane { normal: Vec3::X, offset: 0.0 };

    #[test]
    fn numbered_joints_are_paired_by_position_and_several_at_one_position_in_their_order() {
        let pairs = skeleton(&[
            ("joint_0", None, [0.0, 1.0, 0.0]),
            ("joint_1", Some(0), [0.5, 1.0, 0.0]),
            ("joint_2", Some(1), [0.9, 1.0, 0.0]),
            ("joint_3", Some(0), [0.5, 1.0, 0.0]),
            ("joint_4", Some(0), [0.5, 1.0, 0.0]),
            ("joint_5", Some(0), [-0.5, 1.0, 0.0]),
            ("joint_6", Some(0), [-0.5, 1.0, 0.0]),
            ("joint_7", Some(0), [-0.5, 1.0, 0.0]),
            ("joint_8", Some(7), [-0.9, 1.0, 0.0]),
        ]);
        let want = [0, 7, 8, 5, 6, 3, 4, 1, 2].map(Some);
        assert_eq!(pairs.partners(MIDDLE, 2.0), want);
    }

    #[test]
    fn what_stands_a_little_off_is_paired_by_its_name_or_belongs_to_the_middle() {
        let rows = [
            ("hips", None, [0.06, 1.0, 0.0]),
            ("leg.L", Some(0), [0.2, 0.5, 0.0]),
            ("leg.R", Some(0), [-0.22, 0.52, 0.0]),
            ("head", Some(0), [0.01, 1.8, 0.0]),
            ("pouch", Some(0), [0.2, 1.0, 0.0]),
            ("eye.L", Some(3), [0.01, 1.8, 0.1]),
            ("arm.L", Some(0), [0.4, 1.5, 0.0]),
            ("arm.R", Some(0), [0.4, 1.5, 0.3]),
        ];
        let pairs = skeleton(&rows);
        assert_eq!(pairs.partners(MIDDLE, 2.0), [None; 8]);
        // Nothing is opposite to the pouch, and both arms stand at one side.
        let want = [Some(0), Some(2), Some(1), Some(3), None, None, None, None];
        assert_eq!(pairs.settled(MIDDLE, 2.0), want);
    }
}

//! What is bound, and what comes of it.

use glam::{DMat3, DVec3};

use crate::{BindError, BindShape};

/// A joint of the skeleton as it stands when the mesh is bound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joint {
    /// Its name, which says whether it is a helper.
    pub name: String,
    /// The index of the nearest joint above it.
    pub parent: Option<usize>,
    /// Where it stands, in the space of the points.
    pub head: DVec3,
    /// The axes of the joint, of any length: the columns of the matrix that brings its space into that of the points. They say where joints
    /// without parents and children point.
    pub axes: DMat3,
    /// Whether it may get weight; not if the caller has locked it.
    pub may_bind: bool,
}

/// The meshes of one skin in one space. Points of one place are one point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BindProblem {
    /// The joints, parents in any order.
    pub joints: Vec<Joint>,
    /// The places of the surface.
    pub points: Vec<DVec3>,
    /// The triangles, three indices of points each. Those without area, doubled ones and ones that are turned round do no harm.
    pub triangles: Vec<[u32; 3]>,
}

/// The weights that were found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bound {
    /// For each point the joints that move it, largest share first, and of equal ones the first. They sum to 1.
    pub rows: Vec<Vec<(u32, f64)>>,
    /// How many pieces the surface has that no edge joins.
    pub islands: usize,
    /// For each point the number of its piece; [`u32::MAX`] where no triangle has it.
    pub island_of: Vec<u32>,
    /// The pieces that the method could not bind by itself.
    pub fallback: Vec<Fallback>,
    /// Which rule applied where.
    pub rules: Vec<Applied>,
    /// The rules that would have left no joint, and therefore did not hold.
    pub given_way: Vec<&'static str>,
    /// What the method looked at, in the space of the points; most look at nothing that can be drawn.
    pub shapes: Vec<BindShape>,
}

/// A piece that was bound by another method than the one that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Fallback {
    /// The number of the piece, counted from the largest.
    pub island: usize,
    /// How many points it has.
    pub vertices: usize,
    /// The method that bound it.
    pub method: &'static str,
    /// Why.
    pub reason: String,
}

/// A rule that changed something: for a joint, or for a piece, or for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Applied {
    /// The id of the rule.
    pub rule: &'static str,
    /// The joint it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<u32>,
    /// The piece it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub island: Option<usize>,
}

impl BindProblem {
    /// Says what is wrong with it before anything is computed.
    pub(crate) fn check(&self) -> Result<(), BindError> {
        if self.joints.is_empty() {
            return Err(BindError::NoJoints);
        }
        if self.joints.iter().all(|joint| !joint.may_bind) {
            return Err(BindError::NoFreeJoint(self.joints.len()));
        }
        if self.points.len() > u32::MAX as usize / 4 {
            return Err(BindError::Malformed(format!("{} points are more than can be bound", self.points.len())));
        }
        finite("points", self.points.iter())?;
        finite("joints", self.joints.iter().map(|joint| &joint.head))?;
        let count = self.points.len();
        if self.triangles.iter().flatten().any(|corner| *corner as usize >= count) {
            return Err(BindError::Malformed("a triangle names a point that is not there".to_owned()));
        }
        self.check_parents()
    }

    fn check_parents(&self) -> Result<(), BindError> {
        let malformed = |what: &str| Err(BindError::Malformed(what.to_owned()));
        for start in 0..self.joints.len() {
            let (mut at, mut steps) = (self.joints[start].parent, 0);
            while let Some(parent) = at {
                let Some(joint) = self.joints.get(parent) else {
                    return malformed("a joint has a parent that is not there");
                };
                steps += 1;
                if steps > self.joints.len() {
                    return malformed("a joint is above itself");
                }
                at = joint.parent;
            }
        }
        Ok(())
    }
}

fn finite<'p>(what: &'static str, points: impl Iterator<Item = &'p DVec3>) -> Result<(), BindError> {
    // Squares of coordinates are added up, which must not overflow.
    let fits = |point: &DVec3| point.length_squared() < 1e200;
    let bad: Vec<usize> = points.enumerate().filter(|(_, point)| !fits(point)).map(|(at, _)| at).collect();
    match bad.first() {
        Some(first) => Err(BindError::NotFinite { what, count: bad.len(), first: *first }),
        None => Ok(()),
    }
}

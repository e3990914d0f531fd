//! Bone links that joints gained, as session files hold them: what drives each. Their inverse bind matrices and their keys in clips follow from
//! that, and the weights are among those of the vertices.

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use skinscope_anim::pose::Keys;
use skinscope_model::{Link, LinkDrive, Model, NewLink};

use super::number::{Number, numbers, values};

/// A link that was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LinkRecord {
    /// The key of the joint that it follows.
    pub of: String,
    /// The name of its node.
    pub name: String,
    pub share: Number,
    pub along: Number,
    /// A quaternion x, y, z, w.
    pub from: [Number; 4],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[Number; 3]>,
}

impl LinkRecord {
    /// Makes the record of a link.
    fn of(model: &Model, keys: &Keys, link: &Link) -> Self {
        let drive = link.drive;
        Self {
            of: keys.key(link.of).to_owned(),
            name: model.skeleton.names[link.node.index()].clone(),
            share: Number(drive.share),
            along: Number(drive.along),
            from: numbers(drive.from.to_array()),
            axis: drive.axis.map(|axis| numbers(axis.to_array())),
        }
    }

    /// Makes the records of the links that joints of a model gained after meshes had gained skins so many times, those of a joint together.
    pub(crate) fn all_of(model: &Model, keys: &Keys, made_after: usize) -> Vec<Vec<Self>> {
        let mut out: Vec<Vec<Self>> = Vec::new();
        let links = model.new_links().filter(|link| link.made_after == made_after);
        for record in links.map(|link| Self::of(model, keys, link)) {
            match out.last_mut().filter(|last| last.first().is_some_and(|first| first.of == record.of)) {
                Some(last) => last.push(record),
                None => out.push(vec![record]),
            }
        }
        out
    }

    /// Returns the link that is to be made.
    pub fn link(&self) -> NewLink {
        let drive = LinkDrive {
            share: self.share.0,
            along: self.along.0,
            from: Quat::from_array(values(self.from)),
            axis: self.axis.map(|axis| Vec3::from_array(values(axis))),
        };
        NewLink { name: self.name.clone(), drive }
    }
}

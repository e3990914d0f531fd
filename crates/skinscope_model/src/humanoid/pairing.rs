//! Pairs the joints of two humanoids.

use super::{Family, HumanoidRig, NodeId, SPINE};

impl HumanoidRig {
    /// Returns the joints of this rig with those of `other` that are the same bones. Spines of up to three joints are
    /// paired from the lowest up, as spine, chest and upper chest, and necks likewise; longer ones from their lowest joints
    /// to their uppermost ones, unless both files name their bones or both have the names of one family: these say which
    /// is which.
    #[must_use]
    pub fn pairs(&self, other: &Self) -> Vec<(NodeId, NodeId)> {
        let are_declared = self.family == Family::Vrm && other.family == Family::Vrm;
        let is_chain = |bone: &str| !are_declared && (bone == "neck" || SPINE.contains(&bone));
        let of_bone = |(bone, node): (&str, NodeId)| Some((node, other.node(bone).filter(|_| !is_chain(bone))?));
        let mut out: Vec<(NodeId, NodeId)> = self.bones().filter_map(of_bone).collect();
        match (self.pelvis, other.pelvis) {
            (Some(pelvis), Some(own)) => out.push((pelvis, own)),
            // What turns the legs alone there is the nearest to hips that carry everything.
            (Some(pelvis), None) => {
                let hips = self.node("hips");
                out.iter_mut().filter(|(node, _)| Some(*node) == hips).for_each(|(node, _)| *node = pelvis);
            }
            (None, _) => {}
        }
        if !are_declared {
            let is_one_family = self.table() == other.table();
            out.extend(chain(&self.spine, &other.spine, is_one_family));
            out.extend(chain(&self.neck, &other.neck, is_one_family));
        }
        out
    }

    /// Returns the family whose list of names this rig has.
    fn table(&self) -> Family {
        if self.family == Family::HumanIk { Family::Mixamo } else { self.family }
    }
}

/// Pairs two chains of joints, from the lowest up.
fn chain(a: &[(usize, NodeId)], b: &[(usize, NodeId)], is_one_family: bool) -> Vec<(NodeId, NodeId)> {
    if is_one_family {
        let same = |(at, node): &(usize, NodeId)| Some((*node, b.iter().find(|(other, _)| other == at)?.1));
        return a.iter().filter_map(same).collect();
    }
    let (most, least) = (a.len().max(b.len()), a.len().min(b.len()));
    if least == 0 {
        return Vec::new();
    }
    // Up to three joints are spine, chest and upper chest, in this order.
    if most <= SPINE.len() {
        return a.iter().zip(b).map(|((_, there), (_, here))| (*there, *here)).collect();
    }
    // The places of the shorter chain in the longer one. A spine of one joint turns as the uppermost does there.
    let place = |k: usize| match least {
        1 if a.len() >= b.len() => most - 1,
        1 => 0,
        _ => (2 * k * (most - 1) + least - 1) / (2 * (least - 1)),
    };
    let pair = |k: usize| match a.len() >= b.len() {
        true => (a[place(k)].1, b[k].1),
        false => (a[k].1, b[place(k)].1),
    };
    (0..least).map(pair).collect()
}

//! Checks bone links.

use super::ensure;
use crate::{BuildError, Link, ModelParts};

/// Checks that links are joints beside those that they follow.
pub(super) fn check_links(parts: &ModelParts) -> Result<(), BuildError> {
    let parents = &parts.skeleton.parents;
    let sorted = parts.links.windows(2).all(|two| two[0].node < two[1].node);
    let fits = |link: &Link| {
        let above = [link.node, link.of].map(|node| parents.get(node.index()).copied().flatten());
        link.node != link.of && above[0].is_some() && above[0] == above[1] && link.drive.is_valid()
    };
    let what = "they are not sorted, or do not hang beside the joints that they follow";
    ensure(sorted && parts.links.iter().all(fits), || "links".into(), what)
}

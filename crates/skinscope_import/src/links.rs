//! Reads what drives the bone links of a file: `extras.skinscope.link` of their nodes.

use std::collections::HashMap;

use glam::{Quat, Vec3};
use serde::Deserialize;
use skinscope_model::{Link, LinkDrive, NodeId};

use super::Reader;
use super::nodes::Nodes;

#[derive(Deserialize)]
struct Extras {
    skinscope: Option<Own>,
}

#[derive(Deserialize)]
struct Own {
    link: Option<Stated>,
}

/// A link as the file states it. Its joint is named, and hangs on the same node: programs that write a file anew number its nodes anew.
#[derive(Deserialize)]
struct Stated {
    of: String,
    share: f32,
    along: f32,
    from: [f32; 4],
    axis: Option<[f32; 3]>,
}

/// The links, in rising order of nodes.
pub(super) fn read(reader: &Reader, nodes: &Nodes) -> Vec<Link> {
    let skeleton = &nodes.skeleton;
    let mut named: HashMap<(NodeId, &str), NodeId> = HashMap::new();
    let mut stated: Vec<(NodeId, u32, Stated)> = Vec::new();
    for (i, file) in skeleton.file_index.iter().enumerate() {
        let node = NodeId::from_index(i);
        if let Some(above) = skeleton.parents[i] {
            named.entry((above, skeleton.names[i].as_str())).or_insert(node);
        }
        let Some(extras) = reader.root.nodes[*file as usize].extras.as_ref() else { continue };
        let own = serde_json::from_str::<Extras>(extras.get()).ok().and_then(|extras| extras.skinscope);
        stated.extend(own.and_then(|own| own.link).map(|link| (node, *file, link)));
    }
    let mut out = Vec::new();
    for (node, file, link) in stated {
        let warn = |what: &str| reader.warnings.add(format!("node {file}"), format!("{what}; it follows nothing"));
        let drive = LinkDrive {
            share: link.share,
            along: link.along,
            from: Quat::from_array(link.from),
            axis: link.axis.map(Vec3::from_array),
        };
        let of = skeleton.parents[node.index()].and_then(|above| named.get(&(above, link.of.as_str())));
        match of.filter(|of| **of != node) {
            None => warn("is a link of a joint that does not hang beside it"),
            Some(_) if !drive.is_valid() => warn("is a link with numbers that are out of range"),
            Some(of) => out.push(Link { node, of: *of, drive, is_new: false, made_after: 0 }),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};
    use skinscope_model::Model;

    use crate::tests::Doc;

    fn linked(of: &str, share: f32) -> (Arc<Model>, Vec<String>) {
        let link = json!({ "of": of, "share": share, "along": 1.0, "from": [0.0, 0.0, 0.0, 1.0] });
        let mut doc = Doc::new();
        doc.root["nodes"] = json!([
            { "name": "arm", "children": [1, 2] },
            { "name": "hand" },
            { "name": "half", "extras": { "skinscope": { "link": link }, "other": 3 } },
            { "name": "plain", "extras": { "skinscope": 7 } },
        ]);
        doc.root["scenes"] = json!([{ "nodes": [0, 3] }]);
        doc.root["scene"] = Value::from(0);
        let import = doc.import().unwrap();
        let warnings = import.warnings.iter().map(ToString::to_string).filter(|warning| warning.contains("link"));
        (import.model, warnings.collect())
    }

    #[test]
    fn a_link_follows_the_joint_of_its_name_beside_it() {
        let (model, warnings) = linked("hand", 0.5);
        assert!(warnings.is_empty(), "{warnings:?}");
        let [link] = model.links[..] else { panic!("{}", model.links.len()) };
        assert_eq!((link.node.0, link.of.0, link.drive.share, link.is_new), (2, 1, 0.5, false));
    }

    #[test]
    fn a_link_that_cannot_follow_is_told_and_left_alone() {
        for (of, share, said) in [("arm", 0.5, "beside it"), ("half", 0.5, "beside it"), ("hand", 1.5, "out of range")]
        {
            let (model, warnings) = linked(of, share);
            assert!(model.links.is_empty() && warnings.len() == 1 && warnings[0].contains(said), "{warnings:?}");
        }
    }
}

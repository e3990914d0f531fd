//! Reads expressions of VRM files, and which nodes of a VRM animation stand for them.

use std::collections::BTreeMap;

use gltf::json::Value;
use skinscope_model::{Expression, ExpressionGroup, Instance, MorphBind, NodeId, Override};

use super::Reader;
use super::error::quoted;
use super::fields::whole;
use super::nodes::Nodes;

/// What VRM 0.x calls its preset expressions, with the names of VRM 1.0.
const OLDER: [(&str, &str); 17] = [
    ("a", "aa"),
    ("i", "ih"),
    ("u", "ou"),
    ("e", "ee"),
    ("o", "oh"),
    ("joy", "happy"),
    ("angry", "angry"),
    ("sorrow", "sad"),
    ("fun", "relaxed"),
    ("blink", "blink"),
    ("blink_l", "blinkLeft"),
    ("blink_r", "blinkRight"),
    ("lookup", "lookUp"),
    ("lookdown", "lookDown"),
    ("lookleft", "lookLeft"),
    ("lookright", "lookRight"),
    ("neutral", "neutral"),
];

/// Returns the expressions of a character: those of `VRMC_vrm`, else the blend shape groups of `VRM`. Binds to targets that
/// are not there are left out, and listed.
pub(super) fn read(reader: &Reader, nodes: &Nodes, instances: &[Instance]) -> Vec<Expression> {
    let Some(extensions) = &reader.root.extensions else { return Vec::new() };
    let binds = Binds { reader, nodes, instances };
    if let Some(expressions) = extensions.others.get("VRMC_vrm").and_then(|vrm| vrm.get("expressions")) {
        return each(expressions).map(|(name, value)| binds.newer(name, value)).collect();
    }
    let groups = extensions.others.get("VRM").and_then(|vrm| vrm.get("blendShapeMaster")?.get("blendShapeGroups"));
    let groups = groups.and_then(Value::as_array).into_iter().flatten();
    groups.filter_map(|group| binds.older(group)).collect()
}

/// Returns the nodes of a VRM animation whose translation along X is the weight of an expression, each with its name, in
/// rising order.
pub(super) fn of_nodes(reader: &Reader, nodes: &Nodes) -> Vec<(NodeId, String)> {
    let animation = reader.root.extensions.as_ref().and_then(|e| e.others.get("VRMC_vrm_animation"));
    let Some(expressions) = animation.and_then(|animation| animation.get("expressions")) else { return Vec::new() };
    let mut out = BTreeMap::new();
    for (name, value) in each(expressions) {
        let index = value.get("node").and_then(whole).and_then(|n| usize::try_from(n).ok());
        match index.and_then(|n| nodes.of_file.get(n)) {
            Some(node) => _ = out.entry(*node).or_insert_with(|| name.clone()),
            None => reader.warnings.add(
                format!("VRMC_vrm_animation, expression {}", quoted(name)),
                format!("expected a node below {}; the expression is left out", nodes.of_file.len()),
            ),
        }
    }
    out.into_iter().collect()
}

/// Returns the preset and the custom expressions of VRM 1.0.
fn each(expressions: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let lists = ["preset", "custom"].into_iter().filter_map(|list| expressions.get(list).and_then(Value::as_object));
    lists.flatten()
}

struct Binds<'r> {
    reader: &'r Reader<'r>,
    nodes: &'r Nodes,
    instances: &'r [Instance],
}

impl Binds<'_> {
    /// Returns an expression of VRM 1.0.
    fn newer(&self, name: &str, value: &Value) -> Expression {
        let list = value.get("morphTargetBinds").and_then(Value::as_array).into_iter().flatten();
        let found = list.filter_map(|bind| {
            let node = bind.get("node").and_then(whole).and_then(|n| usize::try_from(n).ok());
            let node = node.and_then(|n| self.nodes.of_file.get(n)).copied();
            self.bind("VRMC_vrm", name, node, bind, 1.0)
        });
        let how = |key: &str| match value.get(key).and_then(Value::as_str) {
            Some("block") => Some(Override::Block),
            Some("blend") => Some(Override::Blend),
            _ => None,
        };
        let groups = [
            (ExpressionGroup::Blink, "overrideBlink"),
            (ExpressionGroup::LookAt, "overrideLookAt"),
            (ExpressionGroup::Mouth, "overrideMouth"),
        ];
        Expression {
            name: name.to_owned(),
            is_binary: value.get("isBinary").and_then(Value::as_bool).unwrap_or(false),
            binds: found.collect(),
            overrides: groups.into_iter().filter_map(|(group, key)| Some((group, how(key)?))).collect(),
        }
    }

    /// Returns an expression of VRM 0.x, whose binds name meshes, and whose weights are percent.
    fn older(&self, group: &Value) -> Option<Expression> {
        let text = |key: &str| group.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let preset = text("presetName").map(str::to_lowercase).filter(|preset| preset != "unknown");
        let newer = preset.and_then(|preset| OLDER.iter().find(|(older, _)| *older == preset));
        let name = newer.map(|(_, name)| *name).or(text("name"))?;
        let list = group.get("binds").and_then(Value::as_array).into_iter().flatten();
        let mut binds = Vec::new();
        for bind in list {
            let mesh = bind.get("mesh").and_then(whole).and_then(|n| usize::try_from(n).ok());
            let shows = |node: &gltf::json::Node| node.mesh.map(|mesh| mesh.value()) == mesh && mesh.is_some();
            let shown = self.reader.root.nodes.iter().zip(&self.nodes.of_file).filter(|(node, _)| shows(node));
            binds.extend(shown.filter_map(|(_, node)| self.bind("VRM", name, Some(*node), bind, 0.01)));
        }
        let is_binary = group.get("isBinary").and_then(Value::as_bool).unwrap_or(false);
        Some(Expression { name: name.to_owned(), is_binary, binds, overrides: Vec::new() })
    }

    fn bind(&self, extension: &str, name: &str, node: Option<NodeId>, bind: &Value, unit: f64) -> Option<MorphBind> {
        let target = bind.get("index").and_then(whole).and_then(|n| usize::try_from(n).ok());
        let count = |node: NodeId| {
            self.instances.iter().find(|instance| instance.node == node).map_or(0, |i| i.morph_weights.len())
        };
        let weight = bind.get("weight").and_then(Value::as_f64).unwrap_or(1.0 / unit) * unit;
        match (node, target) {
            (Some(node), Some(target)) if target < count(node) => {
                Some(MorphBind { node, target, weight: weight as f32 })
            }
            _ => {
                let what = "names a morph target that is not there; it is left out";
                self.reader.warnings.add(format!("{extension}, expression {}", quoted(name)), what);
                None
            }
        }
    }
}

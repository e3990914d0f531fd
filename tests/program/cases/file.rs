//! What a model file stores, read by [`reader::File`], which shares nothing with the program. Integers that are written with a fraction
//! of zero are integers here too.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::fix::reader;

/// The weights of a vertex: the sum for each joint, by the joint's key.
pub type Influences = BTreeMap<String, f64>;

pub struct Asset {
    /// The JSON text as it stands in the file.
    pub text: String,
    file: reader::File,
}

impl Asset {
    /// The name of the clip of this number, counted from 0; −1 is the last.
    pub fn clip_at(&self, at: i64) -> Result<String, String> {
        let clips = self.file.root["animations"].as_array().map_or(&[][..], Vec::as_slice);
        let at = if at < 0 { at + clips.len() as i64 } else { at };
        let clip = usize::try_from(at).ok().and_then(|at| clips.get(at)).ok_or("there is no such clip")?;
        clip["name"].as_str().map(str::to_owned).ok_or_else(|| "the clip has no name".into())
    }

    pub fn open(path: &Path) -> Result<Self, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let file = reader::File::of(bytes, path.parent().unwrap());
        Ok(Self { text: file.text.clone(), file })
    }

    fn nodes(&self) -> &[Value] {
        self.file.root["nodes"].as_array().map_or(&[], Vec::as_slice)
    }

    /// How a node is called on the command line.
    fn key(&self, node: usize) -> String {
        let name = |node: usize| self.nodes()[node]["name"].as_str().unwrap_or_default();
        let own = name(node);
        let alone = (0..self.nodes().len()).filter(|other| name(*other) == own).count() == 1;
        if alone && !own.is_empty() { own.to_owned() } else { format!("#{node}") }
    }

    fn node(&self, key: &str) -> Result<usize, String> {
        (0..self.nodes().len()).find(|node| self.key(*node) == key).ok_or_else(|| format!("there is no node {key}"))
    }

    /// The rotation of a node at rest.
    pub fn rotation(&self, key: &str) -> Result<[f64; 4], String> {
        let rotation = &self.nodes()[self.node(key)?]["rotation"];
        Ok(serde_json::from_value(rotation.clone()).unwrap_or([0.0, 0.0, 0.0, 1.0]))
    }

    /// The weights of each vertex of a primitive of the mesh that a node shows.
    pub fn influences(&self, node: &str, primitive: u64) -> Result<Vec<Influences>, String> {
        self.of_node(self.node(node)?, primitive as usize)
    }

    fn of_node(&self, node: usize, primitive: usize) -> Result<Vec<Influences>, String> {
        let node = &self.nodes()[node];
        let index = |value: &Value| value.as_u64().map(|n| n as usize).ok_or("no mesh or skin");
        let (mesh, skin) = (index(&node["mesh"])?, index(&node["skin"])?);
        let joints = &self.file.root["skins"][skin]["joints"];
        let pairs = self.file.pairs(mesh, primitive).ok_or("the weights are compressed")?;
        let mut out = Vec::new();
        for (joints_of, weights) in pairs.joints.chunks(pairs.slots).zip(pairs.numbers.chunks(pairs.slots)) {
            let mut influences = Influences::new();
            for (joint, weight) in joints_of.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
                let node = joints[usize::from(*joint)].as_u64().ok_or("a joint that the skin does not have")?;
                *influences.entry(self.key(node as usize)).or_default() += weight / pairs.one();
            }
            out.push(influences);
        }
        Ok(out)
    }

    /// The weights of all vertices of everything that is skinned, by node and primitive.
    pub fn all_influences(&self) -> Result<Vec<Vec<Influences>>, String> {
        let mut out = Vec::new();
        for (number, node) in self.nodes().iter().enumerate() {
            let Some(mesh) = node["mesh"].as_u64().filter(|_| node["skin"].is_u64()) else { continue };
            let primitives = self.file.root["meshes"][mesh as usize]["primitives"].as_array().map_or(0, Vec::len);
            for primitive in 0..primitives {
                out.push(self.of_node(number, primitive)?);
            }
        }
        Ok(out)
    }
}

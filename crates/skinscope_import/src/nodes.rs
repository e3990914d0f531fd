//! Reads the node hierarchy: order, transforms, scenes. Nothing here recurses, since a file may be a chain of a hundred
//! thousand nodes.

use glam::{Affine3A, Mat4, Quat, Vec3};
use gltf::json;
use skinscope_base::math::{self, Aabb, Transform, decompose};
use skinscope_model::{LocalPose, NodeId, Scene, Skeleton};

use super::error::Warnings;
use super::{ImportError, Reader};

/// With more nodes than this a file is broken, or a whole world, rather than a character.
const MANY_NODES: usize = 50_000;

/// All nodes in the model's order.
#[derive(Debug)]
pub(super) struct Nodes {
    pub skeleton: Skeleton,
    pub scenes: Vec<Scene>,
    pub default_scene: usize,
    /// The model's node for each node of the file.
    pub of_file: Vec<NodeId>,
}

impl Nodes {
    /// Returns the model's id of a node of the file.
    pub(super) fn id(
        &self,
        index: json::Index<json::Node>,
        location: &dyn Fn() -> String,
    ) -> Result<NodeId, ImportError> {
        self.of_file.get(index.value()).copied().ok_or_else(|| no_node(index.value(), self.of_file.len(), location()))
    }
}

fn no_node(index: usize, count: usize, location: String) -> ImportError {
    ImportError::invalid(location, format!("a node below {count}"), format!("node {index}"))
}

/// Reads and orders all nodes: depth first, default scene first, then the other scenes, then nodes that no scene shows.
pub(super) fn read(reader: &Reader) -> Result<Nodes, ImportError> {
    let root = reader.root;
    let count = root.nodes.len();
    if count > MANY_NODES {
        reader.warnings.add("nodes", format!("there are {count}, far more than a character has; posing may be slow"));
    }
    let parents = parents(root)?;
    let default_scene = root.scene.map_or(0, |s| s.value());
    if root.scene.is_some() && default_scene >= root.scenes.len() {
        let expected = format!("a scene below {}", root.scenes.len());
        return Err(ImportError::invalid("default scene", expected, format!("scene {default_scene}")));
    }
    let mut starts: Vec<usize> = Vec::new();
    let first = root.scenes.get(default_scene).map(|_| default_scene);
    for scene in first.into_iter().chain((0..root.scenes.len()).filter(|s| Some(*s) != first)) {
        starts.extend(scene_roots(root, scene, &parents)?);
    }
    starts.extend((0..count).filter(|i| parents[*i].is_none()));
    let order = depth_first(root, &starts);
    if order.len() < count {
        let mut seen = vec![false; count];
        order.iter().for_each(|i| seen[*i] = true);
        let lost = seen.iter().position(|s| !s).unwrap_or_default();
        return Err(ImportError::invalid(
            format!("node {lost}"),
            "a tree of nodes",
            "a node among its own descendants",
        ));
    }
    let mut of_file = vec![NodeId(0); count];
    for (i, file) in order.iter().enumerate() {
        of_file[*file] = NodeId::from_index(i);
    }
    let skeleton = skeleton(reader, &order, &parents, &of_file)?;
    let scenes = scenes(reader, &skeleton, &of_file)?;
    Ok(Nodes { skeleton, scenes, default_scene, of_file })
}

/// Returns the parent of each node of the file, or an error where there are two.
fn parents(root: &json::Root) -> Result<Vec<Option<usize>>, ImportError> {
    let mut parents = vec![None; root.nodes.len()];
    for (i, node) in root.nodes.iter().enumerate() {
        for child in node.children.iter().flatten() {
            let Some(slot) = parents.get_mut(child.value()) else {
                return Err(no_node(child.value(), root.nodes.len(), format!("node {i}, children")));
            };
            if let Some(other) = slot.replace(i) {
                let found = format!("nodes {other} and {i} as parents");
                return Err(ImportError::invalid(format!("node {}", child.value()), "one parent at most", found));
            }
        }
    }
    Ok(parents)
}

/// Returns the roots of a scene in file order, or an error where one is no root, or listed twice.
fn scene_roots(root: &json::Root, scene: usize, parents: &[Option<usize>]) -> Result<Vec<usize>, ImportError> {
    let location = || format!("scene {scene}");
    let mut roots = Vec::with_capacity(root.scenes[scene].nodes.len());
    for node in &root.scenes[scene].nodes {
        match parents.get(node.value()) {
            None => return Err(no_node(node.value(), parents.len(), location())),
            Some(Some(parent)) => {
                let found = format!("node {}, a child of node {parent}", node.value());
                return Err(ImportError::invalid(location(), "root nodes only", found));
            }
            Some(None) => roots.push(node.value()),
        }
    }
    let mut sorted = roots.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|w| w[0] == w[1]) {
        Some(twice) => Err(ImportError::invalid(location(), "each node once", format!("node {} twice", twice[0]))),
        None => Ok(roots),
    }
}

/// Returns the nodes below the given roots in preorder; a root that comes again is skipped.
fn depth_first(root: &json::Root, starts: &[usize]) -> Vec<usize> {
    let mut order = Vec::with_capacity(root.nodes.len());
    let mut seen = vec![false; root.nodes.len()];
    let mut open = Vec::new();
    for start in starts {
        if seen[*start] {
            continue;
        }
        open.push(*start);
        // Each node has one parent and no start has any: every node is pushed once at most.
        while let Some(node) = open.pop() {
            seen[node] = true;
            order.push(node);
            open.extend(root.nodes[node].children.iter().flatten().rev().map(|c| c.value()));
        }
    }
    order
}

fn skeleton(
    reader: &Reader,
    order: &[usize],
    parents: &[Option<usize>],
    of_file: &[NodeId],
) -> Result<Skeleton, ImportError> {
    let mut out = Skeleton { rest: LocalPose::default(), ..Skeleton::default() };
    for (i, file) in order.iter().enumerate() {
        let node = &reader.root.nodes[*file];
        let (transform, residual) = local_transform(node, *file, reader.warnings)?;
        out.parents.push(parents[*file].map(|p| of_file[p]));
        out.names.push(node.name.clone().filter(|n| !n.is_empty()).unwrap_or_else(|| format!("node {file}")));
        out.file_index.push(*file as u32);
        out.rest.transforms.push(transform);
        out.residuals.extend(residual.map(|r| (NodeId::from_index(i), r)));
    }
    Ok(out)
}

/// Returns `parent_from_node` as a TRS, and the shear that a matrix may have beside it.
fn local_transform(
    node: &json::Node,
    file: usize,
    warnings: &Warnings,
) -> Result<(Transform, Option<glam::Mat3A>), ImportError> {
    let location = || format!("node {file}");
    let flat = flattened(node);
    if let Some(matrix) = node.matrix {
        if node.translation.is_some() || node.rotation.is_some() || node.scale.is_some() {
            return Err(ImportError::invalid(location(), "a matrix or TRS properties", "both"));
        }
        let affine = affine(&Mat4::from_cols_array(&matrix), flat, &location, warnings)?;
        note_far(affine.translation.into(), &location, warnings);
        return Ok(decompose(affine));
    }
    let translation = node.translation.map_or(Vec3::ZERO, Vec3::from_array);
    let scale = node.scale.map_or(Vec3::ONE, Vec3::from_array);
    let raw = node.rotation.map_or(Quat::IDENTITY, |r| Quat::from_array(r.0));
    if !(translation.is_finite() && scale.is_finite() && raw.is_finite()) {
        return Err(ImportError::invalid(location(), "a finite transform", "a number beyond the largest float"));
    }
    note_far(translation, &location, warnings);
    if scale.cmpeq(Vec3::ZERO).any() {
        warnings.add(location(), format!("has a scale of zero; {flat}"));
    }
    let rotation = unit(raw);
    if rotation.is_none() {
        warnings.add(location(), "has a rotation of length zero; read as no rotation");
    } else if (raw.length() - 1.0).abs() > 0.02 {
        let length = raw.as_dquat().length();
        let length = if (1e-3..1e4).contains(&length) { format!("{length:.3}") } else { format!("{length:e}") };
        warnings.add(location(), format!("has a rotation of length {length}; normalised"));
    }
    let rotation = rotation.unwrap_or(Quat::IDENTITY);
    Ok((Transform { translation, rotation, scale }, None))
}

/// Warns where a node stands so far away that it cannot be seen or framed ([`Aabb::FAR`]).
fn note_far(translation: Vec3, location: &dyn Fn() -> String, warnings: &Warnings) {
    let far = translation.abs().max_element();
    if far > Aabb::FAR {
        warnings
            .add(location(), format!("stands {far:e} m away, farther than can be shown; what it moves is not seen"));
    }
}

/// Normalises a quaternion in f64, so that no length overflows or vanishes; `None` for zero and numbers that are not
/// finite.
pub(super) fn unit(q: Quat) -> Option<Quat> {
    math::unit(q).map(|wide| wide.as_quat())
}

/// Says what follows where a node flattens space: its own mesh is not flat where a skin moves it (glTF 2.0, 3.7.3.2).
fn flattened(node: &json::Node) -> &'static str {
    let is_above = node.children.as_ref().is_some_and(|children| !children.is_empty());
    match (node.mesh.is_some() && node.skin.is_some(), is_above) {
        (true, false) => "its mesh follows a skin and not the node, so that nothing is flat",
        (true, true) => "its mesh follows a skin and not the node, but the nodes below it are flat",
        (false, _) => "what hangs on it is flat",
    }
}

/// Returns the affine part of a matrix. It warns where the last row is not 0 0 0 1, and where the matrix flattens
/// space; `flat` then names what is flat.
pub(super) fn affine(
    m: &Mat4,
    flat: &str,
    location: &dyn Fn() -> String,
    warnings: &Warnings,
) -> Result<Affine3A, ImportError> {
    if !m.is_finite() {
        return Err(ImportError::invalid(location(), "a finite matrix", "a number beyond the largest float"));
    }
    let last = m.row(3);
    if (last - glam::Vec4::W).abs().max_element() > 1e-5 {
        let last = last.to_array();
        warnings.add(location(), format!("has a matrix whose last row is {last:?}, read as 0 0 0 1"));
    }
    let affine = Affine3A::from_mat4(*m);
    // The determinant is compared with the product of the columns' lengths, in f64: small units are no defect.
    let columns = [affine.matrix3.x_axis, affine.matrix3.y_axis, affine.matrix3.z_axis].map(|c| c.as_dvec3());
    let room: f64 = columns.iter().map(|c| c.length()).product();
    if columns[0].cross(columns[1]).dot(columns[2]).abs() <= room * 1e-9 {
        warnings.add(location(), format!("has a singular matrix; {flat}"));
    }
    Ok(affine)
}

/// Returns the scenes with their nodes marked. A file without scenes shows all roots.
fn scenes(reader: &Reader, skeleton: &Skeleton, of_file: &[NodeId]) -> Result<Vec<Scene>, ImportError> {
    let count = skeleton.len();
    let scenes = reader.root.scenes.len().max(1) as u64;
    reader.decoded.charge(&|| "scenes".into(), scenes.saturating_mul(count as u64), 1)?;
    if reader.root.scenes.is_empty() {
        let roots = (0..count).filter(|i| skeleton.parents[*i].is_none()).map(NodeId::from_index).collect();
        return Ok(vec![Scene { name: String::new(), roots, contains: vec![true; count] }]);
    }
    let mut out = Vec::new();
    for (i, scene) in reader.root.scenes.iter().enumerate() {
        let roots: Vec<NodeId> = scene.nodes.iter().map(|n| of_file[n.value()]).collect();
        let mut contains = vec![false; count];
        for root in &roots {
            contains[root.index()..skeleton.subtree_end(*root)].fill(true);
        }
        if roots.is_empty() {
            reader.warnings.add(format!("scene {i}"), "has no nodes; there is nothing to show");
        }
        out.push(Scene { name: scene.name.clone().unwrap_or_default(), roots, contains });
    }
    Ok(out)
}

//! Converts pose files to poses of a model, and poses to pose files.

use std::collections::HashMap;

use glam::{DVec3, Quat, Vec3};
use skinscope_base::math::Transform;
use skinscope_base::math::wide_unit;
use skinscope_model::{HumanoidRig, Instance, LocalPose, Model, NodeId};

use super::file::{Channels, PoseFile};
use super::keys::Keys;
use super::moment::MomentError;
use super::unit;
use crate::add_difference;

/// The values of a pose file that apply to one model.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Resolved {
    /// The values of each node that the file names, in rising order of nodes. Translations are those of poses of the
    /// model.
    pub nodes: Vec<(NodeId, Channels)>,
    /// Morph weights, each with its index in [`LocalPose::morph_weights`], in rising order of indices.
    pub morphs: Vec<(usize, f32)>,
    /// The keys of the file that match nothing in the model: keys of nodes, and `node/target` for morph targets.
    pub unmatched: Vec<String>,
}

/// Finds the nodes and morph targets of a model that the keys of a file name ([`Keys::matches`]). Where not all joints of
/// the file are called as nodes here, keys that a family of names knows as bones of limbs are these bones of the model,
/// and no other ones ([`HumanoidRig::bones_of_names`]). Where the file names a moment of a clip that the model has, the values of that moment
/// are there too, but for those that the file replaces.
#[must_use]
pub fn resolve(model: &Model, file: &PoseFile) -> Resolved {
    let keys = Keys::of(model);
    let names =
        || file.joints.iter().map(|(key, _)| key.as_str()).chain(file.morphs.iter().map(|(key, _)| key.as_str()));
    let mut all: Vec<&str> = names().collect();
    all.sort_unstable();
    all.dedup();
    let mut found = keys.matches(all.iter().copied());
    if file.joints.iter().any(|(key, _)| keys.find(key).is_none()) {
        by_bones(model, file, &mut found);
    }
    let mut out = at_moment(model, file);
    for (key, channels) in &file.joints {
        match found.get(key.as_str()) {
            Some(node) => {
                let base = model.skeleton.base(node.index());
                let near = |stored: [f64; 3]| DVec3::from_array(stored) - base;
                let translation = match base == DVec3::ZERO {
                    true => channels.translation,
                    false => channels.translation.map(|stored| near(stored).to_array()),
                };
                put(&mut out.nodes, *node, Channels { translation, ..*channels });
            }
            None => out.unmatched.push(key.clone()),
        }
    }
    for (key, targets) in &file.morphs {
        let Some(node) = found.get(key.as_str()) else {
            if !out.unmatched.contains(key) {
                out.unmatched.push(key.clone());
            }
            continue;
        };
        let instances: Vec<&Instance> = model.instances.iter().filter(|i| i.node == *node).collect();
        for (name, weight) in targets {
            let indices = instances.iter().filter_map(|i| Some(i.morph_offset + target_of(model, i, name)?));
            let indices: Vec<usize> = indices.collect();
            if indices.is_empty() {
                out.unmatched.push(format!("{key}/{name}"));
            }
            out.morphs.retain(|(index, _)| !indices.contains(index));
            out.morphs.extend(indices.into_iter().map(|index| (index, *weight)));
        }
    }
    out.nodes.sort_by_key(|(node, _)| *node);
    out.morphs.sort_by_key(|(index, _)| *index);
    out
}

/// Returns the pose of a model that a file has, and the keys of the file that match nothing in the model. What the file does not say is as
/// at the moment that it names, or else as in the rest pose.
///
/// # Errors
/// The moment that the file names is none of the model.
pub fn posed_by(model: &Model, file: &PoseFile) -> Result<(LocalPose, Vec<String>), MomentError> {
    if let Some(moment) = &file.moment {
        moment.find(model)?;
    }
    let said = resolve(model, file);
    let mut pose = model.skeleton.rest.clone();
    said.apply(&mut pose);
    Ok((pose, said.unmatched))
}

/// Returns the values that a model has at the moment which a file names, where they are not those of rest. A moment that is none of the
/// model matches nothing.
fn at_moment(model: &Model, file: &PoseFile) -> Resolved {
    let mut out = Resolved::default();
    let Some(moment) = &file.moment else { return out };
    let Ok(pose) = moment.pose(model) else {
        out.unmatched.push(format!("clip {}", moment.clip));
        return out;
    };
    let rest = &model.skeleton.rest;
    for (index, (now, rest)) in pose.transforms.iter().zip(&rest.transforms).enumerate() {
        let node = NodeId::from_index(index);
        let is_moved = now.translation != rest.translation || pose.wide.offset(node) != DVec3::ZERO;
        let channels = Channels {
            rotation: (now.rotation != rest.rotation).then(|| now.rotation.to_array()),
            translation: is_moved.then(|| pose.translation(node).to_array()),
            scale: (now.scale != rest.scale).then(|| now.scale.to_array()),
        };
        if channels != Channels::default() {
            out.nodes.push((node, channels));
        }
    }
    let weights = pose.morph_weights.iter().zip(&rest.morph_weights).enumerate();
    out.morphs = weights.filter(|(_, (now, rest))| now != rest).map(|(index, (now, _))| (index, *now)).collect();
    out
}

/// Adds the values of a node; those of a moment that they replace go.
fn put(nodes: &mut Vec<(NodeId, Channels)>, node: NodeId, said: Channels) {
    match nodes.iter_mut().find(|(known, _)| *known == node) {
        Some((_, known)) => {
            known.rotation = said.rotation.or(known.rotation);
            known.translation = said.translation.or(known.translation);
            known.scale = said.scale.or(known.scale);
        }
        None => nodes.push((node, said)),
    }
}

/// Corrects what was found for the keys of a file's joints by the bones that their names tell of.
fn by_bones<'f>(model: &Model, file: &'f PoseFile, found: &mut HashMap<&'f str, NodeId>) {
    let Some(rig) = model.rig() else { return };
    let names: Vec<&str> = file.joints.iter().map(|(key, _)| key.as_str()).collect();
    let bones = HumanoidRig::bones_of_names(&names);
    for (at, _) in &bones {
        if found.get(names[*at]).is_some_and(|node| rig.knows(*node)) {
            found.remove(names[*at]);
        }
    }
    for (at, bone) in bones {
        let node = rig.node(&bone).filter(|node| !found.values().any(|other| other == node));
        if let Some(node) = node.filter(|_| !found.contains_key(names[at])) {
            found.insert(names[at], node);
        }
    }
}

impl Resolved {
    /// Returns the values of a node and of all nodes below it.
    #[must_use]
    pub fn of_limb(&self, model: &Model, limb: NodeId) -> Self {
        let inside = limb.index()..model.skeleton.subtree_end(limb);
        let nodes = self.nodes.iter().filter(|(node, _)| inside.contains(&node.index())).copied().collect();
        let is_inside = |index: usize| {
            let targets =
                |i: &Instance| i.morph_offset..i.morph_offset + model.meshes[i.mesh.index()].morph_names.len();
            model.instances.iter().any(|i| inside.contains(&i.node.index()) && targets(i).contains(&index))
        };
        let morphs = self.morphs.iter().filter(|(index, _)| is_inside(*index)).copied().collect();
        Self { nodes, morphs, unmatched: Vec::new() }
    }

    /// Writes these values over `pose`; values that the file does not have stay.
    pub fn apply(&self, pose: &mut LocalPose) {
        for (node, said) in &self.nodes {
            if let Some(to) = said.translation {
                pose.set_translation(*node, DVec3::from_array(to));
            }
            let transform = &mut pose.transforms[node.index()];
            transform.rotation = said.rotation.map_or(transform.rotation, Quat::from_array);
            transform.scale = said.scale.map_or(transform.scale, Vec3::from_array);
        }
        for (index, weight) in &self.morphs {
            pose.morph_weights[*index] = *weight;
        }
    }
}

/// Interpolates a pose towards the values of a file: rotations by slerp along the shorter arc, all else linearly.
/// `part` is 0…1: at 0 the pose does not change, and at 1 it has the values of the file, both to the bit. Values that
/// the file does not have stay.
pub fn blend(pose: &mut LocalPose, to: &Resolved, part: f32) {
    if part <= 0.0 {
        return;
    }
    if part >= 1.0 {
        return to.apply(pose);
    }
    for (node, said) in &to.nodes {
        let transform = &mut pose.transforms[node.index()];
        if let Some(rotation) = said.rotation {
            let (from, to) = (wide_unit(transform.rotation), wide_unit(Quat::from_array(rotation)));
            // Slerp of glam takes the shorter arc.
            transform.rotation = from.slerp(to, f64::from(part)).normalize().as_quat();
        }
        transform.scale = said.scale.map_or(transform.scale, |to| transform.scale.lerp(Vec3::from_array(to), part));
        if let Some(to) = said.translation {
            let from = pose.translation(*node);
            pose.set_translation(*node, from.lerp(DVec3::from_array(to), f64::from(part)));
        }
    }
    for (index, weight) in &to.morphs {
        let now = &mut pose.morph_weights[*index];
        *now += (weight - *now) * part;
    }
}

/// Adds the difference of a file's values from rest to a pose, as an additive layer does;
/// `share`, 0…1, is its weight. Values that the file does not have stay.
pub fn add(pose: &mut LocalPose, rest: &LocalPose, said: &Resolved, share: f32) {
    if share > 0.0 {
        let mut to = rest.clone();
        said.apply(&mut to);
        add_difference(pose, rest, &to, share);
    }
}

/// Returns the values of a pose that differ from rest, as a pose file with this name.
#[must_use]
pub fn capture(model: &Model, pose: &LocalPose, name: &str) -> PoseFile {
    let keys = Keys::of(model);
    let rest = &model.skeleton.rest;
    let mut out = PoseFile { name: name.to_owned(), model: model.source.name.clone(), ..PoseFile::default() };
    for (i, (now, rest)) in pose.transforms.iter().zip(&rest.transforms).enumerate() {
        let mut channels = difference(now, rest);
        let node = NodeId::from_index(i);
        let (base, wide) = (model.skeleton.base(i), pose.wide.offset(node));
        if wide != DVec3::ZERO || channels.translation.is_some() {
            channels.translation = Some((pose.translation(node) + base).to_array());
        }
        if channels != Channels::default() {
            out.joints.push((keys.key(node).to_owned(), channels));
        }
    }
    for instance in &model.instances {
        let changed = |target: &usize| {
            let index = instance.morph_offset + target;
            pose.morph_weights[index] != rest.morph_weights[index]
        };
        let targets = 0..model.meshes[instance.mesh.index()].morph_names.len();
        let said = |t: usize| (target_key(model, instance, t), pose.morph_weights[instance.morph_offset + t]);
        let weights: Vec<(String, f32)> = targets.filter(changed).map(said).collect();
        if !weights.is_empty() {
            out.morphs.push((keys.key(instance.node).to_owned(), weights));
        }
    }
    out.joints.sort_by(|a, b| a.0.cmp(&b.0));
    out.morphs.sort_by(|a, b| a.0.cmp(&b.0));
    out.morphs.iter_mut().for_each(|(_, targets)| targets.sort_by(|a, b| a.0.cmp(&b.0)));
    out
}

fn difference(now: &Transform, rest: &Transform) -> Channels {
    // The rest rotation was normalised when it was read; the same numbers in a pose file are the same rotation.
    let nearly_unit = (now.rotation.length() - 1.0).abs() < 1e-5;
    let same = now.rotation == rest.rotation || (nearly_unit && unit(now.rotation) == Some(rest.rotation));
    Channels {
        rotation: (!same).then(|| now.rotation.to_array()),
        translation: (now.translation != rest.translation).then(|| now.translation.as_dvec3().to_array()),
        scale: (now.scale != rest.scale).then(|| now.scale.to_array()),
    }
}

/// Returns the key of a morph target within its mesh: its name where no other target has it, else its index.
#[must_use]
pub fn target_key(model: &Model, instance: &Instance, target: usize) -> String {
    let names = &model.meshes[instance.mesh.index()].morph_names;
    let name = &names[target];
    // Import makes up such names where the file has none.
    let made_up = |t: usize| names.get(t).is_some_and(|name| *name == format!("target {t}"));
    // A target that is named like a number would be taken for the target of that number.
    let is_number = name.parse().is_ok_and(made_up);
    let alone = names.iter().filter(|other| *other == name).count() == 1;
    if made_up(target) || is_number || !alone { target.to_string() } else { name.clone() }
}

/// Returns the index of the morph target of an instance that a key names ([`target_key`], or its plain name); `None`
/// where there is none.
#[must_use]
pub fn target_of(model: &Model, instance: &Instance, key: &str) -> Option<usize> {
    let names = &model.meshes[instance.mesh.index()].morph_names;
    let keyed = (0..names.len()).find(|t| target_key(model, instance, *t) == key);
    keyed.or_else(|| names.iter().position(|name| name == key))
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::obstacle_course;

    use super::*;
    use crate::pose::moment::ClipMoment;

    #[test]
    fn what_is_added_is_the_difference_from_rest_and_a_limb_is_a_part_of_a_pose() {
        let model = obstacle_course();
        let rest = &model.skeleton.rest;
        let said = resolve(&model, &capture(&model, &some_pose(&model), ""));
        let turn = Quat::from_rotation_y(0.7);
        let mut pose = rest.clone();
        pose.transforms[3].rotation = turn;
        pose.transforms[4].translation.x = 5.0;
        pose.morph_weights[1] = 0.4;
        let start = pose.clone();
        add(&mut pose, rest, &said, 0.0);
        assert_eq!(pose, start);
        add(&mut pose, rest, &said, 0.3);
        // Three tenths of a rotation about its axis, on top of the one that is there.
        let whole = rest.transforms[3].rotation.inverse() * Quat::from_xyzw(0.3, 0.0, 0.1, 2.5).normalize();
        let (axis, angle) = whole.to_axis_angle();
        let want = turn * Quat::from_axis_angle(axis, 0.3 * angle);
        assert!(pose.transforms[3].rotation.abs_diff_eq(want, 1e-6), "{:?} {want:?}", pose.transforms[3].rotation);
        let y = rest.transforms[4].translation.y;
        assert!((pose.transforms[4].translation.y - (y + 0.3 * (0.123_456_79 - y))).abs() < 1e-6);
        assert_eq!(pose.transforms[4].translation.x, 5.0);
        let weight = 0.4 + 0.3 * (0.1 - rest.morph_weights[1]);
        assert!((pose.morph_weights[1] - weight).abs() < 1e-6);
        assert_eq!(pose.transforms[0], start.transforms[0]);
        // Each limb has its own nodes, and those of all roots together are all.
        let limb = NodeId(4);
        let part = said.of_limb(&model, limb);
        let is_below = |node: NodeId| {
            let mut up = Some(node);
            while let Some(at) = up.filter(|at| *at != limb) {
                up = model.skeleton.parents[at.index()];
            }
            up == Some(limb)
        };
        let nodes: Vec<NodeId> = said.nodes.iter().map(|(node, _)| *node).filter(|node| is_below(*node)).collect();
        assert_eq!(part.nodes.iter().map(|(node, _)| *node).collect::<Vec<_>>(), nodes);
        assert!(!nodes.is_empty() && nodes.len() < said.nodes.len());
        let roots =
            (0..model.skeleton.len()).map(NodeId::from_index).filter(|n| model.skeleton.parents[n.index()].is_none());
        let morphs: usize = roots.map(|root| said.of_limb(&model, root).morphs.len()).sum();
        assert_eq!((morphs, part.morphs.len()), (1, 0));
    }

    fn some_pose(model: &Model) -> LocalPose {
        let mut pose = model.skeleton.rest.clone();
        // The quaternion may have any length, as in a file.
        pose.transforms[3].rotation = Quat::from_xyzw(0.3, -0.0, 0.1, 2.5);
        pose.transforms[4].translation.y = 0.123_456_79;
        pose.transforms[5].scale = Vec3::new(1.1, 0.7, -0.3);
        pose.morph_weights[1] = 0.1;
        pose
    }

    #[test]
    fn a_pose_comes_back_to_the_bit_and_only_what_differs_is_said() {
        let model = obstacle_course();
        let pose = some_pose(&model);
        let file = capture(&model, &pose, "test");
        assert_eq!(file.joints.len(), 3);
        assert!(file.joints.iter().all(|(_, c)| {
            [c.rotation.is_some(), c.translation.is_some(), c.scale.is_some()].iter().filter(|said| **said).count() == 1
        }));
        assert_eq!(file.morphs.len(), 1);
        let resolved = resolve(&model, &PoseFile::parse(file.text().as_bytes()).unwrap());
        assert!(resolved.unmatched.is_empty());
        let mut back = model.skeleton.rest.clone();
        resolved.apply(&mut back);
        let bits = |pose: &LocalPose| {
            let values = pose.transforms.iter().flat_map(|t| {
                t.rotation.to_array().into_iter().chain(t.translation.to_array()).chain(t.scale.to_array())
            });
            values.chain(pose.morph_weights.iter().copied()).map(f32::to_bits).collect::<Vec<_>>()
        };
        assert_eq!(bits(&back), bits(&pose));
        assert_eq!(capture(&model, &back, "test"), file);
        assert_eq!(capture(&model, &model.skeleton.rest, ""), PoseFile { model: file.model, ..PoseFile::default() });
    }

    #[test]
    fn what_has_no_counterpart_is_listed() {
        let model = obstacle_course();
        let text = r#"{"skinscope_pose":1,"joints":{"JOINT 1":{"scale":[2,2,2]},"Tail":{"scale":[1,1,1]}},
            "morphs":{"mesh":{"swell":0.5,"frown":1},"Tail":{"a":1},"Nose":{"b":1}}}"#;
        let resolved = resolve(&model, &PoseFile::parse(text.as_bytes()).unwrap());
        assert_eq!(resolved.nodes.iter().map(|(n, _)| n.0).collect::<Vec<_>>(), [4]);
        assert_eq!(resolved.unmatched, ["Tail", "Nose", "mesh/frown"]);
        assert_eq!(resolved.morphs, [(0, 0.5)]);
    }

    #[test]
    fn what_a_file_says_replaces_what_the_moment_has_that_it_names() {
        let model = obstacle_course();
        let clip = &model.clips[0];
        let moment = |name: &str| Some(ClipMoment { clip: name.to_owned(), time: clip.end_secs });
        let node = clip.channels[0].node;
        let scale = Channels { scale: Some([2.0; 3]), ..Channels::default() };
        let joints = vec![(Keys::of(&model).key(node).to_owned(), scale), ("Tail".to_owned(), scale)];
        let (pose, unmatched) =
            posed_by(&model, &PoseFile { moment: moment("0"), joints, ..PoseFile::default() }).unwrap();
        assert_eq!(unmatched, ["Tail"]);
        let mut wanted = moment("0").unwrap().pose(&model).unwrap();
        assert!(wanted != model.skeleton.rest, "the clip moves something");
        wanted.transforms[node.index()].scale = Vec3::splat(2.0);
        assert!(pose == wanted);
        let absent = PoseFile { moment: moment("Jump"), ..PoseFile::default() };
        assert_eq!(resolve(&model, &absent).unmatched, ["clip Jump"]);
        assert!(posed_by(&model, &absent).unwrap_err().to_string().starts_with("there is no clip \"Jump\""));
    }

    #[test]
    fn a_blend_goes_part_of_the_way_and_leaves_alone_what_is_not_said() {
        let model = obstacle_course();
        let rest = &model.skeleton.rest;
        let to = resolve(&model, &capture(&model, &some_pose(&model), ""));
        let mut pose = rest.clone();
        blend(&mut pose, &to, 0.0);
        assert_eq!(pose, *rest);
        blend(&mut pose, &to, 0.3);
        // What is mixed number by number is off by 3e-5 here.
        let whole = Quat::from_xyzw(0.3, -0.0, 0.1, 2.5).normalize();
        let want = rest.transforms[3].rotation.as_dquat().slerp(whole.as_dquat(), 0.3).as_quat();
        let got = pose.transforms[3].rotation.normalize();
        assert!(got.abs_diff_eq(want, 2e-6), "{got} for {want}");
        let scale = rest.transforms[5].scale.lerp(Vec3::new(1.1, 0.7, -0.3), 0.3);
        assert!((pose.transforms[5].scale - scale).length() < 1e-6);
        assert_eq!(pose.transforms[6], rest.transforms[6]);
        let weight = rest.morph_weights[1] + 0.3 * (0.1 - rest.morph_weights[1]);
        assert!((pose.morph_weights[1] - weight).abs() < 1e-6);
        blend(&mut pose, &to, 1.0);
        assert_eq!(pose, some_pose(&model));
    }
}

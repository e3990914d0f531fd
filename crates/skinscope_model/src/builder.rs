//! Builds a [`Model`], which cannot be made in any other way: every invariant that later code relies on is checked
//! here, once.

mod links;
mod primitives;

use glam::Affine3A;

use self::links::check_links;
use self::primitives::check_primitive;
pub(super) use self::primitives::is_finite;
use super::{
    AlphaMode, Camera, CameraId, Clip, Expression, Facing, Image, Instance, Interpolation, Light, LightId, Limits,
    Link, Material, Mesh, MeshId, Model, NodeId, Path, Property, PropertyChannel, Scene, Skeleton, Skin, SourceInfo,
    Texture, TextureSlot, Tracks, Values,
};

/// The contents of a model, before [`Model::build`] checks them. A [`Model`] dereferences to its parts.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the types say it")]
pub struct ModelParts {
    pub source: SourceInfo,
    pub skeleton: Skeleton,
    /// The scenes of the file; at least one where there are nodes. The default scene is `default_scene`.
    pub scenes: Vec<Scene>,
    pub default_scene: usize,
    /// The names of a humanoid rig for its joints (VRM: "leftUpperArm"), in rising order of nodes.
    pub humanoid: Vec<(NodeId, String)>,
    /// The expressions of a character (VRM).
    pub expressions: Vec<Expression>,
    /// The nodes whose translation along X is the weight of an expression (VRM animations), in rising order.
    pub expression_nodes: Vec<(NodeId, String)>,
    /// The direction in which a character of the file faces.
    pub facing: Facing,
    /// The limits of joint rotations, where the file states any, in rising order of nodes.
    pub limits: Vec<(NodeId, Limits)>,
    pub skins: Vec<Skin>,
    /// The joints that follow other ones by a share of their turn, in rising order of nodes.
    pub links: Vec<Link>,
    /// The nodes that the file hides, in rising order; all nodes below them are hidden too.
    pub hidden: Vec<NodeId>,
    /// The nodes that the file gives many copies of a mesh that a skin moves, in file order. It is shown once, where its skin says.
    pub instanced_skins: Vec<NodeId>,
    pub lights: Vec<Light>,
    /// The nodes that have a light, in rising order.
    pub light_nodes: Vec<(NodeId, LightId)>,
    pub cameras: Vec<Camera>,
    /// The nodes that have a camera, in rising order.
    pub camera_nodes: Vec<(NodeId, CameraId)>,
    pub meshes: Vec<Mesh>,
    /// The meshes that were added to those of the file, in rising order, each with the mesh of the file whose vertices
    /// it has ([`super::part_meshes`]). They belong to nodes whose skin has another list of joints, or that gained a skin where
    /// others that show the mesh did not ([`Model::with_bindings`]).
    pub parted: Vec<(MeshId, MeshId)>,
    /// The meshes whose morph targets are others than those of the file ([`Model::with_shapes`]), in rising order.
    pub retargeted: Vec<super::Retargeted>,
    /// The meshes drawn at nodes, in node order.
    pub instances: Vec<Instance>,
    pub clips: Vec<Clip>,
    pub materials: Vec<Material>,
    /// The names of the file's variants (`KHR_materials_variants`). At most one of them is shown at a time.
    pub variants: Vec<String>,
    pub textures: Vec<Texture>,
    /// Images in the order of their ids. Pixels check themselves ([`super::Pixels::new`]): they may arrive later.
    pub images: Vec<Image>,
}

/// The error that an invariant of a model does not hold. Import checks files before it builds a model, so that users
/// rarely read it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{location}: {what}")]
pub struct BuildError {
    /// The location of the fault in the model, such as `skin 0, joint 7`.
    pub location: String,
    /// The invariant that does not hold, in words.
    pub what: String,
}

pub(super) fn ensure(holds: bool, location: impl FnOnce() -> String, what: &str) -> Result<(), BuildError> {
    if holds { Ok(()) } else { Err(BuildError { location: location(), what: what.to_owned() }) }
}

impl Model {
    /// Checks `parts` and makes a model of them.
    ///
    /// # Errors
    /// The first invariant that does not hold: an index outside of its list, lists of different lengths, numbers that
    /// are not finite, or key times that do not rise.
    pub fn build(mut parts: ModelParts) -> Result<Self, BuildError> {
        check_skeleton(&parts.skeleton)?;
        check_scenes(&parts)?;
        check_humanoid(&parts)?;
        check_carried(&parts)?;
        check_skins(&parts)?;
        check_links(&parts)?;
        for (m, mesh) in parts.meshes.iter().enumerate() {
            for (p, primitive) in mesh.primitives.iter().enumerate() {
                check_primitive(primitive, mesh, &parts, &|| format!("mesh {m}, primitive {p}"))?;
            }
        }
        check_instances(&parts)?;
        check_parted(&parts)?;
        for (c, clip) in parts.clips.iter().enumerate() {
            check_clip(clip, &parts, c)?;
        }
        check_materials(&parts)?;
        super::far_tracks::mark(&mut parts);
        parts.clips.iter_mut().for_each(|clip| Tracks::lay_out(clip, &parts.instances));
        let mut is_joint = vec![false; parts.skeleton.len()];
        for joint in parts.skins.iter().flat_map(|s| &s.joints) {
            is_joint[joint.index()] = true;
        }
        let layout = super::layout(&parts);
        let bind = std::sync::Arc::new(super::bind_pose(&parts.skeleton, &parts.skins));
        let skins = parts.skins.as_slice().into();
        Ok(Self::of_shared(std::sync::Arc::new(super::Shared {
            reading: std::sync::Arc::default(),
            bindings: std::sync::Arc::default(),
            parts,
            skins,
            layout,
            bind,
            is_joint,
            normal_groups: std::sync::OnceLock::new(),
            rig: std::sync::OnceLock::new(),
        })))
    }
}

fn check_skeleton(s: &Skeleton) -> Result<(), BuildError> {
    let n = s.parents.len();
    let same = s.names.len() == n && s.file_index.len() == n && s.rest.transforms.len() == n;
    ensure(same && n <= u32::MAX as usize, || "skeleton".into(), "its lists differ in length")?;
    let mut path: Vec<NodeId> = Vec::new();
    for (i, parent) in s.parents.iter().enumerate() {
        let location = || format!("node {i}");
        match parent {
            None => path.clear(),
            Some(parent) => {
                while path.last().is_some_and(|top| top != parent) {
                    path.pop();
                }
                ensure(!path.is_empty(), location, "its parent does not come before it, depth first")?;
            }
        }
        path.push(NodeId::from_index(i));
        ensure(
            super::is_valid_transform(s.rest.transforms[i]),
            location,
            "its rest transform is not finite with a unit rotation",
        )?;
    }
    let sorted = s.residuals.windows(2).all(|w| w[0].0 < w[1].0);
    let inside = s.residuals.iter().all(|(id, m)| id.index() < n && m.is_finite());
    ensure(sorted && inside, || "skeleton".into(), "residuals are not sorted, inside and finite")
}

fn check_scenes(parts: &ModelParts) -> Result<(), BuildError> {
    let n = parts.skeleton.len();
    ensure(n == 0 || parts.default_scene < parts.scenes.len(), || "scenes".into(), "there is no default scene")?;
    for (i, Scene { roots, contains, .. }) in parts.scenes.iter().enumerate() {
        let fits = contains.len() == n && roots.iter().all(|r| r.index() < n);
        ensure(fits, || format!("scene {i}"), "it refers to nodes that are not there")?;
    }
    Ok(())
}

fn check_humanoid(parts: &ModelParts) -> Result<(), BuildError> {
    let names = &parts.humanoid;
    let sorted = names.windows(2).all(|w| w[0].0 < w[1].0);
    let inside = names.iter().all(|(node, name)| node.index() < parts.skeleton.len() && !name.is_empty());
    ensure(sorted && inside, || "humanoid names".into(), "they are not sorted, inside and named")?;
    let sorted = parts.expression_nodes.windows(2).all(|w| w[0].0 < w[1].0);
    let nodes = parts.expression_nodes.iter().map(|(node, _)| *node);
    let bound = parts.expressions.iter().flat_map(|expression| &expression.binds);
    let inside = nodes.chain(bound.map(|bind| bind.node)).all(|node| node.index() < parts.skeleton.len());
    ensure(sorted && inside, || "expressions".into(), "their nodes are not sorted and inside")?;
    let sorted = parts.limits.windows(2).all(|w| w[0].0 < w[1].0);
    let fits = |(node, limits): &(NodeId, Limits)| {
        node.index() < parts.skeleton.len() && Limits::between(limits.least, limits.most) == Some(*limits)
    };
    ensure(sorted && parts.limits.iter().all(fits), || "limits".into(), "they are not sorted, inside and in order")
}

/// Checks lights, cameras, and which nodes are hidden.
fn check_carried(parts: &ModelParts) -> Result<(), BuildError> {
    for (i, light) in parts.lights.iter().enumerate() {
        ensure(light.is_valid(), || format!("light {i}"), "its numbers are out of range")?;
    }
    for (i, camera) in parts.cameras.iter().enumerate() {
        ensure(camera.lens.is_valid(), || format!("camera {i}"), "its numbers make no projection")?;
    }
    let rising = |nodes: Vec<NodeId>| {
        nodes.windows(2).all(|w| w[0] < w[1]) && nodes.last().is_none_or(|n| n.index() < parts.skeleton.len())
    };
    let lights = parts.light_nodes.iter().all(|(_, l)| l.index() < parts.lights.len());
    let lit = rising(parts.light_nodes.iter().map(|(n, _)| *n).collect());
    ensure(lights && lit, || "nodes with lights".into(), "they are not rising, or not there")?;
    let cameras = parts.camera_nodes.iter().all(|(_, c)| c.index() < parts.cameras.len());
    let seen = rising(parts.camera_nodes.iter().map(|(n, _)| *n).collect());
    ensure(cameras && seen, || "nodes with cameras".into(), "they are not rising, or not there")?;
    ensure(rising(parts.hidden.clone()), || "hidden nodes".into(), "they are not rising, or not there")
}

fn check_skins(parts: &ModelParts) -> Result<(), BuildError> {
    for (i, Skin { joints, inverse_bind, not_finite, root, .. }) in parts.skins.iter().enumerate() {
        let location = || format!("skin {i}");
        ensure(!joints.is_empty(), location, "it has no joints")?;
        ensure(joints.len() == inverse_bind.len(), location, "joints and inverse bind matrices differ in number")?;
        let inside = joints.iter().chain(root).all(|j| j.index() < parts.skeleton.len());
        ensure(inside, location, "it refers to a node that is not there")?;
        ensure(inverse_bind.iter().all(Affine3A::is_finite), location, "an inverse bind matrix is not finite")?;
        let rising = not_finite.is_sorted_by(|a, b| a < b) && not_finite.last().is_none_or(|j| *j < joints.len());
        ensure(rising, location, "what stood for matrices that are not finite does not rise, or is not there")?;
    }
    Ok(())
}

/// Returns one more than the largest joint number that the mesh's vertices use.
fn joints_needed(mesh: &Mesh) -> usize {
    let influences = mesh.primitives.iter().filter_map(|p| p.as_stored().influences);
    influences.map(|i| i.joints_needed()).max().unwrap_or(0)
}

fn check_instances(parts: &ModelParts) -> Result<(), BuildError> {
    // Each mesh is checked once, however many instances show it.
    let joints_needed: Vec<usize> = parts.meshes.iter().map(joints_needed).collect();
    let mut morph_offset = 0;
    for (i, instance) in parts.instances.iter().enumerate() {
        let location = || format!("instance {i}");
        let inside = instance.node.index() < parts.skeleton.len()
            && instance.mesh.index() < parts.meshes.len()
            && instance.skin.is_none_or(|s| s.index() < parts.skins.len());
        ensure(inside, location, "it refers to something that is not there")?;
        let ordered = i == 0 || parts.instances[i - 1].node <= instance.node;
        ensure(ordered, location, "instances are not in node order")?;
        let mesh = &parts.meshes[instance.mesh.index()];
        ensure(
            instance.morph_weights.len() == mesh.morph_names.len(),
            location,
            "its morph weights do not fit its mesh",
        )?;
        ensure(instance.morph_offset == morph_offset, location, "its morph offset is wrong")?;
        let rest = parts.skeleton.rest.morph_weights.get(morph_offset..morph_offset + instance.morph_weights.len());
        ensure(is_finite(&instance.morph_weights), location, "its morph weights are not finite")?;
        let copies =
            instance.copies.iter().all(Affine3A::is_finite) && (instance.copies.is_empty() || instance.skin.is_none());
        ensure(copies, location, "its copies are not finite, or a skin moves them")?;
        ensure(rest == Some(&instance.morph_weights[..]), location, "the rest pose has other morph weights")?;
        morph_offset += instance.morph_weights.len();
        if let Some(skin) = instance.skin {
            let fits = parts.skins[skin.index()].joints.len() >= joints_needed[instance.mesh.index()];
            ensure(fits, || format!("mesh {}", instance.mesh.0), "a joint index lies beyond its skin")?;
        }
    }
    ensure(morph_offset == parts.skeleton.rest.morph_weights.len(), || "rest pose".into(), "it has stray morph weights")
}

fn check_parted(parts: &ModelParts) -> Result<(), BuildError> {
    let rising = parts.parted.windows(2).all(|w| w[0].0 < w[1].0);
    let count = |mesh: MeshId| parts.meshes.get(mesh.index()).map(|mesh| mesh.primitives.len());
    let fits = |(own, file): &(MeshId, MeshId)| {
        file < own && count(*own).is_some() && count(*own) == count(*file) && parts.file_mesh(*file) == *file
    };
    ensure(rising && parts.parted.iter().all(fits), || "parted meshes".into(), "they are not rising, or not there")
}

fn check_property(parts: &ModelParts, property: Property) -> bool {
    match property {
        Property::Visible(node) => node.index() < parts.skeleton.len(),
        Property::Material(id, property) => {
            parts.materials.get(id.index()).is_some_and(|m| m.clone().set(property, glam::Vec4::ZERO))
        }
        Property::Light(id, _) => id.index() < parts.lights.len(),
        Property::Camera(id, _) => id.index() < parts.cameras.len(),
    }
}

fn check_clip(clip: &Clip, parts: &ModelParts, index: usize) -> Result<(), BuildError> {
    for (t, times) in clip.times.iter().enumerate() {
        let rising = times.windows(2).all(|w| w[0] < w[1]) && times.iter().all(|t| t.is_finite());
        ensure(rising && !times.is_empty(), || format!("clip {index}, times {t}"), "key times do not rise strictly")?;
    }
    for (s, sampler) in clip.samplers.iter().enumerate() {
        let location = || format!("clip {index}, sampler {s}");
        ensure(sampler.times < clip.times.len(), location, "its key times are not there")?;
        let per_key = if sampler.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let finite = match &sampler.values {
            Values::Vec3(v) => v.is_finite(),
            Values::Quat(v) => v.is_finite(),
            Values::Weights { values, .. } => is_finite(values),
        };
        ensure(finite, location, "it holds numbers that are not finite")?;
        let want = clip.times[sampler.times].len() * per_key;
        let have = match &sampler.values {
            Values::Vec3(v) => v.len(),
            Values::Quat(v) => v.len(),
            Values::Weights { count, values } if *count > 0 && values.len() % count == 0 => values.len() / count,
            Values::Weights { .. } => usize::MAX,
        };
        ensure(have == want, location, "keys and values differ in number")?;
    }
    for (c, PropertyChannel { property, sampler }) in clip.properties.iter().enumerate() {
        let fits = match clip.samplers.get(*sampler).map(|s| &s.values) {
            Some(Values::Weights { count, .. }) => *count == property.components(),
            _ => false,
        };
        let location = || format!("clip {index}, property {c}");
        ensure(fits && check_property(parts, *property), location, "it is not there, or its values do not fit it")?;
    }
    for (c, channel) in clip.channels.iter().enumerate() {
        let location = || format!("clip {index}, channel {c}");
        ensure(channel.node.index() < parts.skeleton.len(), location, "its node is not there")?;
        let Some(sampler) = clip.samplers.get(channel.sampler) else {
            return ensure(false, location, "its sampler is not there");
        };
        // Instances are in node order (checked before).
        let shown = parts.instances.partition_point(|i| i.node < channel.node);
        let shown = parts.instances.get(shown).filter(|i| i.node == channel.node);
        let morphs = shown.map_or(0, |i| i.morph_weights.len());
        let fits = match (&sampler.values, channel.path) {
            (Values::Vec3(_), Path::Translation | Path::Scale) | (Values::Quat(_), Path::Rotation) => true,
            (Values::Weights { count, .. }, Path::Weights) => *count == morphs,
            _ => false,
        };
        ensure(fits, location, "its values do not fit what it moves")?;
    }
    Ok(())
}

/// Returns all floats of a material except those of its textures' transforms.
fn material_numbers(m: &Material) -> Vec<f32> {
    let mut out = vec![m.metallic, m.roughness, m.normal_scale, m.occlusion_strength, m.emissive_strength, m.ior];
    out.extend(m.base_color.to_array());
    out.extend(m.emissive.to_array());
    if let AlphaMode::Mask { cutoff } = m.alpha {
        out.push(cutoff);
    }
    if let Some(s) = m.specular {
        out.push(s.factor);
        out.extend(s.color.to_array());
    }
    if let Some(c) = m.clearcoat {
        out.extend([c.factor, c.roughness, c.normal_scale]);
    }
    if let Some(s) = m.sheen {
        out.push(s.roughness);
        out.extend(s.color.to_array());
    }
    out.extend(m.transmission.map(|t| t.factor));
    out.extend(m.dispersion);
    if let Some(v) = m.volume {
        out.push(v.thickness);
        out.extend(v.attenuation_distance);
        out.extend(v.attenuation_color.to_array());
    }
    if let Some(i) = m.iridescence {
        out.extend([i.factor, i.ior, i.thickness[0], i.thickness[1]]);
    }
    out.extend(m.anisotropy.into_iter().flat_map(|a| [a.strength, a.rotation]));
    if let Some(s) = m.specular_glossiness {
        out.push(s.glossiness);
        out.extend(s.specular.to_array());
        out.extend(s.diffuse.to_array());
    }
    out
}

fn check_materials(parts: &ModelParts) -> Result<(), BuildError> {
    let inside = |s: TextureSlot| s.texture.index() < parts.textures.len() && s.uv_set < 2;
    let finite = |s: TextureSlot| s.transform.is_none_or(|t| t.matrix().is_finite());
    for (i, m) in parts.materials.iter().enumerate() {
        let location = || format!("material {i}");
        let textures = m.all_textures();
        let are_inside = textures.iter().all(|(.., s)| inside(*s));
        ensure(are_inside, location, "it refers to a texture that is not there")?;
        let transforms = textures.iter().all(|(.., s)| finite(*s));
        ensure(transforms && is_finite(&material_numbers(m)), location, "it holds numbers that are not finite")?;
    }
    for (i, t) in parts.textures.iter().enumerate() {
        let inside = t.image.is_none_or(|image| image.index() < parts.images.len());
        ensure(inside, || format!("texture {i}"), "its image is not there")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shapes::{Tube, tube};
    use crate::{NotFinite, OutOfRange};

    /// Builds a tube after `change`, and gives back the error message.
    fn built(change: impl Fn(&mut ModelParts)) -> Result<(), String> {
        let mut parts = (*tube(Tube::default())).clone();
        change(&mut parts);
        Model::build(parts).map(|_| ()).map_err(|e| e.to_string())
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused_wherever_they_stand() {
        assert_eq!(built(|_| {}), Ok(()));
        let said = Err("mesh 0, primitive 0: it holds numbers that are not finite".to_owned());
        assert_eq!(built(|p| p.meshes[0].primitives[0].positions[7].z = f32::NAN), said);
        assert_eq!(built(|p| p.meshes[0].primitives[0].normals[0].x = f32::INFINITY), said);
        let weights =
            |p: &mut ModelParts, w| p.meshes[0].primitives[0].stored_influences.as_mut().map(|i| i.weights[3] = w);
        assert_eq!(built(|p| _ = weights(p, f32::NEG_INFINITY)), said);
        let clip = built(|p| p.clips[0].samplers[0].values = Values::Quat(vec![glam::Quat::NAN; 3].into()));
        assert_eq!(clip, Err("clip 0, sampler 0: it holds numbers that are not finite".to_owned()));
    }

    #[test]
    fn materials_that_are_not_there_or_not_finite_are_refused_in_every_part() {
        use crate::{Clearcoat, Material, MaterialId, Sheen, TextureSlot, UvTransform};
        let with = |material: Material| built(|p| p.materials = vec![material.clone()]);
        assert_eq!(with(Material::default()), Ok(()));
        let numbers = Err("material 0: it holds numbers that are not finite".to_owned());
        assert_eq!(with(Material { ior: f32::NAN, ..Material::default() }), numbers);
        let sheen = Sheen { roughness: f32::INFINITY, ..Sheen::default() };
        assert_eq!(with(Material { sheen: Some(sheen), ..Material::default() }), numbers);
        let textured = |transform| {
            let normal_texture = Some(TextureSlot { transform, ..TextureSlot::default() });
            let clearcoat = Some(Clearcoat { normal_texture, ..Clearcoat::default() });
            built(|p| {
                p.materials = vec![Material { clearcoat, ..Material::default() }];
                p.textures = transform.map(|_| Texture::default()).into_iter().collect();
            })
        };
        assert_eq!(textured(None), Err("material 0: it refers to a texture that is not there".to_owned()));
        assert_eq!(textured(Some(UvTransform::default())), Ok(()));
        assert_eq!(textured(Some(UvTransform { rotation: f32::NAN, ..UvTransform::default() })), numbers);
        let variants = |list: &[(usize, u32)], names: usize| {
            built(|p| {
                p.materials = vec![Material::default()];
                p.variants = vec!["one".into(); names];
                p.meshes[0].primitives[0].variants = list.iter().map(|(v, m)| (*v, MaterialId(*m))).collect();
            })
        };
        let unordered = Err("mesh 0, primitive 0: its variants do not rise, or are not there".to_owned());
        assert_eq!(variants(&[(0, 0), (1, 0)], 2), Ok(()));
        assert_eq!(variants(&[(1, 0), (0, 0)], 2), unordered);
        assert_eq!(variants(&[(2, 0)], 2), unordered);
        assert_eq!(variants(&[(0, 1)], 2), Err("mesh 0, primitive 0: its material is not there".to_owned()));
    }

    #[test]
    fn what_import_kept_must_fit_what_it_was_kept_of() {
        let of_skin = |list: &[usize]| built(|p| p.skins[0].not_finite = list.to_vec());
        let said = Err("skin 0: what stood for matrices that are not finite does not rise, or is not there".to_owned());
        assert_eq!((of_skin(&[0, 1]), of_skin(&[1, 1]), of_skin(&[2])), (Ok(()), said.clone(), said));
        let weights = |vertex, slot, value: f32, weight: f32| {
            built(|p| {
                let influences = p.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
                influences.weights[0] = weight;
                influences.not_finite = vec![NotFinite { vertex, slot, value }];
            })
        };
        let said = Err("mesh 0, primitive 0: its weights that are not finite are not as kept".to_owned());
        assert_eq!(weights(0, 0, f32::NAN, 0.0), Ok(()));
        assert_eq!(weights(0, 0, f32::NAN, 0.5), said);
        assert_eq!(weights(0, 0, 1.0, 0.0), said);
        assert_eq!(weights(0, 4, f32::NAN, 0.0), said);
        assert_eq!(weights(1_000_000, 0, f32::NAN, 0.0), said);
        let joints = |vertex, slot| {
            built(|p| {
                let influences = p.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
                influences.weights[3] = 0.0;
                influences.joints[3] = 0;
                influences.out_of_range = vec![OutOfRange { vertex, slot, joint: 9 }];
            })
        };
        let said = Err("mesh 0, primitive 0: its joints beyond the skin are not as kept".to_owned());
        assert_eq!((joints(0, 3), joints(0, 0), joints(0, 4)), (Ok(()), said.clone(), said));
        let formats = built(|p| {
            p.meshes[0].primitives[0].stored_influences.as_mut().unwrap().formats = vec![Default::default(); 2];
        });
        assert_eq!(formats, Err("mesh 0, primitive 0: formats and sets of weights differ in number".to_owned()));
    }

    #[test]
    fn joints_beyond_the_skin_are_refused() {
        let error = built(|p| p.meshes[0].primitives[0].stored_influences.iter_mut().for_each(|i| i.joints[0] = 2));
        assert_eq!(error, Err("mesh 0: a joint index lies beyond its skin".to_owned()));
    }
}

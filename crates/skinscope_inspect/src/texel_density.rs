//! How many texels of its texture lie on a metre of the surface.

use glam::{Affine3A, Vec2, Vec3};
use skinscope_anim::local_to_model;
use skinscope_deform::palettes;
use skinscope_model::{InfluencesRef, InstanceId, MaterialId, Model, Primitive, Topology};

/// How many texels of the base colour's texture lie on a metre of the surface at rest, along its edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TexelDensity {
    /// Half of the textured surface, by its area, has fewer.
    pub median: f32,
    /// A twentieth of that surface has fewer than the first, and a twentieth more than the second.
    pub range: [f32; 2],
}

impl TexelDensity {
    /// Measures a model in its rest pose, each vertex moved by its heaviest joint. `None` where no triangle with an area has
    /// a texture whose pixels are there.
    #[must_use]
    pub fn of(model: &Model) -> Option<Self> {
        let (mut pose, mut matrices) = (Vec::new(), Vec::new());
        local_to_model(&model.skeleton, &model.skeleton.rest, &mut pose);
        palettes(model, &pose, &mut matrices);
        // A density, and the area that has it.
        let mut parts: Vec<(f32, f32)> = Vec::new();
        let instances = model.instances.iter().enumerate().map(|(i, instance)| (InstanceId::from_index(i), instance));
        for (id, instance) in instances {
            let mesh = &model.meshes[instance.mesh.index()];
            for (n, primitive) in mesh.vertex_lists() {
                let (first, influences) = model.binding(id, n);
                let of_instance = matrices.get(first as usize..).unwrap_or_default();
                for part in mesh.parts(n) {
                    let drawn = (primitive, &primitive.indices[part.indices], mesh.primitives[part.primitive].material);
                    parts.extend(densities(model, drawn, of_instance, influences));
                }
            }
        }
        parts.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let whole: f64 = parts.iter().map(|(_, area)| f64::from(*area)).sum();
        let at = |share: f64| {
            let mut below = 0.0;
            let found = parts.iter().find(|(_, area)| {
                below += f64::from(*area);
                below >= share * whole
            });
            found.or(parts.last()).map(|(density, _)| *density)
        };
        Some(Self { median: at(0.5)?, range: [at(0.05)?, at(0.95)?] })
    }
}

/// The densities of some triangles of a primitive that have one material, each with its area.
fn densities(
    model: &Model,
    (primitive, indices, material): (&Primitive, &[u32], Option<MaterialId>),
    matrices: &[Affine3A],
    influences: Option<InfluencesRef<'_>>,
) -> Vec<(f32, f32)> {
    let texture = || {
        let slot = model.materials.get(material?.index())?.coloring().1?;
        let image = model.textures.get(slot.texture.index())?.image?;
        let pixels = model.images[image.index()].pixels()?;
        Some((slot, Vec2::new(pixels.width() as f32, pixels.height() as f32)))
    };
    let Some((slot, size)) = texture().filter(|_| primitive.topology == Topology::Triangles) else { return Vec::new() };
    let Some(uvs) = primitive.uvs.get(slot.uv_set).filter(|uvs| !uvs.is_empty()) else { return Vec::new() };
    let transform = slot.transform.unwrap_or_default().matrix();
    let position = |vertex: u32| -> Option<Vec3> {
        let heaviest = influences.map_or(0, |influences| {
            let (joints, weights) = influences.of(vertex as usize);
            let by_weight = joints.iter().zip(weights).max_by(|a, b| a.1.total_cmp(b.1));
            by_weight.map_or(0, |(joint, _)| usize::from(*joint))
        });
        Some(matrices.get(heaviest)?.transform_point3(primitive.positions[vertex as usize]))
    };
    let texel = |vertex: u32| transform.transform_point2(uvs[vertex as usize]) * size;
    let density = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(&position);
        let area = 0.5 * (b? - a?).cross(c? - a?).length();
        let [u, v, w] = triangle.map(&texel);
        let texels = 0.5 * (v - u).perp_dot(w - u).abs();
        (area > 0.0 && texels.is_finite() && area.is_finite()).then(|| ((texels / area).sqrt(), area))
    };
    indices.as_chunks::<3>().0.iter().filter_map(density).collect()
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{
        Image, ImageId, Material, MaterialId, ModelParts, Pixels, Texture, TextureId, TextureSampler, TextureSlot,
    };

    use super::*;

    /// A tube whose texture, of 64 × 64 texels, has its v along two metres, and its u once around.
    fn textured(scale: f32) -> Model {
        let mut parts = ModelParts::clone(&tube(Tube { joints: 3, sides: 64, ..Tube::default() }));
        let pixels = Pixels::rgba8(64, 64, vec![255; 64 * 64 * 4]).unwrap();
        parts.images = vec![Image::ready(String::new(), pixels)];
        parts.textures = vec![Texture { image: Some(ImageId::from_index(0)), sampler: TextureSampler::default() }];
        let slot = TextureSlot { texture: TextureId::from_index(0), uv_set: 0, transform: None };
        parts.materials = vec![Material { base_color_texture: Some(slot), ..Material::default() }];
        let primitive = &mut parts.meshes[0].primitives[0];
        primitive.material = Some(MaterialId(0));
        // Both coordinates are metres, so that every triangle not seen edge on in X and Y has 64 texels a metre at most.
        primitive.uvs[0] = primitive.positions.iter().map(|p| Vec2::new(p.x, p.y)).collect();
        let rest = &mut parts.skeleton.rest.transforms[0];
        rest.scale = Vec3::splat(scale);
        Model::build(parts).unwrap()
    }

    #[test]
    fn texels_are_counted_on_a_metre_of_the_world() {
        let whole = TexelDensity::of(&textured(1.0)).unwrap();
        assert!(whole.median < 64.0 && whole.range[1] <= 64.01 && whole.range[0] < whole.median, "{whole:?}");
        // Cosines of even angles have a median of cos 45°, of which the density is the root.
        assert!((whole.median - 64.0 * 0.707_f32.sqrt()).abs() < 6.0, "{whole:?}");
        let half = TexelDensity::of(&textured(2.0)).unwrap();
        assert!((half.median - 0.5 * whole.median).abs() < 0.01, "{half:?} {whole:?}");
        assert_eq!(TexelDensity::of(&tube(Tube::default())), None);
    }
}

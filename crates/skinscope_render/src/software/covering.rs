//! Finds the part of large meshes that one picture needs, where the processor draws it. Its driver takes every triangle
//! through all stages and stores it in memory before it finds that no sample of a pixel lies in it, or that another one
//! is nearer. With a million triangles on fifty thousand pixels, that is so for most of them. Here the vertices are
//! deformed once more on all cores (some nanoseconds each), and triangles that face away, lie outside the picture,
//! cover no sample or lie behind others are left out, with the vertices that only they use: those are not even packed
//! and uploaded. Such a copy on the device is good for one picture only.
//!
//! The picture stays the same, pixel for pixel. A triangle is left out only if that is so even when corners lie some
//! hundredths of a pixel from where they were found, and those that remain are in their stored order.

mod coverage;
mod occlusion;
mod screen;

use std::collections::{BTreeMap, HashMap};

use glam::Vec4;
use skinscope_base::parallel;
use skinscope_deform::packed::{VertexLayout, layout_of};
use skinscope_deform::{Deformer, pack};
use skinscope_frame::Frame;
use skinscope_model::{
    AlphaMode, Influences, Instance, InstanceId, Material, Model, Part, Primitive, PrimitiveRef, Topology,
};

use self::coverage::CoverageTest;
use self::occlusion::{NearestDepths, Occluder, Triangles};
pub(in super::super) use self::screen::View;
use self::screen::{CHUNK, ScreenPositions};
use super::super::items::common_side;
use super::super::layouts::PrimitiveKey;
use super::super::primitive::meeting;
use super::super::scene::PrimitivePart;

/// Fewer triangles than this are drawn faster than tested.
const MANY: usize = 1 << 16;

/// The parts of primitives that `frame` shows, where they have many triangles together. Primitives that are not in the
/// list are drawn whole.
pub(in super::super) fn parts(frame: &Frame, view: View) -> HashMap<PrimitiveKey, PrimitivePart> {
    let Some(model) = frame.model.as_ref().filter(|_| is_plain(frame)) else { return HashMap::new() };
    let sources = candidates(frame, model);
    if sources.iter().map(|(key, _)| triangle_count(model, *key)).sum::<usize>() <= MANY {
        return HashMap::new();
    }
    let mut surfaces: Vec<_> =
        sources.into_iter().filter_map(|source| Surface::of(frame, model, view, source)).collect();
    // Of a translucent skin only the nearest layer is drawn.
    let occluders: Vec<_> = surfaces.iter().filter_map(Surface::occluder).collect();
    if let Some(depths) = NearestDepths::of(view, &occluders) {
        surfaces.iter_mut().for_each(|surface| surface.leave_out_hidden(&depths));
    }
    surfaces.into_iter().filter_map(Surface::part).collect()
}

/// Whether the picture shows surfaces and nothing else. Overlays, edges and dots also show what belongs to hidden
/// triangles.
fn is_plain(frame: &Frame) -> bool {
    let display = &frame.display;
    let is_shaded = frame.overlay().is_none()
        && frame.look().is_none()
        && display.mesh
        && !display.wireframe
        && display.dots.is_none();
    // Vertices that are deformed before drawing are deformed only once, for all bands of the picture, so leaving some
    // out gains nothing.
    let ahead = matches!(frame.deformer, Deformer::Compute | Deformer::Processor);
    is_shaded && !ahead && frame.compared.is_none() && frame.members <= 1 && frame.marked.is_empty()
}

/// The primitives that can be shown in part, and the instance that shows each.
fn candidates(frame: &Frame, model: &Model) -> Vec<(PrimitiveKey, InstanceId)> {
    let mut drawn: BTreeMap<usize, Vec<InstanceId>> = BTreeMap::new();
    for id in &frame.draws {
        drawn.entry(model.instances[id.index()].mesh.index()).or_default().push(*id);
    }
    let mut out = Vec::new();
    for (mesh, ids) in drawn {
        // Several instances would each show another part.
        let [id] = ids[..] else { continue };
        if model.instances[id.index()].copy_count() <= 1 {
            let primitives = model.meshes[mesh].vertex_lists().map(|(n, _)| (mesh, n));
            out.extend(primitives.filter(|key| can_be_parted(model, frame, *key)).map(|key| (key, id)));
        }
    }
    out
}

fn triangle_count(model: &Model, (mesh, n): PrimitiveKey) -> usize {
    model.meshes[mesh].primitives[n].indices.len() / 3
}

/// Whether nothing is seen through the primitive, and its triangles are known before it is drawn.
fn can_be_parted(model: &Model, frame: &Frame, (mesh, n): PrimitiveKey) -> bool {
    let mesh = &model.meshes[mesh];
    let materials = || {
        let of = |part: Part| mesh.primitives[part.primitive].material_in(frame.variant);
        mesh.parts(n).map(move |part| of(part).map(|m| &model.materials[m.index()]))
    };
    let p = &mesh.primitives[n];
    let is_solid = materials().flatten().all(|m| m.alpha != AlphaMode::Blend && m.transmission.is_none());
    // What is left out of all parts is decided at once, by what they have alike.
    let traits = |m: Option<&Material>| m.map_or((false, true), hiding);
    let mut all = materials().map(traits);
    let first = all.next();
    is_solid && all.all(|other| Some(other) == first) && p.topology == Topology::Triangles && p.morphs.is_empty()
}

/// Whether both sides of a material are drawn, and whether it has no holes.
fn hiding(material: &Material) -> (bool, bool) {
    (material.double_sided, material.alpha == AlphaMode::Opaque)
}

/// A primitive in the picture, and the triangles of it that are drawn.
struct Surface<'a> {
    key: PrimitiveKey,
    p: PrimitiveRef<'a>,
    layout: VertexLayout,
    positions: ScreenPositions,
    /// Whether all of it has kept its winding (true) or reversed it (false); `None` where that is not certain.
    side: Option<bool>,
    is_double_sided: bool,
    /// Whether its material has no holes.
    is_opaque: bool,
    visible: Vec<[u32; 3]>,
}

impl<'a> Surface<'a> {
    /// The triangles that face the camera and cover a sample. `None` where the camera is too near to tell.
    fn of(frame: &Frame, model: &'a Model, view: View, (key, id): (PrimitiveKey, InstanceId)) -> Option<Self> {
        let Instance { mesh, skin, .. } = &model.instances[id.index()];
        let p = model.primitive(*mesh, key.1);
        let (first, influences) = model.binding(id, key.1);
        let joints = skin.filter(|_| influences.is_some()).map_or(1, |skin| model.skins[skin.index()].joints.len());
        let matrices = frame.palettes.get(first as usize..)?.get(..joints)?;
        let layout = layout_of(p);
        let mut palette: Vec<Vec4> = Vec::new();
        pack(frame.method, matrices, &mut palette);
        let positions = ScreenPositions::of(frame, view, p, (&palette, influences.map(|i| (i, layout))))?;
        // Where it has several parts, their materials hide alike.
        let material = p.material_in(frame.variant).map(|m| &model.materials[m.index()]);
        let is_double_sided = material.is_some_and(|m| m.double_sided);
        // Back faces are left out where the painter culls them: where all of the surface is known to have one winding.
        let side = if is_double_sided {
            None
        } else {
            meeting(p).and_then(|pairs| common_side(matrices, influences.is_none(), &pairs, frame.method))
        };
        let look = CoverageTest { view, margin: positions.margin, side };
        let triangles = p.indices.as_chunks::<3>().0;
        let visible = parallel::by_chunk(triangles.len(), CHUNK, &|range| {
            let at = |t: &&[u32; 3]| look.may_show(t.map(|v| positions.points[v as usize].truncate()));
            triangles[range].iter().filter(at).copied().collect::<Vec<_>>()
        });
        let is_opaque = material.is_none_or(|m| m.alpha == AlphaMode::Opaque);
        let visible = visible.concat();
        Some(Self { key, p, layout, positions, side, is_double_sided, is_opaque, visible })
    }

    fn triangles(&self) -> Triangles<'_> {
        let ScreenPositions { points, margin, depth_margin } = &self.positions;
        Triangles { points, triangles: &self.visible, margin: *margin, depth_margin: *depth_margin }
    }

    /// The surface as one that hides others; `None` where it may have holes, or where it is not known which of its faces are drawn.
    fn occluder(&self) -> Option<Occluder<'_>> {
        let is_known = self.is_opaque && (self.is_double_sided || self.side.is_some());
        is_known.then(|| Occluder { triangles: self.triangles(), side: self.side })
    }

    fn leave_out_hidden(&mut self, depths: &NearestDepths) {
        let triangles = self.triangles();
        let visible = parallel::by_chunk(self.visible.len(), CHUNK, &|range| {
            self.visible[range].iter().filter(|t| !depths.hides(&triangles, **t)).copied().collect::<Vec<_>>()
        });
        self.visible = visible.concat();
    }

    /// `None` where little would be left out.
    fn part(self) -> Option<(PrimitiveKey, PrimitivePart)> {
        let is_less = self.visible.len() * 4 < self.p.indices.len() / 3 * 3;
        is_less.then(|| (self.key, PrimitivePart { primitive: gathered(self.p, &self.visible), layout: self.layout }))
    }
}

/// A primitive of some triangles and the vertices that they use, in their stored order.
fn gathered(p: PrimitiveRef<'_>, triangles: &[[u32; 3]]) -> Primitive {
    let mut new_indices = vec![u32::MAX; p.positions.len()];
    triangles.as_flattened().iter().for_each(|v| new_indices[*v as usize] = 0);
    let mut used = Vec::new();
    for (vertex, new_index) in (0..).zip(&mut new_indices).filter(|(_, new_index)| **new_index == 0) {
        *new_index = used.len() as u32;
        used.push(vertex);
    }
    let indices = triangles.as_flattened().iter().map(|v| new_indices[*v as usize]).collect();
    let influences = p.influences.map(|i| {
        let (joints, weights) = i.gathered(&used);
        let (format, formats) = (i.format, i.formats.to_vec());
        Influences { joints, weights, per_vertex: i.per_vertex, format, formats, ..Influences::default() }
    });
    Primitive {
        topology: p.topology,
        source_mode: p.source_mode,
        material: p.material,
        variants: p.variants.clone(),
        indices,
        positions: rows(&p.positions, 1, &used),
        normals: rows(&p.normals, 1, &used),
        tangents: rows(&p.tangents, 1, &used),
        uvs: [0, 1].map(|set: usize| rows(&p.uvs[set], 1, &used)),
        colors: rows(&p.colors, 1, &used),
        stored_influences: influences,
        morphs: Vec::new(),
        stored_vertices: used.len(),
        split_from: Vec::new(),
        shares: None,
        repeats: None,
        parts: parts_of(&p, triangles),
    }
}

/// The parts of a list of some triangles of a primitive, which are in their stored order. Equal triangles are listed all or
/// none, so that each is found in the part that it is in.
fn parts_of(p: &Primitive, triangles: &[[u32; 3]]) -> Vec<Part> {
    let (mut left, mut end) = (triangles, 0);
    let part = |part: &Part| {
        let start = end;
        for triangle in p.indices[part.indices.clone()].as_chunks::<3>().0 {
            if let [first, rest @ ..] = left
                && first == triangle
            {
                (left, end) = (rest, end + 3);
            }
        }
        Part { primitive: part.primitive, indices: start..end }
    };
    p.parts.iter().map(part).collect()
}

/// The rows of some vertices, of a list that has `width` entries for each, or none at all.
fn rows<T: Copy>(list: &[T], width: usize, vertices: &[u32]) -> Vec<T> {
    if list.is_empty() {
        return Vec::new();
    }
    let mut out = Vec::with_capacity(vertices.len() * width);
    vertices.iter().for_each(|v| out.extend_from_slice(&list[*v as usize * width..][..width]));
    out
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn gathered_vertices_stand_in_their_order() {
        let p = Primitive {
            positions: (0..6).map(|i| Vec3::splat(i as f32)).collect(),
            stored_influences: Some(Influences {
                per_vertex: 2,
                joints: (0..12).collect(),
                weights: (0..12).map(|i| i as f32).collect(),
                ..Influences::default()
            }),
            ..Primitive::default()
        };
        let part = gathered(p.as_stored(), &[[5, 1, 2], [2, 1, 4]]);
        assert_eq!(part.indices, [3, 0, 1, 1, 0, 2]);
        assert_eq!(part.positions, [1.0, 2.0, 4.0, 5.0].map(Vec3::splat));
        let influences = part.stored_influences.unwrap();
        assert_eq!((influences.joints, influences.weights[6]), (vec![2, 3, 4, 5, 8, 9, 10, 11], 10.0));
        assert!(part.normals.is_empty() && part.stored_vertices == 4);
    }
}

//! Tests of which vertices of two meshes correspond, of what is said of those that have no counterpart, and of what else they have.

use glam::{Affine3A, Vec2, Vec3};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Influences, Interpolation, MaterialId, Model, ModelParts, MorphTarget, Primitive, Values};

use super::*;

/// A tube, changed.
fn built(change: impl FnOnce(&mut ModelParts)) -> Model {
    let mut parts: ModelParts = (*tube(Tube { joints: 3, ..Tube::default() })).clone();
    // Equal rings could be taken for each other.
    parts.meshes[0].primitives[0].positions.iter_mut().for_each(|p| p.x *= 1.0 + 0.1 * p.y);
    change(&mut parts);
    Model::build(parts).unwrap()
}

fn only(parts: &mut ModelParts) -> &mut Primitive {
    &mut parts.meshes[0].primitives[0]
}

/// Puts the vertices of a primitive into another order: the vertex `v` comes from `from[v]`. Some may come twice, others not at all; triangles
/// with a corner that is gone go too.
fn reorder(primitive: &mut Primitive, from: &[usize]) {
    let old = primitive.clone();
    primitive.positions = from.iter().map(|v| old.positions[*v]).collect();
    primitive.normals = from.iter().filter_map(|v| old.normals.get(*v).copied()).collect();
    for (uvs, old) in primitive.uvs.iter_mut().zip(&old.uvs).filter(|(_, old)| !old.is_empty()) {
        *uvs = from.iter().map(|v| old[*v]).collect();
    }
    primitive.stored_vertices = from.len();
    if let (Some(influences), Some(old)) = (&mut primitive.stored_influences, &old.stored_influences) {
        let rows = || from.iter().map(|v| old.of(*v));
        *influences = Influences {
            joints: rows().flat_map(|(joints, _)| joints.to_vec()).collect(),
            weights: rows().flat_map(|(_, weights)| weights.to_vec()).collect(),
            ..old.clone()
        };
    }
    let to = |v: &u32| from.iter().position(|old| *old == *v as usize).map(|to| to as u32);
    let triangles = old.indices.chunks_exact(3).filter_map(|t| t.iter().map(to).collect::<Option<Vec<u32>>>());
    primitive.indices = triangles.flatten().collect();
}

/// An order in which neighbours are far apart.
fn shuffled(count: usize) -> Vec<usize> {
    let step =
        (7..).find(|step| (2..=*step).all(|d| !count.is_multiple_of(d) || !usize::is_multiple_of(*step, d))).unwrap();
    (0..count).map(|v| (v * step + 5) % count).collect()
}

fn count(model: &Model) -> usize {
    model.meshes[0].primitives[0].stored_vertices
}

#[track_caller]
fn near(metres: f64, wanted: f64) {
    assert!((metres - wanted).abs() <= 1e-4 * wanted.max(0.01), "{metres} m, not {wanted} m");
}

#[test]
fn a_mesh_that_was_moved_as_a_whole_is_compared_vertex_by_vertex_and_each_counts_once() {
    let a = built(|_| ());
    for by in [0.001, 0.3, 25.0] {
        let b = built(|parts| only(parts).positions.iter_mut().for_each(|p| p.x += by));
        let found = compare(&a, &b);
        assert_eq!((found.surface.len(), found.surface[0].count(), found.unmatched()), (1, count(&a), [0, 0]));
        assert_eq!(found.posed.compared, count(&a));
        near(found.posed.metres, f64::from(by));
        assert!(found.weights.is_empty() && found.attributes.is_empty());
    }
}

#[test]
fn weights_and_clips_of_moved_vertices_are_compared() {
    let a = built(|_| ());
    let b = built(|parts| {
        only(parts).positions.iter_mut().for_each(|p| p.x += 0.01);
        let influences = only(parts).stored_influences.as_mut().unwrap();
        let (at, per) = (10 * influences.per_vertex, influences.per_vertex);
        influences.weights[at..at + per].reverse();
        let Values::Quat(keys) = &parts.clips[0].samplers[0].values else { unreachable!() };
        let doubled = (0..keys.len()).map(|key| keys.get(key) * keys.get(key)).collect();
        parts.clips[0].samplers[0].values = Values::Quat(doubled);
    });
    let found = compare(&a, &b);
    assert_eq!(found.weights.iter().map(|part| part.vertices).sum::<usize>(), 1);
    assert!(found.posed.clip.is_some() && found.posed.metres > 0.1, "{:?}", found.posed);
}

#[test]
fn in_another_order_vertices_are_found_by_place_even_where_they_were_moved() {
    let a = built(|_| ());
    let order = shuffled(count(&a));
    let same = built(|parts| reorder(only(parts), &order));
    assert!(compare(&a, &same).is_empty() && compare(&same, &a).is_empty());
    let b = built(|parts| {
        reorder(only(parts), &order);
        only(parts).positions.iter_mut().for_each(|p| p.z += 0.004);
    });
    for found in [compare(&a, &b), compare(&b, &a)] {
        assert_eq!((found.surface[0].moved, found.unmatched(), found.surface[0].shapes), (count(&a), [0, 0], 0));
        assert!(found.weights.is_empty(), "{:?}", found.weights);
        near(found.posed.metres, 0.004);
    }
}

#[test]
fn vertices_without_a_counterpart_are_counted_on_their_side() {
    let a = built(|_| ());
    let kept: Vec<usize> = (0..count(&a)).filter(|v| *v % 50 != 7).collect();
    let lost = count(&a) - kept.len();
    let b = built(|parts| reorder(only(parts), &kept));
    let (found, back) = (compare(&a, &b), compare(&b, &a));
    assert!(lost > 1);
    assert_eq!((found.unmatched(), back.unmatched()), ([lost, 0], [0, lost]));
    assert_eq!((found.surface[0].count(), found.posed.compared), (lost, kept.len()));
    assert!(!found.is_empty() && !back.is_empty());
    // Nothing has a counterpart where all of another mesh, in other units, lies elsewhere.
    let c = built(|parts| {
        reorder(only(parts), &kept);
        only(parts).positions.iter_mut().for_each(|p| *p = *p * 30.0 + 100.0);
    });
    let found = compare(&a, &c);
    assert_eq!((found.unmatched(), found.posed.compared), ([count(&a), kept.len()], 0));
}

/// The positions as integers of 16 bits, which the inverse bind matrices put right.
fn quantise(parts: &mut ModelParts) -> f32 {
    let positions = only(parts).positions.clone();
    let least = positions.iter().copied().reduce(Vec3::min).unwrap();
    let size = (positions.iter().copied().reduce(Vec3::max).unwrap() - least).max_element();
    let step = size / 65_535.0;
    only(parts).positions.iter_mut().for_each(|p| *p = ((*p - least) / step).round());
    let whole = Affine3A::from_scale_rotation_translation(Vec3::splat(step), glam::Quat::IDENTITY, least);
    parts.skins[0].inverse_bind.iter_mut().for_each(|bind| *bind *= whole);
    step
}

#[test]
fn a_copy_in_quantised_space_differs_by_what_rounding_took_in_either_order() {
    let a = built(|_| ());
    let order = shuffled(count(&a));
    for is_shuffled in [false, true] {
        let mut step = 0.0;
        let b = built(|parts| {
            if is_shuffled {
                reorder(only(parts), &order);
            }
            step = quantise(parts);
        });
        for found in [compare(&a, &b), compare(&b, &a)] {
            assert_eq!((found.unmatched(), found.posed.compared), ([0, 0], count(&a)));
            let metres = found.posed.metres;
            assert!(metres <= f64::from(step) * 1.1 && metres >= f64::from(step) * 0.1, "{metres} m, {step} m");
            assert!(found.weights.is_empty() && found.attributes.is_empty(), "{:?}", found.attributes);
            assert_eq!(found.surface.iter().map(|part| part.shapes).sum::<usize>(), 0);
        }
    }
}

#[test]
fn of_vertices_at_one_place_texture_coordinates_and_neighbours_tell_which_is_which() {
    // Two triangles that touch in two corners, and texture coordinates that tell nothing.
    let touching = |order: [usize; 6], uvs: bool| {
        built(|parts| {
            let primitive = only(parts);
            let influences = primitive.stored_influences.as_mut().unwrap();
            let corners = [Vec3::X, Vec3::Y, Vec3::new(2.0, 2.0, 0.0), Vec3::X, Vec3::ZERO, Vec3::Y];
            primitive.positions = corners.to_vec();
            (primitive.normals, primitive.stored_vertices) = (Vec::new(), 6);
            primitive.uvs[0] = if uvs { (0..6).map(|v| Vec2::new(v as f32, 0.5)).collect() } else { Vec::new() };
            primitive.indices = (0..6).collect();
            influences.joints.truncate(6 * influences.per_vertex);
            influences.weights = vec![0.0; 6 * influences.per_vertex];
            for v in 0..6 {
                // The first triangle is moved by one joint, the other one by another.
                influences.joints[v * influences.per_vertex] = (v / 3) as u16;
                influences.weights[v * influences.per_vertex] = 1.0;
            }
            reorder(only(parts), &order);
        })
    };
    let a = touching([0, 1, 2, 3, 4, 5], false);
    // Its triangles are those of another surface by order: corners of both are exchanged.
    assert!(compare(&a, &touching([3, 5, 4, 2, 1, 0], false)).is_empty());
    let a = touching([0, 1, 2, 3, 4, 5], true);
    assert!(compare(&a, &touching([5, 0, 4, 1, 2, 3], true)).is_empty());
}

#[test]
fn copies_at_a_cut_go_to_the_vertex_that_fits_and_not_to_one_that_is_left_over() {
    // Four triangles around the middle, the first two with one texture and joint, the others with others. Where a file has cut them between
    // two that are alike, there are two vertices for one of the other file.
    let fan = |middles: [u32; 4], kinds: [u16; 3], uvs: bool| {
        built(|parts| {
            let primitive = only(parts);
            let influences = primitive.stored_influences.as_mut().unwrap();
            let outer = (0..5).map(|i| Vec3::new(1.0 + 0.3 * i as f32, i as f32, 0.0));
            primitive.positions = [Vec3::ZERO; 3].into_iter().chain(outer).collect();
            (primitive.normals, primitive.stored_vertices) = (Vec::new(), 8);
            let kind = |v: usize| kinds.get(v).copied().unwrap_or(0);
            primitive.uvs[0] = (0..if uvs { 8 } else { 0 }).map(|v| Vec2::new(f32::from(kind(v)), 0.5)).collect();
            primitive.indices = (0..4).flat_map(|i| [middles[i as usize], 3 + i, 4 + i]).collect();
            influences.joints.truncate(8 * influences.per_vertex);
            influences.weights = vec![0.0; 8 * influences.per_vertex];
            for v in 0..8 {
                influences.joints[v * influences.per_vertex] = kind(v);
                influences.weights[v * influences.per_vertex] = 1.0;
            }
        })
    };
    for uvs in [true, false] {
        let (a, b) = (fan([0, 1, 2, 2], [0, 0, 1], uvs), fan([0, 0, 1, 2], [0, 1, 1], uvs));
        for found in [compare(&a, &b), compare(&b, &a)] {
            assert!(found.is_empty(), "{:?} {:?}", found.weights, found.attributes);
        }
    }
}

#[test]
fn where_one_file_has_more_vertices_at_a_place_all_of_them_are_compared() {
    let a = built(|_| ());
    let all: Vec<usize> = (0..count(&a)).chain([30]).collect();
    let doubled = |weights: bool| {
        built(|parts| {
            reorder(only(parts), &all);
            let primitive = only(parts);
            let last = primitive.stored_vertices as u32 - 1;
            // The copy is used by one of the triangles.
            let corner = primitive.indices.iter().position(|v| *v == 30).unwrap();
            primitive.indices[corner] = last;
            let influences = primitive.stored_influences.as_mut().unwrap();
            let at = last as usize * influences.per_vertex;
            if weights {
                influences.joints[at..at + 2].swap(0, 1);
            }
        })
    };
    assert!(compare(&a, &doubled(false)).is_empty());
    let found = compare(&a, &doubled(true));
    assert_eq!((found.weights.len(), found.unmatched()), (1, [0, 0]));
    assert_eq!(found.weights[0].vertices, 1);
}

#[test]
fn a_clip_that_differs_between_the_moments_that_are_always_compared_is_seen() {
    // 33 keys, so that the moments that are always compared are those of the keys; between them a spline leaves the straight line.
    let keys = 33;
    let with = |interpolation: Interpolation| {
        built(|parts| {
            let clip = &mut parts.clips[0];
            let turn = |key: usize| glam::Quat::from_rotation_x(if key.is_multiple_of(2) { 0.0 } else { 0.4 });
            for sampler in &mut clip.samplers {
                clip.times[sampler.times] = (0..keys).map(|key| key as f32 / (keys - 1) as f32).collect();
                sampler.interpolation = interpolation;
                sampler.values = Values::Quat((0..keys).map(turn).collect());
            }
        })
    };
    let found = compare(&with(Interpolation::Linear), &with(Interpolation::Step));
    assert_eq!(found.clips.changed, ["Bend"]);
    assert!(found.posed.is_seen && found.posed.metres > 0.02, "{:?}", found.posed);
}

#[test]
fn a_spline_is_another_clip_than_the_straight_line_that_it_meets_in_the_middle() {
    let ends = [glam::Quat::IDENTITY, glam::Quat::from_rotation_x(0.8)];
    let none = glam::Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let with = |interpolation: Interpolation, values: &[glam::Quat]| {
        built(|parts| {
            let clip = &mut parts.clips[0];
            for sampler in &mut clip.samplers {
                clip.times[sampler.times] = vec![0.0, 1.0];
                sampler.interpolation = interpolation;
                sampler.values = Values::Quat(values.iter().copied().collect());
            }
        })
    };
    let line = with(Interpolation::Linear, &ends);
    let spline = with(Interpolation::CubicSpline, &[none, ends[0], none, none, ends[1], none]);
    let found = compare(&line, &spline);
    assert_eq!(found.clips.changed, ["Bend"]);
    assert!(found.posed.metres > 0.01, "{:?}", found.posed);
}

#[test]
fn other_normals_colours_morphs_and_materials_are_told() {
    let plain = |parts: &mut ModelParts| {
        let primitive = only(parts);
        primitive.uvs[0] = vec![Vec2::ZERO; primitive.stored_vertices];
        primitive.colors = vec![glam::Vec4::ONE; primitive.stored_vertices];
        primitive.morphs =
            vec![MorphTarget { positions: vec![Vec3::ZERO; primitive.stored_vertices], ..MorphTarget::default() }];
        primitive.material = Some(MaterialId::from_index(0));
        parts.meshes[0].morph_names = vec!["smile".into()];
        parts.instances[0].morph_weights = vec![0.0];
        parts.skeleton.rest.morph_weights = vec![0.0];
        for name in ["Skin", "Cloth"] {
            parts.materials.push(skinscope_model::Material { name: name.into(), ..Default::default() });
        }
    };
    let a = built(plain);
    assert!(compare(&a, &a).is_empty());
    type Change = fn(&mut ModelParts);
    let changes: [(&str, usize, Change); 6] = [
        ("normals", 1, |parts| only(parts).normals[3] *= -1.0),
        ("texture coordinates", 1, |parts| only(parts).uvs[0][3].x = 0.25),
        ("colours", 1, |parts| only(parts).colors[3].w = 0.5),
        ("morph target \"smile\"", 1, |parts| only(parts).morphs[0].positions[3].z = 0.1),
        ("morph target \"smile\" → \"grin\"", 0, |parts| parts.meshes[0].morph_names[0] = "grin".into()),
        ("materials", 256, |parts| only(parts).material = Some(MaterialId::from_index(1))),
    ];
    for (what, count, change) in changes {
        let b = built(|parts| {
            plain(parts);
            change(parts);
        });
        let found = compare(&a, &b);
        assert!(!found.is_empty(), "{what}");
        let told: Vec<_> = found.attributes.iter().map(|part| (part.what.as_str(), part.count)).collect();
        assert_eq!(told, [(what, count)]);
    }
}

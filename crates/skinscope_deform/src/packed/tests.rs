//! Tests that read what is packed as the shader does.

use skinscope_model::test_shapes::{Tube, obstacle_course, tube};
use skinscope_model::{Influences, Model, MorphTarget, WeightFormat};

use super::directions::{unpack_normal, unpack_tangent};
use super::*;

/// A packed vertex with its influences, as the shader unpacks it.
struct Unpacked {
    position: Vec3,
    normal: Vec3,
    tangent: Vec4,
    influences: Vec<(u32, f32)>,
}

fn unpack(packed: &PackedPrimitive, slot: usize) -> Unpacked {
    let layout = packed.layout;
    let row = &packed.vertices[slot * layout.words()..][..layout.words()];
    let (words, weights_at) = (layout.influences.words(), layout.influences.joint_words());
    let influenced = &packed.influences.rows[slot * words..][..words];
    let float = |word: u32| f32::from_bits(word);
    let half = |at: usize, i: usize| influenced[at + i / 2] >> (16 * (i % 2)) & 0xffff;
    let byte = |at: usize, i: usize| influenced[at] >> (8 * i) & 0xff;
    let influences = match layout.influences {
        InfluenceLayout::None => Vec::new(),
        InfluenceLayout::List => {
            let first = influenced[0] as usize;
            let list = &packed.influences.listed[first..][..influenced[1] as usize];
            list.iter().map(|[joint, weight]| (*joint, float(*weight))).collect()
        }
        InfluenceLayout::Four { wide_joints, weights } => {
            let joint = |i| if wide_joints { half(0, i) } else { byte(0, i) };
            let weight = |i| match weights {
                WeightBits::Eight => byte(weights_at, i) as f32 / 255.0,
                WeightBits::Sixteen => half(weights_at, i) as f32 / 65_535.0,
                WeightBits::Float => float(influenced[weights_at + i]),
            };
            (0..4).map(|i| (joint(i), weight(i))).collect()
        }
    };
    Unpacked {
        position: Vec3::from_array([row[0], row[1], row[2]].map(float)),
        normal: if layout.normals { unpack_normal(row[layout.normal_at()]) } else { Vec3::ZERO },
        tangent: if layout.tangents { unpack_tangent(row[layout.tangent_at()]) } else { Vec4::W },
        influences,
    }
}

/// Checks that all packed values are those of the primitive, within the bounds that the module states.
fn check(p: &Primitive, packed: &PackedPrimitive) {
    let count = p.positions.len();
    assert_eq!(packed.vertices.len(), count * packed.layout.words());
    assert_eq!(packed.influences.rows.len(), count * packed.layout.influences.words());
    assert_eq!(packed.paint.len(), count * packed.paint_layout.words());
    assert!(packed.influences.moved <= MOST_MOVED);
    for slot in 0..count {
        let vertex = packed.order.vertex(slot);
        let got = unpack(packed, slot);
        assert_eq!(got.position, p.positions[vertex], "positions are floats");
        if let Some(normal) = p.normals.get(vertex) {
            assert!((got.normal - *normal).length() <= NORMAL_ERROR + 2e-7, "{normal} {}", got.normal);
        }
        if let Some(tangent) = p.tangents.get(vertex) {
            assert!((got.tangent - *tangent).length() <= TANGENT_ERROR + 2e-7, "{tangent} {}", got.tangent);
        }
        let Some(influences) = &p.stored_influences else { continue };
        let (joints, weights) = influences.of(vertex);
        let want: Vec<_> = joints.iter().zip(weights).filter(|(_, w)| **w != 0.0).collect();
        let used: Vec<_> = got.influences.iter().filter(|(_, w)| *w != 0.0).collect();
        assert_eq!(used.len(), want.len(), "as many count as before");
        let mut moved = 0.0;
        for ((joint, weight), (want_joint, want_weight)) in used.iter().zip(want) {
            assert_eq!(*joint, u32::from(*want_joint));
            moved += (f64::from(*weight) - f64::from(*want_weight)).abs() / 2.0;
        }
        assert!(moved <= f64::from(packed.influences.moved) + 2e-7, "vertex {vertex}: {moved:e}");
        let sum: f64 = got.influences.iter().map(|(_, w)| f64::from(*w)).sum();
        assert!((sum - influences.as_stored().sum(vertex)).abs() < 4e-7, "the sum is kept: {sum}");
    }
}

fn primitive(model: &Model) -> Primitive {
    model.meshes[0].primitives[0].clone()
}

#[test]
fn shapes_come_out_as_they_went_in() {
    for (influences, joints, words) in [(1, 4, 1 + 2), (4, 12, 3), (4, 300, 4), (8, 12, 2)] {
        let p = primitive(&tube(Tube { influences, joints, rings: 301, ..Tube::default() }));
        let packed = pack_primitive(p.as_stored(), true);
        assert_eq!((packed.layout.words(), packed.layout.influences.words()), (3 + 1, words), "{:?}", packed.layout);
        check(&p, &packed);
    }
    for p in obstacle_course().meshes.iter().flat_map(|m| &m.primitives) {
        check(p, &pack_primitive(p.as_stored(), true));
    }
}

#[test]
fn what_is_missing_takes_no_room() {
    let p = Primitive { positions: vec![Vec3::ONE; 5], stored_vertices: 5, ..Primitive::default() };
    let packed = pack_primitive(p.as_stored(), true);
    assert_eq!((packed.layout.words(), packed.paint.len(), packed.morphs.len()), (3, 0, 0));
    assert_eq!(packed.vertices, vec![1.0_f32.to_bits(); 15]);
    let none = pack_primitive(Primitive::default().as_stored(), true);
    assert!(none.vertices.is_empty() && none.influences.rows.is_empty() && none.influences.listed.is_empty());
}

#[test]
fn words_lie_where_the_shader_reads_them() {
    let influences = Influences {
        per_vertex: 4,
        joints: vec![0, 7, 9, 0],
        weights: vec![0.0, 0.2, 0.8, 0.0],
        format: WeightFormat::U8,
        ..Influences::default()
    };
    let mut p = Primitive {
        positions: vec![Vec3::new(1.0, 2.0, 3.0)],
        normals: vec![Vec3::X],
        uvs: [vec![], vec![Vec2::new(4.0, 5.0)]],
        colors: vec![Vec4::new(6.0, 7.0, 8.0, 9.0)],
        stored_vertices: 1,
        stored_influences: Some(influences),
        ..Primitive::default()
    };
    let packed = pack_primitive(p.as_stored(), true);
    let bits = |v: f32| v.to_bits();
    // 0.2 and 0.8 are 51 and 204 of 255; what does not count has the first joint.
    assert_eq!(packed.vertices, [bits(1.0), bits(2.0), bits(3.0), 0x7fff]);
    assert_eq!(packed.influences.rows, [0x0707_0907, 0x0000_cc33]);
    assert_eq!(packed.paint, [4.0, 5.0, 6.0, 7.0, 8.0, 9.0].map(f32::to_bits));
    assert_eq!((packed.paint_layout.uv_at(1), packed.paint_layout.color_at()), (0, 2));
    // The same weights stored as floats: 13107 and 52428 of 65535.
    let influences = p.stored_influences.as_mut().unwrap();
    influences.format = WeightFormat::F32;
    influences.joints[1] = 300;
    p.tangents = vec![Vec4::new(0.0, 1.0, 0.0, -1.0)];
    let packed = pack_primitive(p.as_stored(), true);
    assert_eq!(packed.vertices[4..], [0xbfff_0000]);
    assert_eq!(packed.influences.rows, [0x0009_012c, 0x012c_012c, 52_428 << 16 | 13_107, 0]);
    // And with more than four.
    let influences = p.stored_influences.as_mut().unwrap();
    (influences.per_vertex, influences.joints) = (8, (1..9).collect());
    influences.weights = vec![0.5, 0.0, 0.1, 0.1, 0.1, 0.1, 0.0, 0.1];
    let packed = pack_primitive(p.as_stored(), true);
    assert_eq!((packed.vertices.len(), &packed.influences.rows[..]), (5, &[0, 6][..]));
    assert_eq!(packed.influences.listed[0], [1, bits(0.5)]);
    assert_eq!(packed.influences.listed[5], [8, bits(0.1)]);
}

#[test]
fn another_order_is_one_for_all_lists() {
    for influences in [2, 6] {
        let mut p = primitive(&tube(Tube { rings: 80, sides: 60, joints: 8, influences, ..Tube::default() }));
        let triangles = p.indices.len() / 3;
        p.indices = (0..triangles).flat_map(|t| p.indices[t * 1013 % triangles * 3..][..3].to_vec()).collect();
        let count = p.positions.len();
        p.uvs[0] = (0..count).map(|i| Vec2::splat(i as f32)).collect();
        let target = MorphTarget { positions: vec![Vec3::X; count], ..MorphTarget::default() };
        let other = MorphTarget { positions: (0..count).map(|i| Vec3::splat(i as f32)).collect(), ..target.clone() };
        p.morphs = vec![target, other];
        let packed = pack_primitive(p.as_stored(), true);
        check(&p, &packed);
        assert!(!packed.order.is_own() && packed.indices.is_some());
        for slot in 0..count {
            let vertex = packed.order.vertex(slot) as f32;
            assert_eq!(packed.paint[2 * slot], vertex.to_bits());
            assert_eq!(packed.morphs[3 * slot..][..3], [1.0, 0.0, 0.0]);
            assert_eq!(packed.morphs[3 * (count + slot)..][..3], [vertex; 3]);
        }
        // Marks have the words of their vertex, and its slot.
        let (own, of_influences) = (packed.layout.words(), packed.layout.influences.words());
        let words = own + of_influences;
        let marks = pack_marks(p.as_stored(), packed.layout, &packed.order, &[0, 17, 4000, 99_999]);
        assert_eq!(marks.len(), 3 * (words + 1), "there is no vertex 99999");
        for (mark, vertex) in marks.chunks_exact(words + 1).zip([0, 17, 4000]) {
            let slot = packed.order.slot(vertex);
            assert_eq!(mark[words] as usize, slot);
            assert_eq!(mark[..own], packed.vertices[slot * own..][..own]);
            assert_eq!(mark[own..words], packed.influences.rows[slot * of_influences..][..of_influences]);
        }
        // Triangles that blend keep their order.
        let kept = pack_primitive(p.as_stored(), false);
        assert!(kept.order.is_own() && kept.indices.is_none());
        check(&p, &kept);
    }
}

#[test]
fn primitives_of_a_small_model_can_share_a_layout() {
    let skinned = primitive(&tube(Tube { joints: 300, ..Tube::default() }));
    let mut bytes = primitive(&tube(Tube { influences: 1, ..Tube::default() }));
    bytes.stored_influences.as_mut().unwrap().format = WeightFormat::U8;
    let stiff = Primitive { stored_influences: None, ..bytes.clone() };
    let list = primitive(&tube(Tube { joints: 12, influences: 8, ..Tube::default() }));
    let refs = |list: &[&'static Primitive]| list.iter().map(|p| p.as_stored()).collect::<Vec<_>>();
    let [skinned, bytes, stiff, list] = [skinned, bytes, stiff, list].map(|p| &*Box::leak(Box::new(p)));
    let shared = shared_layout(&refs(&[stiff, list, bytes, skinned]));
    assert_eq!(shared, InfluenceLayout::Four { wide_joints: true, weights: WeightBits::Sixteen });
    for p in [skinned, bytes, stiff] {
        let packed = pack_primitive(p.as_stored(), true).widened(p.as_stored(), shared);
        assert_eq!(packed.layout.influences, shared);
        check(p, &packed);
        if p.stored_influences.is_none() {
            let whole = |slot| unpack(&packed, slot).influences == [(0, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)];
            assert!((0..p.positions.len()).all(whole));
        }
    }
    for weights in [WeightBits::Eight, WeightBits::Float] {
        let layout = InfluenceLayout::Four { wide_joints: false, weights };
        let packed = pack_primitive(stiff.as_stored(), true).widened(stiff.as_stored(), layout);
        assert_eq!(unpack(&packed, 5).influences[0], (0, 1.0));
    }
    let listed = pack_primitive(list.as_stored(), true);
    assert_eq!(listed.clone().widened(list.as_stored(), shared).layout, listed.layout, "a list stays one");
    assert_eq!(shared_layout(&refs(&[stiff, list])), InfluenceLayout::None);
    let large: &'static Primitive = Box::leak(Box::new(primitive(&tube(Tube { rings: 2100, ..Tube::default() }))));
    assert_eq!(shared_layout(&refs(&[large, stiff])), InfluenceLayout::None, "each keeps its own");
}

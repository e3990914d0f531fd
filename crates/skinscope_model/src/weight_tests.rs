//! Tests of what edited weights share, copy and undo.

use super::test_shapes::{Tube, obstacle_course, tube};
use super::{MeshId, Model, ModelParts, NotFinite, PrimitiveId, WeightChange};

const FIRST: MeshId = MeshId(0);

/// Gives some vertices of the first primitive all weight to one joint, in `slots` slots.
fn change(vertices: impl Iterator<Item = u32>, joint: u16, slots: usize) -> WeightChange {
    let mut out = WeightChange::new(FIRST, 0, slots);
    vertices.for_each(|v| out.push(v, &[joint], &[1.0]));
    out
}

/// Returns the pairs of every vertex, as bits.
fn rows(model: &Model) -> Vec<(Vec<u16>, Vec<u32>)> {
    let i = model.influences(FIRST, 0).unwrap();
    let bits = |(joints, weights): (&[u16], &[f32])| (joints.to_vec(), weights.iter().map(|w| w.to_bits()).collect());
    (0..i.vertices()).map(|v| bits(i.of(v))).collect()
}

#[test]
fn edited_vertices_alone_have_other_weights_and_all_else_is_shared() {
    let model = tube(Tube { joints: 5, rings: 101, ..Tube::default() });
    let edited = model.with_weights(&[change([3, 70, 200].into_iter(), 2, 4)]).unwrap();
    assert!(model.shares_all_but_edits(&edited));
    assert_eq!(model.meshes[0].primitives[0].positions.as_ptr(), edited.meshes[0].primitives[0].positions.as_ptr());
    let (before, after) = (rows(&model), rows(&edited));
    for (v, (before, after)) in before.iter().zip(&after).enumerate() {
        let want = (vec![2, 0, 0, 0], vec![1.0_f32.to_bits(), 0, 0, 0]);
        assert_eq!(*after, if [3, 70, 200].contains(&v) { want } else { before.clone() }, "vertex {v}");
    }
    assert_eq!(edited.weight_edits().vertices(FIRST, 0).collect::<Vec<_>>(), [3, 70, 200]);
    assert_eq!(edited.weight_edits().primitives().collect::<Vec<_>>(), [PrimitiveId::new(FIRST, 0)]);
    let (i, of) = (edited.influences(FIRST, 0).unwrap(), model.influences(FIRST, 0).unwrap());
    let changed = |a: &Model, b: &Model| -> Vec<usize> {
        a.influences(FIRST, 0).unwrap().changed_vertices(b.influences(FIRST, 0).unwrap()).collect()
    };
    assert_eq!((changed(&edited, &model), changed(&model, &edited)), (vec![3, 70, 200], vec![3, 70, 200]));
    assert!(changed(&edited, &edited).is_empty());
    // One is as stored again, one has another weight, and the third one stays.
    let mut third = WeightChange::new(FIRST, 0, 4);
    third.push(3, of.of(3).0, of.of(3).1);
    third.push(200, &[1], &[1.0]);
    let third = edited.with_weights(&[third]).unwrap();
    assert_eq!((changed(&third, &edited), changed(&third, &model)), (vec![3, 200], vec![70, 200]));
    // What may have changed is told without a look at the pairs, and without what both share: the page of vertex 70.
    let told =
        |a: &Model, b: &Model| -> Vec<usize> { a.weight_edits().changed_since(b.weight_edits(), FIRST, 0).collect() };
    assert_eq!((told(&third, &edited), told(&edited, &third)), (vec![3, 200], vec![3, 200]));
    assert_eq!((told(&edited, &model), told(&model, &third)), (vec![3, 70, 200], vec![70, 200]));
    assert!(told(&edited, &edited).is_empty() && told(&model, &model).is_empty());
    let gathered = third.influences(FIRST, 0).unwrap().gathered(&[200, 3, 71]);
    let alone = [200, 3, 71].map(|v| third.influences(FIRST, 0).unwrap().of(v));
    assert_eq!(gathered, (alone.map(|(joints, _)| joints).concat(), alone.map(|(_, weights)| weights).concat()));
    // Runs are cut where pages of edited vertices are, and hold the same pairs.
    let runs: Vec<_> = i.runs(10..300).map(|run| run.vertices.clone()).collect();
    assert_eq!(runs, [10..16, 16..64, 64..80, 80..192, 192..208, 208..300]);
    for run in i.runs(10..300) {
        let first = run.vertices.start;
        for v in run.vertices {
            let pairs = (v - first) * run.per_vertex..(v - first + 1) * run.per_vertex;
            assert_eq!((&run.joints[pairs.clone()], &run.weights[pairs]), i.of(v));
        }
    }
}

#[test]
fn what_is_taken_back_leaves_nothing_behind() {
    let model = tube(Tube { joints: 5, rings: 101, ..Tube::default() });
    let first = [change(0..100, 1, 4)];
    let once = model.with_weights(&first).unwrap();
    // The pairs lie in eight slots, of which the last is used: the pages become wider, and narrower again.
    let mut wide = WeightChange::new(FIRST, 0, 8);
    wide.push(99, &[1, 2, 3, 4, 0, 1, 2, 3], &[0.125; 8]);
    wide.push(130, &[4], &[1.0]);
    let second = [wide];
    let twice = once.with_weights(&second).unwrap();
    assert_eq!(twice.influences(FIRST, 0).unwrap().per_vertex, 8);
    assert_eq!(twice.influences(FIRST, 0).unwrap().of(99).1, [0.125; 8]);
    assert_eq!(twice.influences(FIRST, 0).unwrap().most_used(), 8);
    let back = twice.with_weights(&once.weights_before(&second)).unwrap();
    assert_eq!(back.weight_edits(), once.weight_edits());
    assert_eq!(rows(&back), rows(&once));
    let stored = back.with_weights(&model.weights_before(&first)).unwrap();
    assert!(stored.weight_edits().is_empty() && rows(&stored) == rows(&model));
    assert_eq!(stored.influences(FIRST, 0).unwrap().per_vertex, 4);
}

#[test]
fn an_edit_copies_the_pages_of_its_vertices_and_nothing_else() {
    // Of a million vertices, 5000 follow each other and 5000 are far apart.
    let model = tube(Tube { joints: 20, rings: 7900, sides: 127, ..Tube::default() });
    let count = model.influences(FIRST, 0).unwrap().vertices();
    assert!(count > 1_000_000, "{count}");
    let page = 16 * 4 * (size_of::<u16>() + size_of::<f32>()) + 128;
    let list = count.div_ceil(16) * 8;
    let near = model.with_weights(&[change(500_000..505_000, 3, 4)]).unwrap();
    let copied = near.weight_edits().bytes_beside(model.weight_edits());
    assert!(copied <= list + 314 * page, "{copied}");
    // A second edit copies its own pages, and none of those before.
    let more = near.with_weights(&[change(700_000..700_010, 3, 4)]).unwrap();
    let copied = more.weight_edits().bytes_beside(near.weight_edits());
    assert!(copied <= list + 2 * page, "{copied}");
    let far = model.with_weights(&[change((0..5000).map(|i| i * 200), 3, 4)]).unwrap();
    let copied = far.weight_edits().bytes_beside(model.weight_edits());
    assert!(copied <= list + 5000 * page, "{copied}");
}

#[test]
fn what_cannot_be_is_refused() {
    let model = obstacle_course();
    let error = |change: WeightChange| model.with_weights(&[change]).unwrap_err().what;
    assert!(error(change([7, 7].into_iter(), 0, 4)).contains("do not rise"));
    assert!(error(change([9_999_999].into_iter(), 0, 4)).contains("not there"));
    assert!(error(change([7].into_iter(), 900, 4)).contains("beyond the skin"));
    assert!(error(WeightChange { primitive: 1, ..change([7].into_iter(), 0, 4) }).contains("has none"));
    assert!(error(WeightChange { weights: vec![f32::NAN; 4], ..change([7].into_iter(), 0, 4) }).contains("not finite"));
    assert!(error(WeightChange { per_vertex: 8, ..change([7].into_iter(), 0, 4) }).contains("do not fit"));
}

#[test]
fn split_vertices_follow_and_what_import_kept_of_an_edited_vertex_goes() {
    let mut parts = ModelParts::clone(&tube(Tube { joints: 3, rings: 9, sides: 8, ..Tube::default() }));
    let primitive = &mut parts.meshes[0].primitives[0];
    let count = primitive.stored_vertices;
    for list in [&mut primitive.positions, &mut primitive.normals] {
        list.extend_from_within(5..7);
    }
    primitive.uvs.iter_mut().filter(|uvs| !uvs.is_empty()).for_each(|uvs| uvs.extend_from_within(5..7));
    primitive.split_from = vec![6, 5];
    let influences = primitive.stored_influences.as_mut().unwrap();
    for v in [6, 5] {
        influences.joints.extend_from_within(v * 4..v * 4 + 4);
        influences.weights.extend_from_within(v * 4..v * 4 + 4);
    }
    influences.weights[4 * 5 + 3] = 0.0;
    influences.not_finite = vec![NotFinite { vertex: 5, slot: 3, value: f32::NAN }];
    let model = Model::build(parts).unwrap();
    let edited = model.with_weights(&[change([5].into_iter(), 2, 4)]).unwrap();
    let i = edited.influences(FIRST, 0).unwrap();
    assert_eq!((i.of(5), i.of(count)), (i.of(count + 1), model.influences(FIRST, 0).unwrap().of(6)));
    assert!(i.is_edited(count + 1) && !i.is_edited(count) && i.not_finite.is_empty());
    assert_eq!(model.influences(FIRST, 0).unwrap().not_finite.len(), 1);
}

#[test]
fn normalised_weights_change_the_vertices_whose_sum_is_off() {
    let mut parts = ModelParts::clone(&tube(Tube { joints: 3, rings: 9, sides: 8, ..Tube::default() }));
    let weights = &mut parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().weights;
    weights.iter_mut().enumerate().for_each(|(i, w)| *w = [1.0, 0.0, 0.0, 0.0][i % 4]);
    weights[12] = 0.5;
    weights[16] = 0.0;
    let model = Model::build(parts).unwrap();
    let changes = model.normalised_weights();
    assert_eq!((changes.len(), &changes[0].vertices), (1, &vec![3]));
    assert_eq!(changes[0].row(0).1, [1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn pages_that_are_changed_where_they_are_hold_what_rows_changed_one_by_one_do() {
    let model = tube(Tube { joints: 5, rings: 101, ..Tube::default() });
    let at = PrimitiveId::new(FIRST, 0);
    let stored = model.influences(FIRST, 0).unwrap();
    let count = stored.vertices() as u32;
    let by_rows = |model: &Model, rows: &[(u32, [u16; 4], [f32; 4])]| {
        let mut change = WeightChange::new(FIRST, 0, 4);
        rows.iter().for_each(|(vertex, joints, weights)| change.push(*vertex, joints, weights));
        model.with_weights(&[change]).unwrap()
    };
    let by_pages = |model: &mut Model, rows: &[(u32, [u16; 4], [f32; 4])]| {
        let mut pages = model.take_pages(at, 4).unwrap();
        let mut pieces = model.pieces_of(&mut pages, 3);
        for of_page in rows.chunk_by(|a, b| a.0 / 16 == b.0 / 16) {
            let page = of_page[0].0 as usize / 16;
            let changed = of_page.iter().fold(0, |bits, (vertex, ..)| bits | 1 << (vertex % 16));
            let current = |vertex: usize| of_page.iter().find(|(v, ..)| *v as usize % 16 == vertex).unwrap();
            pieces[page / 3].change(page % 3, changed, &mut |joints, weights| {
                for vertex in (0..16).filter(|vertex| changed >> vertex & 1 == 1) {
                    joints[4 * vertex..4 * vertex + 4].copy_from_slice(&current(vertex).1);
                    weights[4 * vertex..4 * vertex + 4].copy_from_slice(&current(vertex).2);
                }
            });
        }
        drop(pieces);
        model.put_pages(pages)
    };
    let row = |vertex: u32, joint: u16| (vertex, [joint, 1, 0, 0], [0.75, 0.25, 0.0, 0.0]);
    let as_stored = |vertex: u32| {
        let (joints, weights) = stored.of(vertex as usize);
        (vertex, joints.try_into().unwrap(), weights.try_into().unwrap())
    };
    let steps: [Vec<_>; 4] = [
        (0..count).filter(|v| v % 3 > 0).map(|v| row(v, 2)).collect(),
        (0..count).map(|v| if v % 5 == 0 { as_stored(v) } else { row(v, 3) }).collect(),
        (40..100).map(as_stored).collect(),
        (0..count).map(as_stored).collect(),
    ];
    let mut own = model.with_weights(&[]).unwrap();
    let mut shared = own.with_weights(&[]).unwrap();
    let mut one = model.with_weights(&[]).unwrap();
    let mut kept = Vec::new();
    for step in steps {
        one = by_rows(&one, &step);
        by_pages(&mut own, &step).unwrap();
        // Others keep the pages that they have.
        kept.push((shared.with_weights(&[]).unwrap(), rows(&shared)));
        by_pages(&mut shared, &step).unwrap();
        for pages in [&own, &shared] {
            assert!(one.weight_edits() == pages.weight_edits());
            assert_eq!(rows(&one), rows(pages));
        }
    }
    assert!(own.weight_edits().is_empty() && kept.iter().all(|(model, before)| rows(model) == *before));
    // What cannot be used is refused.
    assert!(by_pages(&mut own, &[(7, [0; 4], [f32::NAN; 4])]).is_err() && own.weight_edits().is_empty());
    assert!(by_pages(&mut own, &[(7, [9; 4], [0.25; 4])]).is_err() && own.weight_edits().is_empty());
    assert!(own.take_pages(at, 8).is_none() && own.take_pages(PrimitiveId::new(FIRST, 1), 4).is_none());
    let split = obstacle_course();
    let has_copies = |p: &super::Primitive| !p.split_from.is_empty();
    let with_copies = split.meshes.iter().position(|mesh| mesh.primitives.first().is_some_and(has_copies));
    if let Some(mesh) = with_copies {
        let mut split = split.with_weights(&[]).unwrap();
        assert!(split.take_pages(PrimitiveId::new(MeshId::from_index(mesh), 0), 4).is_none());
    }
}

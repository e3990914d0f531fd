//! The picture is the same whether the vertex shader, a compute shader or the processor deforms its vertices.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use skinscope::deform::{Deformer, METHODS, Method, Surface, SurfaceInput};
use skinscope::frame::{Background, Dots, Frame, Grid, SceneColors};
use skinscope::inspect::{VertexPart, VertexSet};
use skinscope::model::test_shapes::{Tube, obstacle_course, tube};
use skinscope::model::{Instance, MeshId, Model, SkinId};
use skinscope::render::{Picture, render_image};
use skinscope::session::{EditCommand, PlaybackCommand, Session, ViewCommand};

use crate::scenes::{self, overlay};
use crate::{Stage, on_shared_stage, stages};

on_stages! {
    vertices_are_deformed_once_for_a_pose_however_many_pictures_read_them,
    every_pass_reads_what_a_method_makes_of_the_whole_surface,
}

const SIZE: u32 = 160;

/// The obstacle course (morph targets, more than four influences, a mirrored rigid part) with a second skin for its meshes and three
/// copies of what is rigid.
fn course() -> Arc<Model> {
    let mut parts = (*obstacle_course()).clone();
    let mut aside = parts.skins[0].clone();
    aside.inverse_bind.iter_mut().for_each(|m| *m *= Affine3A::from_translation(Vec3::new(0.8, 0.1, -0.2)));
    parts.skins.push(aside);
    let skinned = parts.instances.iter().find(|i| i.skin.is_some()).unwrap().clone();
    let morph_offset = parts.skeleton.rest.morph_weights.len();
    parts.skeleton.rest.morph_weights.extend(&skinned.morph_weights);
    let rigid = parts.instances.iter_mut().find(|i| i.skin.is_none()).unwrap();
    rigid.copies = [0.0, 0.5, -0.6].map(|x| Affine3A::from_translation(Vec3::new(x, 0.2 * x, 0.0))).to_vec();
    let node = parts.instances.iter().map(|i| i.node).max().unwrap();
    parts.instances.push(Instance { node, skin: Some(SkinId(1)), morph_offset, ..skinned });
    Arc::new(Model::build(parts).unwrap())
}

fn session(model: &Arc<Model>, members: u32, method: &Method) -> Session {
    let mut session = scenes::crowd(model, members, method, 0.4);
    for morph in 0..model.skeleton.rest.morph_weights.len() {
        session.apply(EditCommand::EditMorph(morph, 0.75));
    }
    session.update_pose();
    session
}

fn frame(session: &mut Session, by: Deformer) -> Frame {
    session.apply(ViewCommand::SetDeformer(by));
    let mut frame = Frame::default();
    session.build_frame(&mut frame, &SceneColors::DARK);
    frame.display.background = Background::Solid([0.1, 0.2, 0.3]);
    frame.display.grid = None::<Grid>;
    frame.bones.clear();
    frame
}

fn draw(stage: &Stage, frame: &Frame) -> Picture {
    render_image(&stage.gpu, &mut stage.renderer.borrow_mut(), frame, [SIZE; 2]).unwrap()
}

/// How many pixels differ by more than `by`.
fn different(a: &Picture, b: &Picture, by: u8) -> usize {
    let (a, b) = (a.rgba.as_chunks::<4>().0, b.rgba.as_chunks::<4>().0);
    a.iter().zip(b).filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > by)).count()
}

type Change = fn(&mut Frame);

/// Every pass that shows vertices.
const PASSES: [(&str, Change); 6] = [
    ("shaded", |_| {}),
    ("weights", |f| f.display.overlay = overlay("weights")),
    ("dominant joint, dimmed", |f| {
        f.display.overlay = overlay("dominant");
        f.display.selected = Some(skinscope::model::NodeId(2));
        f.display.influenced_only = true;
    }),
    ("edges and dots", |f| {
        f.display.wireframe = true;
        f.display.dots = Some(Dots { radius: 2.5, color: [0.9, 0.9, 0.2, 1.0] });
    }),
    ("marks", |f| {
        let part = VertexPart { mesh: MeshId(0), primitive: 0, vertices: (0..60).collect() };
        f.marked = Arc::new(VertexSet { parts: vec![part] });
    }),
    ("translucent", |f| f.display.skin_opacity = 0.5),
];

/// What differs between methods is in one function of the shader: this pass tells.
const ONE_PASS: std::ops::Range<usize> = 3..4;

fn six_influences() -> Arc<Model> {
    Arc::new(tube(Tube { joints: 9, influences: 6, rings: 30, ..Tube::default() }))
}

/// Compares the pictures of some passes by all who deform.
fn compare(
    stage: &Stage,
    (model, members): (&Arc<Model>, u32),
    method: &'static Method,
    passes: &[(&'static str, Change)],
) {
    let mut session = session(model, members, method);
    let frames = [Deformer::VertexShader, Deformer::Compute, Deformer::Processor].map(|by| frame(&mut session, by));
    assert_eq!(frames[2].surfaces.len(), members as usize);
    for (name, change) in passes {
        let ahead = || stage.renderer.borrow().deformed_ahead();
        let draw = |frame: &Frame| {
            let (mut frame, before) = (frame.clone(), ahead());
            change(&mut frame);
            (draw(stage, &frame), ahead() - before)
        };
        let [(want, none), (compute, once), (processor, once_too)] = [&frames[0], &frames[1], &frames[2]].map(draw);
        assert_eq!((none, once, once_too), (0, 1, 1), "{name}: who deformed");
        let background = [26, 51, 77, 255];
        let shown = want.rgba.as_chunks::<4>().0.iter().filter(|p| **p != background).count();
        assert!(shown > 800, "{name}: {shown} pixels show something");
        // The compute shader makes the same numbers; those of the processor have no rounded weights and normals.
        let case = format!("{} with {}, {members} members", name, method.id);
        assert_eq!(different(&want, &compute, 1), 0, "{case}, compute");
        let ties = if (method.expects.is_steady)(&[0, 1], &[0.5, 0.5], 0.01) { 0 } else { shown / 10 };
        let off = different(&want, &processor, 12);
        assert!(off <= shown / 50 + ties, "{case}, processor: {off} of {shown}");
    }
}

#[test]
fn the_picture_is_the_same_whoever_deforms() {
    on_shared_stage(|stage| {
        let six = six_influences();
        compare(stage, (&six, 1), METHODS[0], &PASSES);
        for method in scenes::shader_methods().skip(1) {
            compare(stage, (&six, 1), method, &PASSES[ONE_PASS]);
        }
        compare(stage, (&course(), 3), METHODS[0], &PASSES[ONE_PASS]);
    });
}

#[test]
#[ignore = "full: compiles some 300 pipelines, a half of them by OpenGL"]
fn the_picture_of_every_model_is_the_same_whoever_deforms_on_both_backends() {
    for stage in stages() {
        for (model, members) in [(course(), 1), (course(), 3), (six_influences(), 1)] {
            for method in scenes::shader_methods() {
                let passes = if std::ptr::eq(*method, METHODS[0]) { &PASSES[..] } else { &PASSES[ONE_PASS] };
                compare(&stage, (&model, members), method, passes);
            }
        }
    }
}

fn vertices_are_deformed_once_for_a_pose_however_many_pictures_read_them(stage: &Stage) {
    let model = course();
    for by in [Deformer::Compute, Deformer::Processor] {
        let mut session = session(&model, 2, METHODS[0]);
        let count = |frame: &Frame| {
            let before = stage.renderer.borrow().deformed_ahead();
            (draw(stage, frame), stage.renderer.borrow().deformed_ahead() - before)
        };
        let first = frame(&mut session, by);
        assert_eq!(count(&first).1, 1, "{by:?}");
        let mut aside = first.clone();
        aside.camera.world_from_view = Affine3A::from_translation(Vec3::X * 0.1) * aside.camera.world_from_view;
        aside.display.wireframe = true;
        let (moved, again) = count(&aside);
        assert_eq!(again, 0, "{by:?}: another look at the same pose");
        session.apply(PlaybackCommand::Seek(0.7));
        session.update_pose();
        let posed = Frame { camera: aside.camera, display: aside.display, ..frame(&mut session, by) };
        let (posed, anew) = count(&posed);
        assert_eq!(anew, 1, "{by:?}: another pose");
        assert!(different(&moved, &posed, 8) > 100, "{by:?}: it is seen");
    }
}

/// Every vertex goes to the middle of the triangles around it, which no vertex alone can know.
static SMOOTHED: Method = Method { id: "smoothed", pass: Some(smooth), ..*METHODS[0] };

fn smooth(input: &SurfaceInput, surface: &mut Surface) {
    for part in &mut surface.parts {
        let instance = &input.model.instances[part.instance.index()];
        let p = &input.model.meshes[instance.mesh.index()].primitives[part.primitive];
        if instance.skin.is_none() || p.stored_influences.is_none() {
            continue;
        }
        for _ in 0..4 {
            let mut sums = vec![(Vec3::ZERO, 0.0); p.positions.len()];
            for corners in p.indices.as_chunks::<3>().0 {
                let sum: Vec3 = corners.iter().map(|v| part.deformed.positions[*v as usize]).sum();
                for v in corners {
                    sums[*v as usize] = (sums[*v as usize].0 + sum, sums[*v as usize].1 + 3.0);
                }
            }
            for (at, (sum, count)) in part.deformed.positions.iter_mut().zip(sums).filter(|(_, (_, n))| *n > 0.0) {
                *at = sum / count;
            }
        }
    }
}

/// The same surface as a model of its own that nothing deforms.
fn frozen(model: &Model, surface: &Surface) -> Arc<Model> {
    let mut parts = (**model).clone();
    for part in &surface.parts {
        let p = &mut parts.meshes[part.instance.index()].primitives[part.primitive];
        p.positions.clone_from(&part.deformed.positions);
        p.normals.clone_from(&part.deformed.normals);
        p.stored_influences = None;
    }
    parts.instances.iter_mut().for_each(|i| i.skin = None);
    parts.skeleton.rest.transforms.fill(skinscope::math::Transform::IDENTITY);
    Arc::new(Model::build(parts).unwrap())
}

fn every_pass_reads_what_a_method_makes_of_the_whole_surface(stage: &Stage) {
    let model = Arc::new(tube(Tube { joints: 4, rings: 24, sides: 16, ..Tube::default() }));
    let mut session = session(&model, 1, METHODS[0]);
    for by in Deformer::ALL {
        let mut frame = frame(&mut session, by);
        let (palettes, morph_weights) = (frame.palettes.clone(), frame.morph_weights.clone());
        let input = SurfaceInput {
            model: &model,
            draws: &frame.draws,
            palettes: &palettes,
            morph_weights: &morph_weights,
            method: (&SMOOTHED).into(),
        };
        let surface = Arc::new(Surface::of(&input));
        let plain = draw(stage, &frame);
        (frame.method, frame.deformer, frame.surfaces) = (&SMOOTHED, Deformer::Processor, vec![Arc::clone(&surface)]);
        frame.needs_processor = Some("neighbours");
        let still = frozen(&model, &surface);
        let alone = Frame {
            palettes: vec![Affine3A::IDENTITY; still.palette_layout().len as usize],
            deformer: Deformer::VertexShader,
            ..frame.clone()
        };
        let mut alone = Frame { model: Some(still), method: METHODS[0], surfaces: Vec::new(), ..alone };
        for (name, change) in
            PASSES.into_iter().filter(|(name, _)| !name.contains("weights") && !name.contains("joint"))
        {
            change(&mut frame);
            change(&mut alone);
            let (got, want) = (draw(stage, &frame), draw(stage, &alone));
            assert!(different(&got, &want, 12) < 60, "{name}: {}", different(&got, &want, 12));
            assert!(different(&got, &plain, 12) > 400, "{name}: smoothing is seen");
        }
    }
}

/// The device draws the subdivided model by its weights as the processor does. What is skinned first is another surface, and the cage is not
/// seen any more.
#[test]
fn a_subdivided_surface_is_drawn_in_every_pass() {
    on_shared_stage(|stage| {
        let model = Arc::new(tube(Tube { joints: 4, rings: 11, sides: 6, ..Tube::default() }));
        let mut session = session(&model, 1, METHODS[0]);
        let cage = frame(&mut session, Deformer::Auto);
        session.apply(ViewCommand::SetSubdivision(2));
        session.apply(ViewCommand::ToggleSubdivideFirst);
        session.prepare();
        let first = frame(&mut session, Deformer::Auto);
        let by = Deformer::VertexShader;
        let by_device = Frame { surfaces: Vec::new(), needs_processor: None, deformer: by, ..first.clone() };
        session.apply(ViewCommand::ToggleSubdivideFirst);
        let after = frame(&mut session, Deformer::Auto);
        assert!(!Arc::ptr_eq(&first.surfaces[0], &after.surfaces[0]));
        for (name, change) in PASSES {
            let [cage, first, by_device, after] = [&cage, &first, &by_device, &after].map(|frame| {
                let mut frame = frame.clone();
                change(&mut frame);
                draw(stage, &frame)
            });
            let shown = first.rgba.as_chunks::<4>().0.iter().filter(|p| **p != [26, 51, 77, 255]).count();
            let off = different(&first, &by_device, 12);
            assert!(shown > 400 && off <= shown / 50, "{name}: {off} of {shown}");
            assert!(different(&cage, &after, 8) > 20, "{name}: the cage is seen");
        }
    });
}

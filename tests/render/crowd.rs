//! Compares a crowd in one picture with each of its members on its own.

use std::collections::HashMap;
use std::sync::Arc;

use glam::{Affine3A, Vec2, Vec3, Vec4};
use skinscope::anim;
use skinscope::deform::{self, Deformed, METHODS};
use skinscope::frame::{Background, Frame, SceneColors};
use skinscope::math::{Aabb, Transform};
use skinscope::model::test_shapes::{Tube, obstacle_course, tube};
use skinscope::model::{AlphaMode, LocalPose, Material, Model};
use skinscope::render::{Backend, Gpu, Picture, Renderer, deform_on_gpu, render_image};
use skinscope::session::{
    CameraCommand, Document, EditCommand, LoopMode, PlaybackCommand, Session, Toggle, ViewCommand,
};

use crate::layers::{linear, srgb};
use crate::scenes::{self, Plate};
use crate::{SIZE, Stage};

on_stages! {
    the_shader_deforms_every_member_as_the_cpu_does,
    the_picture_is_that_of_all_members_each_in_its_own_place_and_pose,
    members_that_are_seen_through_are_painted_from_far_to_near,
    a_crowd_is_drawn_with_as_many_calls_as_one_of_it,
}

const MEMBERS: u32 = 7;
/// Seconds on the clip's timeline of the first member.
const TIME: f32 = 0.4;

/// What it shows, with nothing around it.
fn picture_of(session: &Session) -> Frame {
    let mut frame = Frame::default();
    session.build_frame(&mut frame, &SceneColors::DARK);
    frame.display.grid = None;
    frame.display.background = Background::Transparent;
    frame.bones.clear();
    frame
}

/// The clip's time for member `i`: ahead by so many golden ratios of the clip, over its end from the start.
fn time_of(model: &Model, i: usize) -> f32 {
    let golden = f64::midpoint(5.0_f64.sqrt(), 1.0) - 1.0;
    let length = f64::from(model.clips[0].end_secs);
    ((f64::from(TIME) + i as f64 * golden * length) % length) as f32
}

/// Matrices and morph weights of member `i`, worked out on its own.
fn alone(session: &Session, i: usize) -> (Vec<Affine3A>, LocalPose) {
    let model = session.model().unwrap();
    let mut pose = scenes::pose(model, Some(0), if i == 0 { TIME } else { time_of(model, i) });
    session.edits().apply(&mut pose);
    let (mut matrices, mut palettes) = (Vec::new(), Vec::new());
    anim::local_to_model(&model.skeleton, &pose, &mut matrices);
    deform::palettes(model, &matrices, &mut palettes);
    let place = Affine3A::from_translation(session.pose().formation.offset(i));
    (palettes.into_iter().map(|m| place * m).collect(), pose)
}

/// The obstacle course, and its rigid box in three copies.
fn with_copies() -> Arc<Model> {
    let mut parts = (*obstacle_course()).clone();
    let rigid = parts.instances.iter_mut().find(|i| i.skin.is_none()).unwrap();
    rigid.copies = [0.0, 0.4, -0.7]
        .map(|x| Transform {
            translation: Vec3::new(x, 0.1, -x),
            scale: Vec3::splat(1.0 - 0.3 * x),
            ..Transform::IDENTITY
        })
        .map(Transform::to_affine)
        .to_vec();
    Arc::new(Model::build(parts).unwrap())
}

fn the_shader_deforms_every_member_as_the_cpu_does(stage: &Stage) {
    let tube = Arc::new(tube(Tube { joints: 9, influences: 6, ..Tube::default() }));
    for model in [Arc::new(obstacle_course()), with_copies(), tube] {
        for method in scenes::shader_methods() {
            let mut session = scenes::crowd(&model, MEMBERS, method, TIME);
            if model.skeleton.rest.morph_weights.len() > 1 {
                session.apply(EditCommand::EditMorph(1, 0.75));
                session.update_pose();
            }
            let frame = picture_of(&session);
            let parts = deform_on_gpu(&stage.gpu, &mut stage.renderer.borrow_mut(), &frame).unwrap();
            let mut seen: HashMap<usize, usize> = HashMap::new();
            for part in &parts {
                *seen.entry(part.member).or_default() += 1;
                let (palettes, pose) = alone(&session, part.member);
                let mut packed: Vec<Vec4> = Vec::new();
                deform::pack(method, &palettes, &mut packed);
                let packed = &packed[part.copy * method.vec4s_per_joint..];
                let mut want = Deformed::default();
                let weights = &pose.morph_weights;
                deform::deform_primitive(&model, part.instance, part.primitive, packed, weights, method, &mut want);
                let size = Aabb::from_points(want.positions.iter().copied()).farthest();
                let mesh = model.instances[part.instance.index()].mesh;
                let source = &model.meshes[mesh.index()].primitives[part.primitive];
                let mut steady = 0;
                for (i, (got, at)) in part.deformed.positions.iter().zip(&want.positions).enumerate() {
                    if !scenes::is_steady(method, source, i) {
                        continue;
                    }
                    steady += 1;
                    let off = (*got - *at).length();
                    let allowed = method.expects.shader_error * size;
                    assert!(off < allowed, "{}, member {}: {off}", method.id, part.member);
                    let mirrored = |d: &Deformed| d.determinants[i] < 0.0;
                    assert_eq!(mirrored(&part.deformed), mirrored(&want));
                }
                assert!(steady * 2 > want.positions.len(), "{}: {steady} steady vertices", method.id);
            }
            assert_eq!(seen.len(), MEMBERS as usize);
            assert!(seen.values().all(|n| *n == seen[&0]), "{seen:?}");
        }
    }
}

/// Seen from straight above nobody stands before another.
fn from_above(session: &mut Session) {
    session.apply(CameraCommand::SetViewport(Vec2::splat(128.0)));
    session.apply(CameraCommand::LookFrom(skinscope::session::ViewFrom::Top));
    session.apply(CameraCommand::ToggleOrthographic);
    session.apply(CameraCommand::FrameAll);
}

fn draw(stage: &Stage, frame: &Frame) -> Picture {
    render_image(&stage.gpu, &mut stage.renderer.borrow_mut(), frame, [128, 128]).unwrap()
}

/// The same frame with member `i` and nobody else.
fn only(session: &Session, frame: &Frame, i: usize) -> Frame {
    let (palettes, pose) = alone(session, i);
    Frame { palettes, morph_weights: pose.morph_weights, members: 1, ..frame.clone() }
}

fn the_picture_is_that_of_all_members_each_in_its_own_place_and_pose(stage: &Stage) {
    let glass = {
        let mut parts = (*with_copies()).clone();
        parts.materials.iter_mut().for_each(|m| m.alpha = AlphaMode::Blend);
        Arc::new(Model::build(parts).unwrap())
    };
    for model in [with_copies(), glass] {
        for look in [None, Some("dominant"), Some("influences")] {
            let mut session = scenes::crowd(&model, MEMBERS, METHODS[0], TIME);
            from_above(&mut session);
            session.apply(ViewCommand::SetOverlay(look));
            session.apply(ViewCommand::Set(Toggle::Wireframe, look == Some("influences")));
            session.apply(ViewCommand::Set(Toggle::Vertices, look == Some("dominant")));
            let frame = picture_of(&session);
            let all = draw(stage, &frame);
            let each: Vec<Picture> = (0..MEMBERS as usize).map(|i| draw(stage, &only(&session, &frame, i))).collect();
            let mut painted = [0_usize; MEMBERS as usize];
            for (at, got) in all.rgba.as_chunks::<4>().0.iter().enumerate() {
                let here = each.iter().map(|p| p.rgba.as_chunks::<4>().0[at]).enumerate();
                let there: Vec<_> = here.filter(|(_, pixel)| pixel[3] > 0).collect();
                assert!(there.len() < 2, "neighbours touch");
                let want = there.first().map_or([0; 4], |(_, pixel)| *pixel);
                assert!(scenes::near(*got, want, 2), "{look:?}: {got:?} for {want:?} at {at}");
                there.iter().for_each(|(i, _)| painted[*i] += 1);
            }
            assert!(painted.iter().all(|n| *n > 20), "{painted:?}");
        }
    }
}

/// Two plates behind one another that let half of the light through, one turned from the light: the nearer is painted
/// last, whichever of the members it is.
fn members_that_are_seen_through_are_painted_from_far_to_near(stage: &Stage) {
    let material = Material { alpha: AlphaMode::Blend, double_sided: true, ..Material::default() };
    let frame = Plate { alpha: 0.5, material, ..Plate::default() }.frame();
    let place = |z: f32, turn: f32| vec![Affine3A::from_translation(Vec3::Z * z) * Affine3A::from_rotation_y(turn); 2];
    let (near, far) = (place(0.7, 0.0), place(-0.7, 1.1));
    let of = |members: &[&Vec<Affine3A>]| Frame {
        palettes: members.iter().copied().flatten().copied().collect(),
        members: members.len() as u32,
        ..frame.clone()
    };
    let middle = |frame: &Frame| stage.draw(frame).at(SIZE / 2, SIZE / 2);
    let [one, other] = [middle(&of(&[&near])), middle(&of(&[&far]))];
    assert!(!scenes::near(one, other, 9), "{one:?} and {other:?}: the order shows");
    let (sorted, unsorted) = (middle(&of(&[&far, &near])), middle(&of(&[&near, &far])));
    assert!(scenes::near(sorted, unsorted, 1), "{sorted:?} and {unsorted:?}");
    // One over the other (Porter & Duff 1984): a half of the near one, and a half of the far one's half.
    let over = |near: u8, far: u8| srgb((linear(near) * 0.5 + linear(far) * 0.25) / 0.75);
    let want = [over(one[0], other[0]), over(one[1], other[1]), over(one[2], other[2]), 191];
    assert!(scenes::near(sorted, want, 3), "{sorted:?}, wanted {want:?}");
}

#[test]
fn phases_follow_the_way_the_clip_is_played() {
    let model = Arc::new(tube(Tube { joints: 3, ..Tube::default() }));
    let mut there_and_back = scenes::crowd(&model, 3, METHODS[0], TIME);
    there_and_back.apply(PlaybackCommand::SetLoop(LoopMode::PingPong));
    there_and_back.update_pose();
    // A second there and a second back: the second member is 0.618 of two seconds ahead, so on its way back.
    let golden = f64::midpoint(5.0_f64.sqrt(), 1.0) - 1.0;
    let at = (f64::from(TIME) + 2.0 * golden) % 2.0;
    assert!(at > 1.0);
    let mut want = Session::default();
    want.open(Document::new(Arc::clone(&model), vec![], None));
    want.apply(PlaybackCommand::SetPlaying(false));
    want.apply(PlaybackCommand::Seek((2.0 - at) as f32));
    want.update_pose();
    let moved = there_and_back.pose().formation.offset(1);
    let joints = model.palette_layout().len as usize;
    for (got, want) in there_and_back.pose().crowd.palettes[..joints].iter().zip(&want.pose().palettes) {
        let want = Affine3A::from_translation(moved) * *want;
        assert!(got.abs_diff_eq(want, 1e-5), "{got} for {want}");
    }
}

#[test]
fn a_crowd_larger_than_the_adapter_holds_is_an_error_that_says_so() {
    if crate::gpu(Backend::Vulkan).is_none() {
        return;
    }
    let lower = |most| wgpu::Limits { max_storage_buffer_binding_size: 16 << 20, ..most };
    let small = Gpu::headless_with(Backend::Vulkan, &lower).unwrap();
    let model = Arc::new(tube(Tube { joints: 400, ..Tube::default() }));
    let frame = picture_of(&scenes::crowd(&model, 1000, METHODS[0], TIME));
    let error = render_image(&small, &mut Renderer::new(&small), &frame, [16, 16]).unwrap_err().to_string();
    // Three vectors of sixteen bytes for each joint.
    assert!(error.starts_with("a crowd of 1000 (400000 joints) takes 18.3 MiB"), "{error}");
}

fn a_crowd_is_drawn_with_as_many_calls_as_one_of_it(stage: &Stage) {
    let model = with_copies();
    let primitives: usize =
        model.instances.iter().map(|i| model.meshes[i.mesh.index()].primitives.len()).sum::<usize>();
    for members in [1, 2, 100] {
        stage.draw(&picture_of(&scenes::crowd(&model, members, METHODS[0], TIME)));
        assert_eq!(stage.renderer.borrow().surfaces(), primitives, "{members}");
    }
}

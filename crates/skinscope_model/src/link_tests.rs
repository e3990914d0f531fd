use super::*;
use crate::test_shapes::{Joint, Tube, rigged, tube};
use crate::{Keys, MeshId};

fn degrees(turn: Quat) -> f32 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    2.0 * turn.xyz().length().atan2(turn.w).to_degrees()
}

fn share(share: f32) -> LinkDrive {
    LinkDrive { share, along: 1.0, from: Quat::IDENTITY, axis: None }
}

/// One link of half the turn, in the first skin.
fn half_way(of: NodeId, bind: Affine3A) -> LinkChange {
    LinkChange {
        of,
        links: vec![NewLink { name: "half".into(), drive: share(0.5) }],
        skins: vec![(SkinId(0), vec![bind])],
        weights: Vec::new(),
        tracks: Vec::new(),
    }
}

/// A body with two arms, whose nodes are: root, spine, left arm, left hand, right arm, right hand.
fn body() -> Model {
    let joint = |name: &str, parent: Option<usize>, place: [f32; 3]| Joint {
        name: name.into(),
        parent,
        place: Vec3::from_array(place),
        turned: Quat::IDENTITY,
    };
    rigged(&[
        joint("root", None, [0.0; 3]),
        joint("spine", Some(0), [0.0, 1.0, 0.0]),
        joint("left arm", Some(1), [0.2, 1.4, 0.0]),
        joint("left hand", Some(2), [0.7, 1.4, 0.0]),
        joint("right arm", Some(1), [-0.2, 1.4, 0.0]),
        joint("right hand", Some(4), [-0.7, 1.4, 0.0]),
    ])
}

#[test]
fn a_link_makes_its_share_of_a_turn_about_the_same_axis_by_the_shorter_way() {
    let axis = Vec3::new(1.0, 2.0, -0.5).normalize();
    let from = Quat::from_rotation_z(0.4);
    for angle in [0.0_f32, 10.0, 90.0, 170.0] {
        let turn = Quat::from_axis_angle(axis, angle.to_radians());
        for given in [from * turn, -(from * turn)] {
            let made = LinkDrive { from, ..share(0.25) }.rotation(given);
            let wanted = from * Quat::from_axis_angle(axis, 0.25 * angle.to_radians());
            assert!(made.dot(wanted).abs() > 1.0 - 1e-6, "{angle}");
        }
    }
    assert!(
        degrees(share(0.5).rotation(Quat::from_rotation_x(200_f32.to_radians()))) < 80.1,
        "the shorter way is 160°"
    );
}

#[test]
fn a_link_for_the_twist_takes_nothing_of_the_swing() {
    let drive = LinkDrive { axis: Some(Vec3::X), ..share(0.5) };
    for twist in [-150.0_f32, -20.0, 0.0, 90.0, 170.0] {
        for swing in [0.0_f32, 30.0, -70.0] {
            let turn = Quat::from_rotation_y(swing.to_radians()) * Quat::from_rotation_x(twist.to_radians());
            assert!((twist_about(turn, Vec3::X).to_degrees() - twist).abs() < 1e-3, "{twist} {swing}");
            assert!((twist_about(-turn, Vec3::X).to_degrees() - twist).abs() < 1e-3, "{twist} {swing}");
            let wanted = Quat::from_rotation_x(0.5 * twist.to_radians());
            assert!(drive.rotation(turn).dot(wanted).abs() > 1.0 - 1e-6, "{twist} {swing}");
        }
    }
}

#[test]
fn a_joint_gains_a_link_and_what_names_later_nodes_follows() {
    let model = body();
    let bind = model.skins[0].inverse_bind[3];
    let linked = model.with_links(&half_way(NodeId(3), bind)).unwrap();
    let names: Vec<&str> = linked.skeleton.names.iter().map(String::as_str).collect();
    assert_eq!(names, ["root", "spine", "left arm", "left hand", "half", "right arm", "right hand"]);
    let parents: Vec<Option<u32>> = linked.skeleton.parents.iter().map(|parent| parent.map(|id| id.0)).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(2), Some(2), Some(1), Some(5)]);
    // The numbers of joints stay, and the link comes after them.
    let joints: Vec<u32> = linked.skins[0].joints.iter().map(|joint| joint.0).collect();
    assert_eq!(joints, [0, 1, 2, 3, 5, 6, 4]);
    assert_eq!(linked.skeleton.file_index, [0, 1, 2, 3, 6, 4, 5]);
    assert_eq!(linked.skeleton.rest.transforms[4], linked.skeleton.rest.transforms[3]);
    assert!(linked.is_of_one_file(&model) && !linked.shares_all_but_edits(&model));
    assert!(linked.scenes[0].contains[4] && linked.is_joint(NodeId(4)));
    assert_eq!(linked.new_links().map(|link| (link.node, link.of)).collect::<Vec<_>>(), [(NodeId(4), NodeId(3))]);
}

#[test]
fn a_link_follows_its_joint_in_every_pose_and_in_its_clips() {
    let model = tube(Tube { joints: 3, ..Tube::default() });
    let (of, link) = (NodeId(2), NodeId(4));
    let mut change = half_way(of, model.skins[0].inverse_bind[1]);
    let values: Keys<Quat> = vec![Quat::IDENTITY, Quat::from_rotation_x(0.1)].into();
    let (times, values) = (vec![0.0, 1.0], Values::Quat(values));
    let interpolation = Interpolation::Linear;
    change.tracks.push(LinkTrack { clip: ClipId(0), link: 0, path: Path::Rotation, times, interpolation, values });
    let mut weights = WeightChange::new(MeshId(0), 0, 4);
    weights.push(0, &[3, 0], &[0.5, 0.5]);
    change.weights.push(weights);
    let linked = model.with_links(&change).unwrap();
    let mut pose = linked.skeleton.rest.clone();
    pose.transforms[of.index()].rotation = Quat::from_rotation_z(1.0);
    linked.drive_links(&mut pose);
    assert!((degrees(pose.transforms[link.index()].rotation) - 0.5_f32.to_degrees()).abs() < 1e-3);
    assert_eq!(linked.clips[0].channels.last().map(|channel| channel.node), Some(link));
    assert_eq!(linked.influences(MeshId(0), 0).unwrap().of(0).0[..2], [3, 0]);
    // A model without links leaves poses alone.
    let mut same = model.skeleton.rest.clone();
    model.drive_links(&mut same);
    assert_eq!(same, model.skeleton.rest);
}

#[test]
fn nodes_and_added_clips_are_found_again_where_ids_have_moved() {
    let plain = body();
    let linked = plain.with_links(&half_way(NodeId(3), plain.skins[0].inverse_bind[3])).unwrap();
    let ids = |nodes: Vec<Option<NodeId>>| nodes.iter().map(|node| node.map(|node| node.0)).collect::<Vec<_>>();
    assert_eq!(ids(plain.nodes_in(&linked)), [0, 1, 2, 3, 5, 6].map(Some));
    assert_eq!(ids(linked.nodes_in(&plain)), [Some(0), Some(1), Some(2), Some(3), None, Some(4), Some(5)]);
    let values = Values::Quat(vec![Quat::IDENTITY].into());
    let sampler = Sampler { times: 0, interpolation: Interpolation::Step, values };
    let channel = |node: u32| Channel { node: NodeId(node), path: Path::Rotation, sampler: 0 };
    let (channels, times) = (vec![channel(4), channel(6)], vec![vec![0.0]]);
    let clip = Clip { name: "made".into(), channels, samplers: vec![sampler], times, ..Clip::default() };
    let with_clip = linked.with_clips(vec![clip]).unwrap();
    let back = plain.with_clips_of(&with_clip).unwrap();
    let moved: Vec<u32> = back.clips[0].channels.iter().map(|channel| channel.node.0).collect();
    assert_eq!(moved, [5], "the right hand, and not the link");
}

#[test]
fn links_that_do_not_fit_are_refused_with_the_reason() {
    let model = tube(Tube { joints: 3, ..Tube::default() });
    let bind = model.skins[0].inverse_bind[1];
    let why = |model: &Model, edit: fn(&mut LinkChange)| {
        let mut change = half_way(NodeId(2), bind);
        edit(&mut change);
        model.with_links(&change).err().map_or_else(|| "nothing".into(), |error| error.what)
    };
    assert_eq!(why(&model, |_| {}), "nothing");
    assert_eq!(why(&model, |change| change.of = NodeId(0)), "the joint hangs on no node");
    assert_eq!(why(&model, |change| change.of = NodeId(9)), "their joint is not there");
    assert_eq!(why(&model, |change| change.links.clear()), "there are none");
    assert_eq!(why(&model, |change| change.skins.clear()), "no skin gains them");
    assert_eq!(why(&model, |change| change.skins[0].1.clear()), "it does not gain each link once");
    assert_eq!(why(&model, |change| change.links[0].drive.share = 2.0), "what drives it is out of range");
    let linked = model.with_links(&half_way(NodeId(2), bind)).unwrap();
    assert_eq!(why(&linked, |_| {}), "the joint has links already, or is one");
    assert_eq!(why(&linked, |change| change.of = NodeId(4)), "the joint has links already, or is one");
}

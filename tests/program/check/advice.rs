//! Advice about rigs: on which characters of the corpus it is given.

use super::*;

/// The rules that advise.
const ADVICE: &str = "shoulder-clavicle,forearm-twist,sharp-bend";

/// Returns each finding about a rig as its rule and the joint that is named first, sorted. Advice alone fails no check, also where warnings do.
fn told(path: &Path) -> Vec<(String, String)> {
    let report = report(&[path.to_str().unwrap(), "--rules", ADVICE, "--fail-on", "warning"], 0);
    let findings = report["files"][0]["findings"].as_array().unwrap();
    let of = |finding: &Value| {
        assert_eq!(finding["severity"], "info");
        let percent = finding["measure"]["value"].as_f64().unwrap();
        assert!(percent.abs() < 100.0, "{finding}");
        assert_eq!(finding["joints"].as_array().map(Vec::len), Some(2), "{finding}");
        let joint = finding["message"].as_str().and_then(|text| text.split('"').nth(1)).unwrap();
        (finding["rule"].as_str().unwrap().to_owned(), joint.to_owned())
    };
    let mut out: Vec<(String, String)> = findings.iter().map(of).collect();
    out.sort();
    out
}

/// Of each it was looked at why: the joints of limbs blend over two rows and more, or over rows that are longer than the limb is thick
/// (the fox), the arms of the knight are pieces of their own with a joint at the wrist that takes its part of the turn, and the built-in
/// character has clavicles.
#[test]
fn artists_characters_need_no_advice() {
    let Some(corpus) = common::corpus() else { return };
    for name in [
        "CesiumMan.glb",
        "Fox.glb",
        "RiggedFigure.glb",
        "RobotExpressive.glb",
        "KayKit_Knight.glb",
        "Tube8Influences.glb",
        "MultiSkin.glb",
        "WebXR_hand.glb",
    ] {
        assert_eq!(told(&corpus.join("models").join(name)), [], "{name}");
    }
    assert_eq!(told(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb")), []);
}

/// With one joint for each vertex every limb that its clips bend by more than 60° is cut hard, and the joint of the wrist moves nothing.
#[test]
fn a_character_whose_weights_are_cut_hard_gets_advice_about_each_limb_that_its_clips_bend() {
    let Some(corpus) = common::corpus() else { return };
    let folder = crate::fix::folder("advice");
    let model = corpus.join("models/KayKit_Knight.glb");
    let out = crate::fix::fix(&folder, &[model.to_str().unwrap(), "-o", "hard.glb", "--limit", "1"]);
    assert!(out.status.success(), "{}", crate::fix::said(&out));
    let told = told(&folder.join("hard.glb"));
    let of = |rule: &str| told.iter().filter(|(id, _)| id == rule).map(|(_, joint)| joint.as_str()).collect::<Vec<_>>();
    assert_eq!(of("shoulder-clavicle"), [] as [&str; 0]);
    assert_eq!(of("forearm-twist"), ["lowerarm.l", "lowerarm.r"]);
    let bent = of("sharp-bend");
    for joint in ["lowerarm.l", "lowerarm.r", "lowerleg.l", "lowerleg.r", "hand.l", "hand.r"] {
        assert!(bent.contains(&joint), "{joint}: {bent:?}");
    }
    assert!(!bent.contains(&"upperarm.l") && !bent.contains(&"upperleg.l"), "{bent:?}");
}

/// Both walk or run on legs that bend by more than 60°. The strip of the figure is narrow for its limbs; the triangles of the fox are longer than
/// its limbs are thick, so that even a hard cut is no narrow strip.
#[test]
fn a_hard_cut_is_told_at_each_limb_of_a_figure_and_at_none_of_a_fox_of_long_triangles() {
    let Some(corpus) = common::corpus() else { return };
    let folder = crate::fix::folder("advice cut");
    let told = |name: &str| {
        let model = corpus.join("models").join(format!("{name}.glb"));
        let out = crate::fix::fix(&folder, &[model.to_str().unwrap(), "-o", "hard.glb", "--limit", "1"]);
        assert!(out.status.success(), "{}", crate::fix::said(&out));
        let told = told(&folder.join("hard.glb"));
        std::fs::remove_file(folder.join("hard.glb")).unwrap();
        told
    };
    let joints = ["Skeleton_arm_joint_L__4_", "Skeleton_arm_joint_R", "leg_joint_L_2", "leg_joint_R_2"];
    assert_eq!(told("CesiumMan"), joints.map(|joint| ("sharp-bend".to_owned(), joint.to_owned())));
    assert_eq!(told("Fox"), []);
}

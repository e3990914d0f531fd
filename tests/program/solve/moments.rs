//! Moments of clips as the poses of examples: in the folder of `solve`, and by their names.

use std::fs;
use std::path::Path;

use super::{figures, folder, json, ok};
use crate::fix::run::captured;
use crate::fix::{contents, said};

/// Writes a pose file that names a moment of a clip.
fn moment(folder: &Path, name: &str, moment: &str) {
    fs::write(folder.join(format!("sculpts/{name}.pose.json")), format!("{{\"skinscope_pose\": 1, {moment}}}"))
        .unwrap();
}

#[test]
fn an_example_may_be_of_a_moment_of_a_clip() {
    let folder = folder("moments");
    ok(&folder, &["fix", "a.glb", "--limit", "1", "-o", "lost.glb"]);
    moment(&folder, "Step", "\"clip\": \"Walk\", \"time\": 0.4");
    moment(&folder, "Wave", "\"clip\": 2, \"time\": 1.5");
    for name in ["Step", "Wave"] {
        let [pose, mesh] = ["pose.json", "ply"].map(|ending| format!("sculpts/{name}.{ending}"));
        ok(&folder, &["bake", "a.glb", "--pose", &pose, "-o", &mesh]);
    }
    // The file is no rest pose to those who show it either.
    ok(&folder, &["bake", "a.glb", "-o", "rest.ply"]);
    assert!(fs::read(folder.join("rest.ply")).unwrap() != fs::read(folder.join("sculpts/Step.ply")).unwrap());
    let told = json(&folder, &["solve", "lost.glb", "--poses", "sculpts", "-o", "out.glb", "--json"]);
    let examples = told["examples"].as_array().unwrap();
    assert_eq!(examples.len(), 2);
    for example in examples {
        let [before, after, _] = figures(example);
        assert!(after < 0.7 * before, "{example}");
    }
}

#[test]
fn a_vertex_is_held_at_a_moment_of_a_clip_as_in_the_file_that_names_it() {
    let folder = folder("held at a moment");
    moment(&folder, "Step", "\"clip\": \"#1\", \"time\": 0.4");
    let of = |pose: &str| {
        let held = format!("--vertex=0,0,40=0.1,1.2,0@{pose}");
        json(&folder, &["solve", "a.glb", &held, "-o", "out.glb", "--json"])["pins"][0].clone()
    };
    let file = folder.join("sculpts/Step.pose.json");
    let named = file.display().to_string();
    let [by_file, by_name] = [named.as_str(), "Walk@0.4"].map(of);
    assert_eq!(by_name["pose"], "Walk@0.4");
    for key in ["away", "outside"] {
        assert!(by_file[key] == by_name[key] && by_name[key].is_number(), "{by_file} {by_name}");
    }
    let rest = folder.join("sculpts/Rest.pose.json");
    fs::write(&rest, "{\"skinscope_pose\": 1}").unwrap();
    assert!(of(&rest.display().to_string())["outside"] != by_name["outside"], "the clip has moved the vertex");
}

#[test]
fn a_moment_that_is_none_of_the_model_is_refused_with_the_reason() {
    let folder = folder("no moment");
    ok(&folder, &["bake", "a.glb", "-o", "sculpts/Step.ply"]);
    let refused = |arguments: &[&str], why: &str| {
        let before = contents(&folder);
        let out = captured(&folder, &[arguments, &["-o", "none.glb"]].concat());
        assert!(out.status.code() == Some(2) && said(&out).contains(why), "{arguments:?}: {}", said(&out));
        assert!(contents(&folder) == before, "{arguments:?}");
    };
    let solve = ["solve", "a.glb", "--poses", "sculpts"];
    moment(&folder, "Step", "\"clip\": \"Jump\"");
    refused(&solve, "there is no clip \"Jump\"; clips: ");
    moment(&folder, "Step", "\"clip\": \"Walk\", \"time\": 7");
    refused(&solve, "7 s is outside the clip \"Walk\"");
    refused(&["solve", "a.glb", "--vertex=0,0,40=0.1,1.2,0@Jump@0.4"], "there is no clip \"Jump\"");
    refused(&["solve", "a.glb", "--vertex=0,0,40=0.1,1.2,0@Walk@7"], "outside the clip \"Walk\"");
    refused(&["sculpt", "a.glb", "--from=Walk@7=mush"], "outside the clip \"Walk\"");
}

//! No output replaces a file that is read, whatever it is called.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{contents, folder, has_gpu, run, said, shell, write_model};

/// Ends with exit code 2, says what to do, and leaves all files as they were.
fn refused(folder: &Path, arguments: &[&str]) {
    let before = (contents(folder), contents(folder.parent().unwrap()));
    let out = run(folder, arguments);
    let said = said(&out);
    assert_eq!(out.status.code(), Some(2), "{arguments:?}: {said}");
    assert!(said.contains("give the output another name"), "{arguments:?}: {said}");
    assert!(before == (contents(folder), contents(folder.parent().unwrap())), "{arguments:?} changed a file");
}

#[test]
fn no_output_replaces_the_model_by_whatever_name() {
    let folder = folder("model/in");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb"), folder.join("in.glb")).unwrap();
    fs::create_dir(folder.join("sub")).unwrap();
    symlink("in.glb", folder.join("link.glb")).unwrap();
    symlink("link.glb", folder.join("link2.glb")).unwrap();
    symlink("../in", folder.join("folder")).unwrap();
    fs::hard_link(folder.join("in.glb"), folder.join("hard.glb")).unwrap();
    fs::hard_link(folder.join("in.glb"), folder.join("hard.html")).unwrap();
    let absolute = folder.join("in.glb");
    for output in [
        "in.glb",
        "./in.glb",
        "sub/../in.glb",
        "link.glb",
        "link2.glb",
        "folder/in.glb",
        "hard.glb",
        absolute.to_str().unwrap(),
    ] {
        refused(&folder, &["bake", "in.glb", "-o", output]);
        refused(&folder, &["bake", output, "-o", "in.glb"]);
    }
    refused(&folder, &["check", "in.glb", "--html", "hard.html"]);
    // Another file is replaced.
    fs::write(folder.join("out.glb"), "old").unwrap();
    let out = run(&folder, &["bake", "in.glb", "-o", "out.glb"]);
    assert!(out.status.success() && fs::read(folder.join("out.glb")).unwrap().starts_with(b"glTF"), "{}", said(&out));
}

#[test]
fn no_output_replaces_a_file_that_the_model_names() {
    let folder = folder("parts/in");
    for buffer in ["data.ply", "data.glb"] {
        write_model(&folder, buffer);
        refused(&folder, &["bake", "x.gltf", "-o", buffer]);
    }
    write_model(&folder, "data.html");
    refused(&folder, &["check", "x.gltf", "--html", "data.html"]);
    if !has_gpu() {
        return;
    }
    symlink("my skin.png", folder.join("link.png")).unwrap();
    // One that is missing would be found in the picture.
    for output in ["my skin.png", "link.png", "unused.png", "broken.png", "missing.png", "../outside.png"] {
        refused(&folder, &["render", "x.gltf", "--size", "16x16", "-o", output]);
    }
    let out = run(&folder, &["render", "x.gltf", "--size", "16x16", "-o", "picture.png"]);
    assert!(out.status.success() && image::open(folder.join("picture.png")).is_ok(), "{}", said(&out));
}

/// Files that are read beside the model: the second one of two, poses, and a model whose weights are taken.
#[test]
fn no_output_replaces_another_input() {
    let folder = folder("others/in");
    let character = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    fs::copy(&character, folder.join("a.glb")).unwrap();
    write_model(&folder, "data.bin");
    let made = run(&folder, &["pose", "a.glb", "-o", "made.pose.json", "--rotate", "Head=0,20,0"]);
    assert!(made.status.success(), "{}", said(&made));
    // Each of them also has a name with the ending of every output.
    for (file, stem) in [("a.glb", "model"), ("data.bin", "data"), ("made.pose.json", "pose")] {
        for ending in ["glb", "html", "json", "png", "pose.json"] {
            fs::hard_link(folder.join(file), folder.join(format!("{stem}.{ending}"))).unwrap();
        }
    }
    for output in ["model.html", "data.html"] {
        refused(&folder, &["diff", "a.glb", "x.gltf", "--html", output]);
        refused(&folder, &["diff", "x.gltf", "a.glb", "--html", output]);
    }
    for pose in ["made.pose.json", "pose.png"] {
        refused(&folder, &["bake", "a.glb", "--pose", pose, "-o", "pose.glb"]);
        refused(&folder, &["fix", "a.glb", "--bind-here", "--pose", pose, "-o", "pose.glb"]);
        for output in ["pose.pose.json", "model.pose.json", "made.pose.json"] {
            refused(&folder, &["pose", "a.glb", "--from", pose, "-o", output]);
            refused(&folder, &["pose", "a.glb", "--blend", &format!("{pose}=0.5"), "-o", output]);
            refused(&folder, &["pose", "a.glb", "--add", &format!("{pose}=0.5"), "-o", output]);
        }
    }
    refused(&folder, &["pose", "a.glb", "--made-on", "x.gltf", "-o", "data.pose.json"]);
    refused(&folder, &["fix", "x.gltf", "--transfer", "a.glb", "-o", "model.glb"]);
    fs::copy(&character, folder.join("b.glb")).unwrap();
    for command in ["clip", "bake"] {
        refused(&folder, &[command, "b.glb", "--clips-from", "a.glb", "-o", "model.glb"]);
    }
    refused(&folder, &["clip", "b.glb", "--key", "1=made.pose.json", "-o", "pose.glb"]);
    for command in [
        "compare a.glb --b dominant",
        "measure a.glb",
        "measure a.glb --json",
        "bench a.glb",
        "diff a.glb x.gltf --json",
    ] {
        let before = contents(&folder);
        let out = shell(&folder, &format!("\"$0\" {command} >> model.json"));
        assert_eq!(out.status.code(), Some(2), "{command}: {}", said(&out));
        assert!(said(&out).contains("standard output: this is the file"), "{}", said(&out));
        assert!(before == contents(&folder), "{command} changed a file");
    }
    if has_gpu() {
        for (option, file, output) in [
            ("--pose", "made.pose.json", "pose.png"),
            ("--compare-file", "a.glb", "model.png"),
            ("--stored", "a.glb", "model.png"),
        ] {
            refused(&folder, &["render", "model.glb", option, file, "--size", "16x16", "-o", output]);
        }
    }
}

#[test]
fn the_page_of_check_replaces_none_of_its_inputs_and_is_not_where_standard_output_goes() {
    let folder = folder("page/in");
    fs::write(folder.join("x.html"), "<p>mine</p>").unwrap();
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb"), folder.join("a.glb")).unwrap();
    symlink("x.html", folder.join("link.html")).unwrap();
    refused(&folder, &["check", "--html", "x.html", "x.html"]);
    refused(&folder, &["check", "--html", "link.html", "a.glb", "x.html"]);
    refused(&folder, &["check", "--html", "./x.html", "x.html", "a.glb"]);
    let twice = run(&folder, &["check", "--html", "y.html", "--html", "y.html", "a.glb"]);
    assert_eq!(twice.status.code(), Some(2));
    let both = shell(&folder, "\"$0\" check a.glb --html page.html > page.html");
    assert_eq!(both.status.code(), Some(2), "{}", said(&both));
    assert!(said(&both).contains("standard output goes to this file too"), "{}", said(&both));
}

#[test]
fn standard_output_is_not_added_to_what_is_read() {
    let folder = folder("redirected/in");
    write_model(&folder, "data.bin");
    for command in ["info", "info --json", "info --load", "check", "check --json"] {
        for name in ["x.gltf", "data.bin", "broken.png"] {
            let before = contents(&folder);
            let out = shell(&folder, &format!("\"$0\" {command} x.gltf >> {name}"));
            assert_eq!(out.status.code(), Some(2), "{command} >> {name}: {}", said(&out));
            assert!(said(&out).contains("standard output: this is the file"), "{}", said(&out));
            assert!(before == contents(&folder), "{command} >> {name} changed a file");
        }
    }
}

#[test]
fn the_list_of_controls_replaces_nothing() {
    let folder = folder("controls/in");
    fs::write(folder.join("there.json"), "mine").unwrap();
    symlink("nowhere", folder.join("link.json")).unwrap();
    for output in ["there.json", "link.json"] {
        let before = contents(&folder);
        let out = run(&folder, &["view", "--controls", output]);
        assert!(out.status.code() == Some(2) && said(&out).contains("exists already"), "{}", said(&out));
        assert!(before == contents(&folder));
    }
}

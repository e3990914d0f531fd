//! No output replaces a file that is read, whatever it is called.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::{contents, folder, has_gpu, run, said, shell, write_model};

/// How a command is carried out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// Called in this process, with absolute names.
    Call,
    /// Launched in the folder, with names relative to it.
    Launch,
}

/// An argument whose names of files, each of which begins with `@`, lie in a folder.
fn placed(argument: &str, folder: &str) -> String {
    match argument.strip_prefix('@') {
        Some(name) => format!("{folder}{name}"),
        None => argument.replace("=@", &format!("={folder}")),
    }
}

/// Ends with exit code 2, says what to do, and leaves all files as they were.
fn refused(by: By, folder: &Path, arguments: &[&str]) {
    let before = (contents(folder), contents(folder.parent().unwrap()));
    let (code, said) = if by == By::Call {
        let prefix = format!("{}/", folder.display());
        let all = ["skinscope".to_owned()].into_iter().chain(arguments.iter().map(|a| placed(a, &prefix)));
        let (code, captured) = skinscope::cli::captured(all.map(OsString::from));
        (Some(i32::from(code)), String::from_utf8_lossy(&captured.stderr).into_owned())
    } else {
        let all: Vec<String> = arguments.iter().map(|a| placed(a, "")).collect();
        let out = run(folder, &all.iter().map(String::as_str).collect::<Vec<_>>());
        (out.status.code(), said(&out))
    };
    assert_eq!(code, Some(2), "{arguments:?}: {said}");
    assert!(said.contains("give the output another name"), "{arguments:?}: {said}");
    assert!(before == (contents(folder), contents(folder.parent().unwrap())), "{arguments:?} changed a file");
}

/// A folder in which the built-in character has many names.
fn names_of_one_model(name: &str) -> PathBuf {
    let folder = folder(name);
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb"), folder.join("in.glb")).unwrap();
    fs::create_dir(folder.join("sub")).unwrap();
    symlink("in.glb", folder.join("link.glb")).unwrap();
    symlink("link.glb", folder.join("link2.glb")).unwrap();
    symlink("../in", folder.join("folder")).unwrap();
    fs::hard_link(folder.join("in.glb"), folder.join("hard.glb")).unwrap();
    fs::hard_link(folder.join("in.glb"), folder.join("hard.html")).unwrap();
    folder
}

/// Relative to that folder.
const NAMES: [&str; 7] =
    ["@in.glb", "@./in.glb", "@sub/../in.glb", "@link.glb", "@link2.glb", "@folder/in.glb", "@hard.glb"];

#[test]
fn no_output_replaces_the_model_by_whatever_name() {
    let folder = names_of_one_model("model/in");
    for output in NAMES {
        refused(By::Call, &folder, &["bake", "@in.glb", "-o", output]);
        refused(By::Call, &folder, &["bake", output, "-o", "@in.glb"]);
    }
    refused(By::Launch, &folder, &["bake", "@in.glb", "-o", "@./in.glb"]);
    refused(By::Launch, &folder, &["check", "@in.glb", "--html", "@hard.html"]);
    // Another file is replaced.
    fs::write(folder.join("out.glb"), "old").unwrap();
    let out = run(&folder, &["bake", "in.glb", "-o", "out.glb"]);
    assert!(out.status.success() && fs::read(folder.join("out.glb")).unwrap().starts_with(b"glTF"), "{}", said(&out));
}

#[test]
#[ignore = "full: it launches the program for each name"]
fn no_output_of_a_launched_program_replaces_the_model_by_whatever_name() {
    let folder = names_of_one_model("model_launched/in");
    let absolute = folder.join("in.glb");
    for output in NAMES.into_iter().chain([absolute.to_str().unwrap()]) {
        refused(By::Launch, &folder, &["bake", "@in.glb", "-o", output]);
        refused(By::Launch, &folder, &["bake", output, "-o", "@in.glb"]);
    }
}

/// Tries to write over files that a model names: pictures over these.
fn replaces_no_part(by: By, folder: &Path, pictures: &[&str]) {
    for buffer in ["data.ply", "data.glb"] {
        write_model(folder, buffer);
        refused(by, folder, &["bake", "@x.gltf", "-o", &format!("@{buffer}")]);
    }
    write_model(folder, "data.html");
    refused(By::Launch, folder, &["check", "@x.gltf", "--html", "@data.html"]);
    if !has_gpu() {
        return;
    }
    symlink("my skin.png", folder.join("link.png")).unwrap();
    // One that is missing would be found in the picture.
    for &output in pictures {
        refused(by, folder, &["render", "@x.gltf", "--size", "16x16", "-o", output]);
    }
    let out = run(folder, &["render", "x.gltf", "--size", "16x16", "-o", "picture.png"]);
    assert!(out.status.success() && image::open(folder.join("picture.png")).is_ok(), "{}", said(&out));
}

#[test]
fn no_output_replaces_a_file_that_the_model_names() {
    replaces_no_part(By::Call, &folder("parts/in"), &["@link.png", "@missing.png"]);
}

#[test]
#[ignore = "full: it launches the program for each file"]
fn no_output_of_a_launched_program_replaces_a_file_that_the_model_names() {
    let pictures = ["@my skin.png", "@link.png", "@unused.png", "@broken.png", "@missing.png", "@../outside.png"];
    replaces_no_part(By::Launch, &folder("parts_launched/in"), &pictures);
}

/// Tries to write over files that are read beside the model (the second one of two, poses, a model whose weights are taken), and to
/// let these commands print into the model.
fn replaces_no_other_input(by: By, folder: &Path, printing: &[&str]) {
    let refused = |arguments: &[&str]| refused(by, folder, arguments);
    let character = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    fs::copy(&character, folder.join("a.glb")).unwrap();
    write_model(folder, "data.bin");
    let made = run(folder, &["pose", "a.glb", "-o", "made.pose.json", "--rotate", "Head=0,20,0"]);
    assert!(made.status.success(), "{}", said(&made));
    // Each of them also has a name with the ending of every output.
    for (file, stem) in [("a.glb", "model"), ("data.bin", "data"), ("made.pose.json", "pose")] {
        for ending in ["glb", "html", "json", "png", "pose.json"] {
            fs::hard_link(folder.join(file), folder.join(format!("{stem}.{ending}"))).unwrap();
        }
    }
    for output in ["@model.html", "@data.html"] {
        refused(&["diff", "@a.glb", "@x.gltf", "--html", output]);
        refused(&["diff", "@x.gltf", "@a.glb", "--html", output]);
    }
    for pose in ["@made.pose.json", "@pose.png"] {
        refused(&["bake", "@a.glb", "--pose", pose, "-o", "@pose.glb"]);
        refused(&["fix", "@a.glb", "--bind-here", "--pose", pose, "-o", "@pose.glb"]);
        for output in ["@pose.pose.json", "@model.pose.json", "@made.pose.json"] {
            refused(&["pose", "@a.glb", "--from", pose, "-o", output]);
            refused(&["pose", "@a.glb", "--blend", &format!("{pose}=0.5"), "-o", output]);
            refused(&["pose", "@a.glb", "--add", &format!("{pose}=0.5"), "-o", output]);
        }
    }
    refused(&["pose", "@a.glb", "--made-on", "@x.gltf", "-o", "@data.pose.json"]);
    refused(&["fix", "@x.gltf", "--transfer", "@a.glb", "-o", "@model.glb"]);
    fs::copy(&character, folder.join("b.glb")).unwrap();
    for command in ["clip", "bake"] {
        refused(&[command, "@b.glb", "--clips-from", "@a.glb", "-o", "@model.glb"]);
    }
    refused(&["clip", "@b.glb", "--key", "1=@made.pose.json", "-o", "@pose.glb"]);
    for command in printing {
        let before = contents(folder);
        let out = shell(folder, &format!("\"$0\" {command} >> model.json"));
        assert_eq!(out.status.code(), Some(2), "{command}: {}", said(&out));
        assert!(said(&out).contains("standard output: this is the file"), "{}", said(&out));
        assert!(before == contents(folder), "{command} changed a file");
    }
    if has_gpu() {
        for (option, file, output) in [
            ("--pose", "@made.pose.json", "@pose.png"),
            ("--compare-file", "@a.glb", "@model.png"),
            ("--stored", "@a.glb", "@model.png"),
        ] {
            refused(&["render", "@model.glb", option, file, "--size", "16x16", "-o", output]);
        }
    }
}

#[test]
fn no_output_replaces_another_input() {
    replaces_no_other_input(By::Call, &folder("others/in"), &["measure a.glb", "diff a.glb x.gltf --json"]);
}

#[test]
#[ignore = "full: it launches the program for each input and each output"]
fn no_output_of_a_launched_program_replaces_another_input() {
    let printing = [
        "compare a.glb --b dominant",
        "measure a.glb",
        "measure a.glb --json",
        "bench a.glb",
        "diff a.glb x.gltf --json",
    ];
    replaces_no_other_input(By::Launch, &folder("others_launched/in"), &printing);
}

#[test]
fn the_page_of_check_replaces_none_of_its_inputs_and_is_not_where_standard_output_goes() {
    let folder = folder("page/in");
    fs::write(folder.join("x.html"), "<p>mine</p>").unwrap();
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb"), folder.join("a.glb")).unwrap();
    symlink("x.html", folder.join("link.html")).unwrap();
    refused(By::Launch, &folder, &["check", "--html", "@x.html", "@x.html"]);
    refused(By::Launch, &folder, &["check", "--html", "@link.html", "@a.glb", "@x.html"]);
    refused(By::Launch, &folder, &["check", "--html", "@./x.html", "@x.html", "@a.glb"]);
    let twice = run(&folder, &["check", "--html", "y.html", "--html", "y.html", "a.glb"]);
    assert_eq!(twice.status.code(), Some(2));
    let both = shell(&folder, "\"$0\" check a.glb --html page.html > page.html");
    assert_eq!(both.status.code(), Some(2), "{}", said(&both));
    assert!(said(&both).contains("standard output goes to this file too"), "{}", said(&both));
}

/// Adds what a command prints of `x.gltf` to a file that it reads.
fn is_not_added(folder: &Path, command: &str, name: &str) {
    let before = contents(folder);
    let out = shell(folder, &format!("\"$0\" {command} x.gltf >> {name}"));
    assert_eq!(out.status.code(), Some(2), "{command} >> {name}: {}", said(&out));
    assert!(said(&out).contains("standard output: this is the file"), "{}", said(&out));
    assert!(before == contents(folder), "{command} >> {name} changed a file");
}

#[test]
fn standard_output_is_not_added_to_what_is_read() {
    let folder = folder("redirected/in");
    write_model(&folder, "data.bin");
    for (command, name) in [
        ("info", "x.gltf"),
        ("info --json", "data.bin"),
        ("info --load", "broken.png"),
        ("check", "data.bin"),
        ("check --json", "x.gltf"),
    ] {
        is_not_added(&folder, command, name);
    }
}

#[test]
#[ignore = "full: it launches the program for each command and each file"]
fn standard_output_of_no_command_is_added_to_anything_that_it_reads() {
    let folder = folder("redirected_all/in");
    write_model(&folder, "data.bin");
    for command in ["info", "info --json", "info --load", "check", "check --json"] {
        for name in ["x.gltf", "data.bin", "broken.png"] {
            is_not_added(&folder, command, name);
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

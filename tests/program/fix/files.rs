//! Which files are written: names, copies, backups, exit codes, full disks, killed writers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::fix::made::{Doc, F32, Layout, Pairs, U8, pairs};
use crate::fix::reader::{File, chunks, differences};
use crate::fix::{PROGRAM, contents, fix, folder, launched, launched_report, models, report, said};

/// Weights that normalising changes.
fn unclean() -> Pairs {
    pairs(F32, 1, true, 77)
}

fn fails(folder: &Path, code: i32, arguments: &[&str], words: &str) {
    let before = contents(folder);
    let out = launched(folder, arguments);
    assert_eq!(out.status.code(), Some(code), "{arguments:?}: {}", said(&out));
    assert!(said(&out).contains(words), "{arguments:?} does not say \"{words}\": {}", said(&out));
    assert!(contents(folder) == before, "{arguments:?} wrote something");
}

#[test]
fn without_an_operation_models_stay_as_they_are() {
    // Of the malformed files, which mostly do not load, every sixth.
    let mut malformed = 0;
    let few = models().into_iter().filter(|model| {
        malformed += usize::from(is_malformed(model));
        fs::metadata(model).unwrap().len() < 1_000_000 && (!is_malformed(model) || malformed % 6 == 1)
    });
    nothing_changes(&folder("models"), few);
}

#[test]
#[ignore = "full: more than a hundred models are copied, some of them large"]
fn without_an_operation_every_model_stays_as_it_is() {
    nothing_changes(&folder("every model"), models());
}

fn is_malformed(model: &Path) -> bool {
    model.parent().is_some_and(|folder| folder.ends_with("malformed"))
}

fn nothing_changes(folder: &Path, models: impl IntoIterator<Item = PathBuf>) {
    let mut seen = 0;
    for model in models {
        let ending = model.extension().unwrap().to_str().unwrap().to_owned();
        let out = folder.join("sub").join(format!("out.{ending}"));
        let _absent = fs::remove_dir_all(folder.join("sub"));
        fs::create_dir(folder.join("sub")).unwrap();
        let ran = fix(folder, &[model.to_str().unwrap(), "-o", out.to_str().unwrap()]);
        if ran.status.code() == Some(1) {
            // It does not load, and nothing is written.
            assert!(contents(&folder.join("sub")).is_empty(), "{}", model.display());
            continue;
        }
        assert!(ran.status.success(), "{}: {}", model.display(), said(&ran));
        assert!(fs::read(&model).unwrap() == fs::read(&out).unwrap(), "{}", model.display());
        // Buffers and images lie beside the copy as they lie beside the model.
        for (name, bytes) in contents(&folder.join("sub")).iter().filter(|(name, _)| !name.starts_with("out.")) {
            assert!(fs::read(model.with_file_name(name)).unwrap() == *bytes, "{}: {name}", model.display());
        }
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
}

#[test]
#[cfg(unix)]
fn a_file_with_another_hard_link_is_said_and_stays_one_where_that_is_asked_for() {
    let folder = folder("hard links");
    let doc = Doc::new(&unclean(), Layout::Plain);
    let begin = || {
        fs::write(folder.join("a.glb"), doc.glb()).unwrap();
        let _absent = fs::remove_file(folder.join("hard.glb"));
        fs::hard_link(folder.join("a.glb"), folder.join("hard.glb")).unwrap();
    };
    let [one, other] = ["a.glb", "hard.glb"].map(|name| folder.join(name));
    begin();
    let out = launched(&folder, &["a.glb", "--in-place", "--normalise"]);
    let told = "a.glb: it has 1 other hard link, which keeps what was there; with --keep-links it stays one file";
    assert!(out.status.success() && said(&out).contains(told), "{}", said(&out));
    assert!(fs::read(&other).unwrap() == doc.glb() && fs::read(&one).unwrap() != doc.glb());
    let written = fs::read(&one).unwrap();
    begin();
    let out = launched(&folder, &["a.glb", "--in-place", "--normalise", "--keep-links"]);
    assert!(out.status.success() && !said(&out).contains("hard link"), "{}", said(&out));
    assert!(fs::read(&one).unwrap() == written && fs::read(&other).unwrap() == written);
    assert!(fs::read(folder.join("a.glb.bak1")).unwrap() == doc.glb());
}

#[test]
fn half_of_a_surrogate_pair_in_a_name_stays_in_the_text() {
    let folder = folder("surrogates");
    let doc = Doc::new(&unclean(), Layout::Plain);
    let text = String::from_utf8(doc.external("a.bin")).unwrap();
    let text = text.replacen("\"name\":\"", "\"name\":\"\\ud83d", 1);
    assert!(text.contains("\\ud83d"), "{text}");
    fs::write(folder.join("a.gltf"), &text).unwrap();
    fs::write(folder.join("a.bin"), &doc.bin).unwrap();
    let out = launched(&folder, &["a.gltf", "-o", "b.gltf", "--normalise"]);
    assert!(out.status.success() && said(&out).contains("has half of a surrogate pair"), "{}", said(&out));
    let written = fs::read_to_string(folder.join("b.gltf")).unwrap();
    assert!(written.contains("\\ud83d") && written != text);
}

#[test]
fn wrong_usage_writes_nothing() {
    let folder = folder("usage");
    let doc = Doc::new(&unclean(), Layout::Plain);
    fs::write(folder.join("a.glb"), doc.glb()).unwrap();
    fs::write(folder.join("b.gltf"), doc.external("b.bin")).unwrap();
    fs::write(folder.join("b.bin"), &doc.bin).unwrap();
    fs::write(folder.join("bad.glb"), "glTF but not really").unwrap();
    fs::hard_link(folder.join("a.glb"), folder.join("hard.glb")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("a.glb", folder.join("link.glb")).unwrap();
    let long = folder.join("../usage/a.glb");
    for (arguments, words) in [
        (&["a.glb"][..], "--output"),
        (&["a.glb", "-o", "x.glb", "--in-place"], "--in-place"),
        (&["-o", "x.glb"], "MODEL"),
        (&["a.glb", "-o", "a.glb"], "read"),
        (&["a.glb", "-o", "./a.glb"], "read"),
        (&["a.glb", "-o", long.to_str().unwrap()], "read"),
        (&["a.glb", "-o", "hard.glb"], "read"),
        #[cfg(unix)]
        (&["a.glb", "-o", "link.glb"], "read"),
        (&["b.gltf", "-o", "b.bin"], "read"),
        (&["a.glb", "-o", "x.gltf"], "glb"),
        (&["b.gltf", "-o", "x.glb"], "gltf"),
        (&["a.glb", "-o", "no/such/x.glb"], "no/such/x.glb"),
        (&["a.glb", "-o", "x.glb", "--limit", "0"], "--limit"),
        (&["a.glb", "-o", "x.glb", "--best"], "--limit"),
        (&["a.glb", "-o", "x.glb", "--prune", "nan"], "--prune"),
        (&["a.glb", "-o", "x.glb", "--prune", "inf"], "--prune"),
        (&["a.glb", "-o", "x.glb", "--prune=-0.5"], "--prune"),
        (&["a.glb", "-o", "x.glb", "--quantise", "u32"], "u16"),
        (&["a.glb", "-o", "x.glb", "--mirror", "w"], "--mirror"),
        (&["a.glb", "-o", "x.glb", "--mirror", "x:*"], "--mirror"),
        (&["a.glb", "-o", "x.glb", "--smooth", "0"], "--smooth"),
        (&["a.glb", "-o", "x.glb", "--rules", "no-such-rule"], "weights-sum"),
        (&["a.glb", "-o", "x.glb", "--rules", "asymmetry"], "weights-sum"),
    ] {
        fails(&folder, 2, arguments, words);
    }
    fails(&folder, 1, &["bad.glb", "-o", "x.glb"], "bad.glb");
    fails(&folder, 1, &["missing.glb", "-o", "x.glb"], "missing.glb");
    fails(&folder, 1, &["missing.glb", "--in-place"], "missing.glb");
}

#[test]
fn a_changed_buffer_is_named_after_the_output() {
    let folder = folder("names");
    let doc = Doc::new(&unclean(), Layout::Plain);
    fs::write(folder.join("b.gltf"), doc.external("data%20%C3%BC.bin")).unwrap();
    fs::write(folder.join("data \u{fc}.bin"), &doc.bin).unwrap();
    let uri = |name: &str| File::open(&folder.join(name)).root["buffers"][0]["uri"].clone();
    // Nothing changes: no .bin, and the text is the same.
    launched_report(&folder, &["b.gltf", "-o", "same.gltf"]);
    assert!(!folder.join("same.bin").exists());
    assert_eq!(fs::read(folder.join("same.gltf")).unwrap(), fs::read(folder.join("b.gltf")).unwrap());
    let told = launched_report(&folder, &["b.gltf", "-o", "new \u{e9}.gltf", "--normalise"]);
    assert_eq!(uri("new \u{e9}.gltf"), json!("new%20%C3%A9.bin"));
    assert_eq!(told["changed"]["json_values"], json!(1));
    // Written in the text as well as in the folder: everything else of the text is the same.
    let text = |name: &str| String::from_utf8(fs::read(folder.join(name)).unwrap()).unwrap();
    assert_eq!(text("new \u{e9}.gltf").replace("new%20%C3%A9.bin", "data%20%C3%BC.bin"), text("b.gltf"));
    assert_eq!(fs::read(folder.join("data \u{fc}.bin")).unwrap(), doc.bin);
    assert_eq!(File::open(&folder.join("new \u{e9}.gltf")).buffers[0].len(), doc.bin.len());
    // A name that the model uses is not taken.
    fs::write(folder.join("c.gltf"), doc.external("taken.bin")).unwrap();
    fs::write(folder.join("taken.bin"), &doc.bin).unwrap();
    launched_report(&folder, &["c.gltf", "-o", "taken.gltf", "--normalise"]);
    assert_eq!(uri("taken.gltf"), json!("taken-1.bin"));
    assert_eq!(fs::read(folder.join("taken.bin")).unwrap(), doc.bin);
}

#[test]
fn in_another_folder_lie_the_files_that_the_model_names() {
    let folder = folder("elsewhere");
    let mut doc = Doc::new(&unclean(), Layout::Plain);
    fs::create_dir_all(folder.join("in/pictures")).unwrap();
    fs::create_dir_all(folder.join("out")).unwrap();
    doc.root["images"] =
        json!([{ "uri": "pictures/my%20skin.png" }, { "uri": "missing.png" }, { "uri": "../outside.png" }]);
    fs::write(folder.join("in/pictures/my skin.png"), "picture").unwrap();
    fs::write(folder.join("outside.png"), "outside").unwrap();
    fs::write(folder.join("in/a.gltf"), doc.external("a.bin")).unwrap();
    fs::write(folder.join("in/a.bin"), &doc.bin).unwrap();
    for _ in 0..2 {
        launched_report(&folder, &["in/a.gltf", "-o", "out/a.gltf"]);
        assert_eq!(fs::read(folder.join("out/a.gltf")).unwrap(), fs::read(folder.join("in/a.gltf")).unwrap());
        assert_eq!(fs::read(folder.join("out/a.bin")).unwrap(), doc.bin);
        assert_eq!(fs::read(folder.join("out/pictures/my skin.png")).unwrap(), b"picture");
        assert_eq!(contents(&folder.join("out")).len(), 2);
    }
    assert_eq!(contents(&folder), [("outside.png".to_owned(), b"outside".to_vec())]);
    // A buffer that changes is not copied beside its changed form.
    launched_report(&folder, &["in/a.gltf", "-o", "out/b.gltf", "--normalise"]);
    let names: Vec<String> = contents(&folder.join("out")).into_iter().map(|f| f.0).collect();
    assert_eq!(names, ["a.bin", "a.gltf", "b.bin", "b.gltf"]);
    // Another file of that name is not replaced.
    fs::write(folder.join("out/pictures/my skin.png"), "mine").unwrap();
    let out = launched(&folder, &["in/a.gltf", "-o", "out/c.gltf"]);
    assert!(out.status.code() == Some(2) && said(&out).contains("another file"), "{}", said(&out));
    assert!(!folder.join("out/c.gltf").exists());
}

#[test]
fn in_place_keeps_what_was_there() {
    let folder = folder("in place");
    let doc = Doc::new(&unclean(), Layout::Plain);
    fs::write(folder.join("a.glb"), doc.glb()).unwrap();
    // Nothing to do: no write, no backup.
    let untouched = fs::metadata(folder.join("a.glb")).unwrap().modified().unwrap();
    launched_report(&folder, &["a.glb", "--in-place"]);
    launched_report(&folder, &["a.glb", "--in-place", "--quantise", "f32"]);
    assert_eq!(
        (contents(&folder).len(), fs::metadata(folder.join("a.glb")).unwrap().modified().unwrap()),
        (1, untouched)
    );
    launched_report(&folder, &["a.glb", "--in-place", "--normalise"]);
    assert_eq!(fs::read(folder.join("a.glb.bak")).unwrap(), doc.glb());
    let once = fs::read(folder.join("a.glb")).unwrap();
    launched_report(&folder, &["a.glb", "--in-place", "--quantise", "u8"]);
    assert_eq!(fs::read(folder.join("a.glb.bak")).unwrap(), doc.glb());
    assert_eq!(fs::read(folder.join("a.glb.bak1")).unwrap(), once);
    // A .gltf whose buffer changes: the text stays, and the buffer keeps its name.
    fs::write(folder.join("b.gltf"), doc.external("b%20c.bin")).unwrap();
    fs::write(folder.join("b c.bin"), &doc.bin).unwrap();
    launched_report(&folder, &["b.gltf", "--in-place", "--normalise"]);
    assert_eq!(fs::read(folder.join("b.gltf")).unwrap(), doc.external("b%20c.bin"));
    assert_eq!(fs::read(folder.join("b c.bin.bak")).unwrap(), doc.bin);
    assert!(!folder.join("b.gltf.bak").exists() && fs::read(folder.join("b c.bin")).unwrap() != doc.bin);
    // Both change, and both are kept.
    let (text, bin) = (fs::read(folder.join("b.gltf")).unwrap(), fs::read(folder.join("b c.bin")).unwrap());
    launched_report(&folder, &["b.gltf", "--in-place", "--quantise", "u16"]);
    assert_eq!(
        (fs::read(folder.join("b.gltf.bak")).unwrap(), fs::read(folder.join("b c.bin.bak1")).unwrap()),
        (text, bin)
    );
}

#[test]
fn chunks_and_bytes_that_nobody_knows_stay() {
    let folder = folder("chunks");
    for (arguments, grows) in [(&["--normalise"][..], false), (&["--quantise", "u16"], true)] {
        let doc = Doc::new(&unclean(), Layout::Interleaved);
        let mut bytes = doc.glb();
        bytes.extend_from_slice(b"after the end");
        fs::write(folder.join("a.glb"), &bytes).unwrap();
        report(&folder, &[&["a.glb", "-o", "out.glb"], arguments].concat());
        let out = fs::read(folder.join("out.glb")).unwrap();
        let ((old, tail), (new, new_tail)) = (chunks(&bytes), chunks(&out));
        assert_eq!((new.len(), &new[2], &new_tail), (3, &old[2], &tail));
        assert_eq!(new[0] == old[0], !grows, "{arguments:?}: the JSON chunk");
        // Old bytes stay where they are.
        if grows {
            assert!(new[1].1.starts_with(&doc.bin), "{arguments:?}");
        }
        assert_eq!((new[1].1.len() > old[1].1.len()), grows);
    }
}

/// What is shared with something else, or is of another type, moves to new bytes; of the text only what must changes.
#[test]
fn what_does_not_fit_is_appended() {
    let folder = folder("appended");
    let changed = |doc: &Doc, arguments: &[&str]| {
        fs::write(folder.join("a.glb"), doc.glb()).unwrap();
        report(&folder, &[&["a.glb", "-o", "out.glb"], arguments].concat());
        differences(&doc_root(&folder, "a.glb"), &doc_root(&folder, "out.glb"))
    };
    let strings = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    // Another type: the same accessor, a new view.
    let doc = Doc::new(&pairs(F32, 1, false, 3), Layout::Interleaved);
    let paths = changed(&doc, &["--quantise", "u8"]);
    let view = doc.root["bufferViews"].as_array().unwrap().len();
    let new = |key: &str| format!("/bufferViews/{view}{key}");
    let expected = strings(&[
        "/accessors/2/bufferView",
        "/accessors/2/byteOffset",
        "/accessors/2/componentType",
        "/accessors/2/normalized",
    ]);
    assert_eq!(paths, [expected, vec![new(""), "/buffers/0/byteLength".to_owned()]].concat());
    // Shared with a colour: a new accessor for the weights alone.
    let doc = Doc::new(&unclean(), Layout::Foreign);
    let paths = changed(&doc, &["--normalise"]);
    let (view, accessor) =
        (doc.root["bufferViews"].as_array().unwrap().len(), doc.root["accessors"].as_array().unwrap().len());
    let weights = "/meshes/0/primitives/0/attributes/WEIGHTS_0";
    assert!(paths.contains(&weights.to_owned()) && paths.contains(&format!("/accessors/{accessor}")), "{paths:?}");
    assert!(
        paths.contains(&format!("/bufferViews/{view}")) && paths.iter().all(|p| !p.contains("COLOR_0")),
        "{paths:?}"
    );
    // Shared by two primitives: set once.
    let doc = Doc::new(&unclean(), Layout::Shared);
    assert_eq!(changed(&doc, &["--normalise"]), Vec::<String>::new());
    let told = report(&folder, &["a.glb", "-o", "again.glb", "--normalise"]);
    assert_eq!(told["changed"]["accessors"].as_array().unwrap().len(), 2, "joints that are emptied, and weights");
    // In text, a whole-number bound is written as one, and new items stand as those before them.
    let doc = Doc::new(&pairs(U8, 1, true, 4), Layout::Plain);
    let paths = changed(&doc, &["--normalise"]);
    assert!(paths.iter().all(|p| p.starts_with("/accessors/2/m")), "{paths:?}");
}

fn doc_root(folder: &Path, name: &str) -> Value {
    File::open(&folder.join(name)).root
}

#[cfg(unix)]
#[test]
fn where_the_disk_does_not_take_it_nothing_is_left_and_nothing_lost() {
    end_at(&folder("full"), &[0, 4]);
}

#[cfg(unix)]
#[test]
#[ignore = "full: the program is launched 30 times"]
fn wherever_the_disk_ends_nothing_is_left_and_nothing_lost() {
    end_at(&folder("full anywhere"), &[0, 1, 2, 4, 6]);
}

/// A disk that takes so many blocks of a file: `ulimit -f` counts 512 bytes.
#[cfg(unix)]
fn end_at(folder: &Path, blocks: &[u32]) {
    let doc = Doc::new(&unclean(), Layout::Plain);
    fs::write(folder.join("a.glb"), doc.glb()).unwrap();
    fs::write(folder.join("b.gltf"), doc.external("b.bin")).unwrap();
    fs::write(folder.join("b.bin"), &doc.bin).unwrap();
    fs::write(folder.join("out.glb"), "an earlier one").unwrap();
    fs::write(folder.join("out.gltf"), "an earlier one").unwrap();
    fs::write(folder.join("out.bin"), "an earlier one").unwrap();
    let before = contents(folder);
    for blocks in blocks {
        for arguments in [
            "a.glb -o out.glb --normalise",
            "a.glb -o new.glb",
            "a.glb --in-place --normalise",
            "b.gltf -o out.gltf --normalise",
            "b.gltf -o new.gltf --quantise u8",
            "b.gltf --in-place --quantise u8",
        ] {
            let script = format!("ulimit -f {blocks}; exec \"$0\" fix {arguments}");
            let out = Command::new("sh").args(["-c", &script, PROGRAM]).current_dir(folder).output().unwrap();
            assert!(!out.status.success(), "{blocks} {arguments}");
            assert!(said(&out).contains("could not write"), "{blocks} {arguments}: {}", said(&out));
            assert!(
                contents(folder) == before,
                "{blocks} {arguments}: {:?}",
                contents(folder).iter().map(|f| &f.0).collect::<Vec<_>>()
            );
        }
    }
}

#[test]
fn two_buffers_that_are_one_file_are_not_written_over_each_other() {
    let folder = folder("one_file");
    let doc = Doc::new(&unclean(), Layout::Plain);
    let mut text: Value = serde_json::from_slice(&doc.external("b.bin")).unwrap();
    let weights = text["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"].as_u64().unwrap() as usize;
    let view = text["accessors"][weights]["bufferView"].as_u64().unwrap() as usize;
    text["bufferViews"][view]["buffer"] = 1.into();
    let buffer = text["buffers"][0].clone();
    text["buffers"].as_array_mut().unwrap().push(buffer);
    fs::write(folder.join("a.gltf"), text.to_string()).unwrap();
    fs::write(folder.join("b.bin"), &doc.bin).unwrap();
    fails(&folder, 2, &["a.gltf", "--in-place", "--limit", "1"], "several buffers of the model are this file");
}

#[cfg(unix)]
#[test]
fn a_folder_that_takes_nothing_is_said_and_nothing_is_lost() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("protected");
    let doc = Doc::new(&unclean(), Layout::Plain);
    fs::write(folder.join("a.glb"), doc.glb()).unwrap();
    fs::set_permissions(folder.join("a.glb"), fs::Permissions::from_mode(0o444)).unwrap();
    fails(&folder, 2, &["a.glb", "--in-place", "--normalise"], "write-protected");
    fs::set_permissions(folder.join("a.glb"), fs::Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let is_root = fs::write(folder.join("probe"), "").is_ok();
    let _absent = fs::remove_file(folder.join("probe"));
    // Root may write anywhere until it gives up the capabilities that say so.
    let bare = is_root.then_some("setpriv --bounding-set=-all --inh-caps=-all");
    if bare.is_some() && !Command::new("setpriv").arg("--version").output().is_ok_and(|out| out.status.success()) {
        crate::common::skipped(
            "a folder without leave to write takes files all the same: this is root, and there is no setpriv",
        );
    } else {
        let before = contents(&folder);
        for arguments in [["a.glb", "--in-place", "--normalise"].as_slice(), &["a.glb", "-o", "out.glb", "--normalise"]]
        {
            let words = bare.into_iter().flat_map(|bare| bare.split(' ')).chain([PROGRAM, "fix"]);
            let words: Vec<&str> = words.chain(arguments.iter().copied()).collect();
            let out = Command::new(words[0]).args(&words[1..]).current_dir(&folder).output().unwrap();
            let said = String::from_utf8_lossy(&out.stderr);
            assert!(out.status.code() == Some(2) && said.contains("could not write"), "{arguments:?}: {said}");
            assert!(contents(&folder) == before, "{arguments:?}");
        }
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
#[test]
fn killed_each_file_is_the_old_one_or_the_new_one() {
    kill(&folder("killed"), 10);
}

#[cfg(unix)]
#[test]
#[ignore = "full: the program is launched and killed 60 times"]
fn killed_at_any_moment_each_file_is_the_old_one_or_the_new_one() {
    kill(&folder("killed at any moment"), 60);
}

/// Whenever it is killed, each file is the old one or the new one, and a backup is whole or not there.
#[cfg(unix)]
fn kill(folder: &Path, rounds: usize) {
    let doc = Doc::new(&unclean(), Layout::Plain);
    let old = doc.glb();
    fs::write(folder.join("a.glb"), &old).unwrap();
    let start = std::time::Instant::now();
    launched_report(folder, &["a.glb", "--in-place", "--normalise"]);
    let (takes, new) = (start.elapsed(), fs::read(folder.join("a.glb")).unwrap());
    let mut random = crate::fix::made::Random(99);
    let (mut kept, mut replaced) = (0, 0);
    for round in 0..rounds {
        for (name, _) in contents(folder) {
            fs::remove_file(folder.join(name)).unwrap();
        }
        fs::write(folder.join("a.glb"), &old).unwrap();
        let mut child = Command::new(PROGRAM)
            .args(["fix", "a.glb", "--in-place", "--normalise"])
            .current_dir(folder)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        if round.is_multiple_of(2) {
            std::thread::sleep(takes.mul_f64(random.unit()));
        } else {
            while contents_len(folder) == 1 && child.try_wait().unwrap().is_none() {}
        }
        child.kill().unwrap();
        child.wait().unwrap();
        for (name, bytes) in contents(folder) {
            match name.as_str() {
                "a.glb" if bytes == old => kept += 1,
                "a.glb" if bytes == new => {
                    replaced += 1;
                    assert_eq!(fs::read(folder.join("a.glb.bak")).unwrap(), old, "replaced without a backup");
                }
                "a.glb.bak" => assert!(bytes == old, "half a backup"),
                name if name.starts_with(".skinscope-") => {}
                name => panic!("{name}: {} bytes", bytes.len()),
            }
        }
    }
    assert!(kept > 0, "{kept} kept, {replaced} replaced");
}

#[cfg(unix)]
fn contents_len(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

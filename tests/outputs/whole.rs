//! However the program ends, the old file or the whole new one is there, and nothing is left beside it.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use skinscope::output::NewFile;

use super::{PROGRAM, command, contents, folder, has_gpu, run, said, shell, temporary, write_model};

/// Fifty thousand triangles that share nothing: writing them takes a while.
fn write_large(folder: &Path) {
    const COUNT: usize = 150_000;
    let place = |i: usize| [i as f32 * 0.001, (i % 7) as f32 / 7.0, (i % 3) as f32 / 3.0];
    let bytes: Vec<u8> = (0..COUNT).flat_map(place).flat_map(f32::to_le_bytes).collect();
    let file = serde_json::json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": COUNT, "min": [0, 0, 0], "max": [150, 1, 1] }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "buffers": [{ "byteLength": bytes.len(), "uri": "large.bin" }],
    });
    fs::write(folder.join("large.gltf"), file.to_string()).unwrap();
    fs::write(folder.join("large.bin"), bytes).unwrap();
}

/// A writer: what is run, and what it writes.
struct Writer {
    arguments: Vec<&'static str>,
    output: &'static str,
}

/// Every way in which a command writes a file, in a folder with all that they read.
fn writers(folder: &Path) -> Vec<Writer> {
    write_large(folder);
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb"), folder.join("a.glb")).unwrap();
    let check = ["check", "--html", "out.html"].into_iter().chain(["a.glb"; 8]).collect();
    let mut writers = vec![Writer { arguments: check, output: "out.html" }];
    for output in ["out.ply", "out.obj", "out.glb", "out.stl"] {
        writers.push(Writer { arguments: vec!["bake", "large.gltf", "-o", output], output });
    }
    let pose = vec!["pose", "a.glb", "-o", "out.pose.json", "--clip", "0", "--mirror", "x"];
    writers.push(Writer { arguments: pose, output: "out.pose.json" });
    for (arguments, output) in [
        (vec!["bake", "a.glb", "--keep-skin", "-o", "skinned.glb"], "skinned.glb"),
        (vec!["fix", "a.glb", "--smooth", "2", "-o", "fixed.glb"], "fixed.glb"),
        (vec!["clip", "a.glb", "--clips-from", "a.glb", "-o", "clipped.glb"], "clipped.glb"),
        (vec!["diff", "a.glb", "a.glb", "--html", "diff.html"], "diff.html"),
    ] {
        writers.push(Writer { arguments, output });
    }
    if has_gpu() {
        writers.push(Writer { arguments: vec!["render", "--size", "128x128", "-o", "out.png"], output: "out.png" });
        let film = vec!["render", "--size", "64x64", "--turntable", "--frames", "0-9", "-o", "out.gif"];
        writers.push(Writer { arguments: film, output: "out.gif" });
    }
    writers
}

/// The state of a xorshift generator moves on.
fn random(state: &mut u64, below: u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state % below
}

/// Longer than any file that is written.
fn old() -> Vec<u8> {
    b"what a user has made ".repeat(1000)
}

/// Waits until something happens to the output: it changes, or a temporary file appears. False if the child ends before.
fn is_writing(child: &mut Child, folder: &Path, output: &Path, before: &fs::Metadata) -> bool {
    loop {
        let now = fs::metadata(output).ok();
        let same = now.is_some_and(|now| (now.len(), now.ino()) == (before.len(), before.ino()));
        if !same || !temporary(folder).is_empty() {
            return true;
        }
        if child.try_wait().unwrap().is_some() {
            return false;
        }
    }
}

#[test]
fn killed_at_any_moment_every_writer_leaves_the_old_file_or_the_whole_new_one() {
    let folder = folder("killed");
    let mut state = 0x9E37_79B9_7F4A_7C15;
    for Writer { arguments, output } in writers(&folder) {
        let path = folder.join(output);
        let start = Instant::now();
        assert!(run(&folder, &arguments).status.success(), "{arguments:?}");
        let (takes, new) = (start.elapsed(), fs::read(&path).unwrap());
        let (mut kept, mut replaced) = (0, 0);
        for round in 0..50 {
            temporary(&folder).iter().for_each(|left| fs::remove_file(left).unwrap());
            fs::remove_file(&path).unwrap();
            fs::write(&path, old()).unwrap();
            let before = fs::metadata(&path).unwrap();
            let mut child = command(&folder, &arguments).spawn().unwrap();
            if round % 2 == 0 {
                std::thread::sleep(Duration::from_micros(random(&mut state, takes.as_micros() as u64)));
            } else if is_writing(&mut child, &folder, &path, &before) {
                std::thread::sleep(Duration::from_micros(random(&mut state, 4000)));
            }
            child.kill().unwrap();
            child.wait().unwrap();
            match fs::read(&path).unwrap() {
                now if now == old() => kept += 1,
                now if now == new => replaced += 1,
                now => unreachable!("{arguments:?}: {} of {} bytes", now.len(), new.len()),
            }
            assert!(temporary(&folder).len() <= 1, "{arguments:?}");
        }
        assert!(kept > 0, "{arguments:?}: {kept} kept, {replaced} replaced");
        // What was left behind goes with the next write.
        fs::write(folder.join(".skinscope-1-0.tmp"), "half").unwrap();
        assert!(run(&folder, &arguments).status.success());
        assert_eq!(temporary(&folder), Vec::<PathBuf>::new(), "{arguments:?}");
        assert!(fs::read(&path).unwrap() == new, "{arguments:?}");
    }
}

/// The pictures of a sequence belong together: there are all of them, or those of before.
#[test]
fn a_sequence_of_pictures_is_whole_however_the_program_ends() {
    let folder = folder("sequence");
    if !has_gpu() {
        return;
    }
    let pictures = folder.join("frames");
    let arguments = ["render", "--size", "64x64", "--turntable", "--frames", "0-19", "-o", "frames/%02d.png"];
    let start = Instant::now();
    assert!(run(&folder, &arguments).status.success());
    let (takes, new) = (start.elapsed(), contents(&pictures));
    assert_eq!(new.len(), 20);
    let mut state = 0x2545_F491_4F6C_DD1D;
    let (mut kept, mut begun) = (0, 0);
    for round in 0..20 {
        fs::remove_dir_all(&pictures).unwrap();
        fs::create_dir(&pictures).unwrap();
        fs::write(pictures.join("03.png"), old()).unwrap();
        let mut child = command(&folder, &arguments).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(random(&mut state, takes.as_micros() as u64)));
        if round % 2 == 0 {
            child.kill().unwrap();
        } else {
            assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
        }
        let status = child.wait().unwrap();
        let now = contents(&pictures);
        if now.len() == 1 {
            assert!(now[0].1 == old());
            kept += 1;
        } else {
            assert!(
                now == new || !status.success() && now.iter().all(|picture| new.contains(picture)),
                "{}",
                now.len()
            );
        }
        // A signal leaves nothing, and what a killed process leaves goes with the next write.
        let left = temporary(&pictures).len();
        assert!(left <= usize::from(round % 2 == 0));
        begun += left;
    }
    assert!(kept > 0 && begun > 0, "{kept} kept, {begun} begun");
    assert!(run(&folder, &arguments).status.success());
    assert!(contents(&pictures) == new && temporary(&pictures).is_empty());
    // The disk takes the first pictures and not the others.
    fs::remove_dir_all(&pictures).unwrap();
    let size = new[0].1.len() / 512;
    let out = shell(&folder, &format!("ulimit -f {size}; exec \"$0\" {}", arguments.join(" ")));
    assert_eq!(out.status.code(), Some(2), "{}", said(&out));
    assert!(said(&out).contains("could not write frames/"), "{}", said(&out));
    assert!(!pictures.exists(), "the folder was made for nothing");
}

/// `ulimit -f` counts 512 bytes.
#[test]
fn where_the_disk_does_not_take_it_every_writer_leaves_the_old_file_and_says_so() {
    let folder = folder("limited");
    for Writer { arguments, output } in writers(&folder) {
        let path = folder.join(output);
        for old in [Some(old()), None] {
            let _absent = fs::remove_file(&path);
            if let Some(old) = &old {
                fs::write(&path, old).unwrap();
            }
            let out = shell(&folder, &format!("ulimit -f 2; exec \"$0\" {}", arguments.join(" ")));
            assert_eq!(out.status.code(), Some(2), "{arguments:?}: {:?} {}", out.status, said(&out));
            assert!(said(&out).contains(&format!("could not write {output}: ")), "{arguments:?}: {}", said(&out));
            assert!(fs::read(&path).ok() == old, "{arguments:?}");
            assert_eq!(temporary(&folder), Vec::<PathBuf>::new(), "{arguments:?}");
        }
    }
    // The same for what goes to standard output.
    let out = shell(&folder, "ulimit -f 2; exec \"$0\" info --json > large.json");
    assert!(out.status.code() == Some(2) && said(&out).contains("could not write standard output"), "{}", said(&out));
}

/// A disk of its own that is full. Mounting one needs leave that not every machine gives; the limit above stands in there.
#[test]
fn a_full_disk_leaves_the_old_file() {
    let folder = folder("full");
    let script = format!(
        "cp {}/Cargo.toml out.ply && \"$0\" bake -o out.ply; echo code $?; \
         cmp out.ply {0}/Cargo.toml && ls -A",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut command = Command::new("unshare");
    command.args([
        "-rm",
        "sh",
        "-c",
        &format!("mount -t tmpfs -o size=64k none '{0}' && cd '{0}' && {script}", folder.display()),
        PROGRAM,
    ]);
    let Ok(out) = command.output() else { return };
    if said(&out).contains("mount:") || said(&out).contains("unshare:") {
        return;
    }
    let told = String::from_utf8_lossy(&out.stdout);
    assert_eq!(told, "code 2\nout.ply\n", "{}", said(&out));
    assert!(said(&out).contains("could not write out.ply: No space left on device"), "{}", said(&out));
}

#[test]
fn a_signal_that_ends_the_program_leaves_the_old_file_and_no_other() {
    let folder = folder("signals");
    write_large(&folder);
    let path = folder.join("out.obj");
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        if is_ignored(number) {
            continue;
        }
        let mut caught = 0;
        for _ in 0..5 {
            fs::write(&path, old()).unwrap();
            let before = fs::metadata(&path).unwrap();
            let mut child = command(&folder, &["bake", "large.gltf", "-o", "out.obj"]).spawn().unwrap();
            assert!(is_writing(&mut child, &folder, &path, &before));
            assert!(Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap().success());
            let status = child.wait().unwrap();
            assert_eq!(temporary(&folder), Vec::<PathBuf>::new(), "SIG{name}");
            if status.signal() == Some(number) {
                caught += 1;
                assert!(fs::read(&path).unwrap() == old(), "SIG{name}");
            }
        }
        assert!(caught > 0, "SIG{name} always came too late");
    }
}

/// Whether this process, and so each one that it starts, ignores a signal, as under `nohup`.
fn is_ignored(number: i32) -> bool {
    let Ok(status) = fs::read_to_string("/proc/self/status") else { return false };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() >> (number - 1) & 1 == 1
}

/// `nohup` and jobs in the background have signals ignored, which a handler of our own must not undo.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let folder = folder("ignored");
    write_large(&folder);
    let path = folder.join("out.obj");
    fs::write(&path, old()).unwrap();
    let before = fs::metadata(&path).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" bake large.gltf -o out.obj", PROGRAM]).current_dir(&folder);
    let mut child = command.spawn().unwrap();
    assert!(is_writing(&mut child, &folder, &path, &before));
    assert!(Command::new("kill").args(["-s", "HUP", &child.id().to_string()]).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    assert!(fs::read(&path).unwrap().starts_with(b"# World space"));
}

#[test]
fn a_reader_that_has_gone_away_is_no_panic() {
    let folder = folder("pipes/in");
    fs::write(folder.join("bad.glb"), "glTF but not really").unwrap();
    write_model(&folder, "data.bin");
    for arguments in [
        "info --json",
        "info",
        "info x.gltf",
        "info bad.glb",
        "check --json x.gltf bad.glb",
        "check x.gltf bad.glb",
        "bake x.gltf -o out.ply",
        "bake -o /no/such/folder/x.ply",
        "help render",
        "--help",
        "--no-such-option",
    ] {
        let plain = run(&folder, &arguments.split(' ').collect::<Vec<_>>()).status.code();
        for to in ["2> said | true", "2>&1 > told | true", "2>&1 | true"] {
            // The reader is gone before the program begins.
            let script = format!("{{ sleep 0.1; \"$0\" {arguments}; echo $? > code; }} {to}");
            let _ended = shell(&folder, &script);
            let code = fs::read_to_string(folder.join("code")).unwrap().trim().parse().ok();
            assert_eq!(code, plain, "{arguments} {to}: {:?}", fs::read_to_string(folder.join("said")));
        }
    }
}

#[test]
fn a_file_that_is_dropped_half_written_leaves_nothing() {
    let folder = folder("dropped");
    fs::write(folder.join("x"), "old").unwrap();
    let mut file = NewFile::create(&folder.join("x")).unwrap();
    file.write_all(&[7; 100_000]).unwrap();
    assert_eq!(temporary(&folder).len(), 1);
    // Another write into the folder knows that it is being written.
    skinscope::output::write(&folder.join("y"), b"other").unwrap();
    assert_eq!(temporary(&folder).len(), 1);
    drop(file);
    assert_eq!(contents(&folder), [("x".to_owned(), b"old".to_vec()), ("y".to_owned(), b"other".to_vec())]);
    let mut file = NewFile::create(&folder.join("x")).unwrap();
    file.write_all(b"new").unwrap();
    file.commit().unwrap();
    assert_eq!(contents(&folder)[0].1, b"new");
    // A file of that kind of name that is the user's own stays.
    for name in [".skinscope-notes.tmp", ".skinscope-1-x.tmp", ".skinscope-1-1.tmp.bak"] {
        File::create(folder.join(name)).unwrap();
    }
    skinscope::output::write(&folder.join("y"), b"other").unwrap();
    assert_eq!(temporary(&folder).len(), 3);
}

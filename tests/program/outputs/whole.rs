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

/// As many vertices take a while to be written.
const LARGE: usize = 150_000;
/// As many are more than any limit here, and soon written.
const SMALLER: usize = 15_000;

/// Triangles that share nothing, with so many vertices.
fn write_large(folder: &Path, vertices: usize) {
    let place = |i: usize| [i as f32 * 0.001, (i % 7) as f32 / 7.0, (i % 3) as f32 / 3.0];
    let bytes: Vec<u8> = (0..vertices).flat_map(place).flat_map(f32::to_le_bytes).collect();
    let file = serde_json::json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": vertices, "min": [0, 0, 0], "max": [150, 1, 1] }],
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

/// Every way in which a command writes a file, in a folder with all that they read: a surface of so many vertices is baked, and so many
/// models are checked.
fn writers(folder: &Path, vertices: usize, models: usize) -> Vec<Writer> {
    write_large(folder, vertices);
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb"), folder.join("a.glb")).unwrap();
    let check = ["check", "--html", "out.html"].into_iter().chain(vec!["a.glb"; models]).collect();
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

/// Whether a process has a file open in this folder that has no name.
fn writes_without_name(child: &Child, folder: &Path) -> bool {
    let open = fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten().flatten();
    let mut places = open.filter_map(|entry| fs::read_link(entry.path()).ok());
    places.any(|place| place.starts_with(folder) && place.to_string_lossy().ends_with(" (deleted)"))
}

/// Waits until something happens to the output: it changes, or a temporary file appears. False if the child ends before.
fn is_writing(child: &mut Child, folder: &Path, output: &Path, before: &fs::Metadata) -> bool {
    loop {
        let now = fs::metadata(output).ok();
        let same = now.is_some_and(|now| (now.len(), now.ino()) == (before.len(), before.ino()));
        if !same || !temporary(folder).is_empty() || writes_without_name(child, folder) {
            return true;
        }
        if child.try_wait().unwrap().is_some() {
            return false;
        }
    }
}

/// Runs a writer beside what another one has left behind, which goes. Returns what it writes.
fn written(folder: &Path, Writer { arguments, output }: &Writer) -> Vec<u8> {
    fs::write(folder.join(".skinscope-1-0.tmp"), "half").unwrap();
    assert!(run(folder, arguments).status.success(), "{arguments:?}");
    assert_eq!(temporary(folder), Vec::<PathBuf>::new(), "{arguments:?}");
    fs::read(folder.join(output)).unwrap()
}

/// Kills a writer so many times, in turn at any moment and while it writes. Returns how often the old file was left, and what is
/// written where it is not killed.
fn killed(folder: &Path, writer: &Writer, rounds: usize, state: &mut u64) -> (usize, Vec<u8>) {
    let start = Instant::now();
    let new = written(folder, writer);
    let takes = start.elapsed();
    let Writer { arguments, output } = writer;
    let path = folder.join(output);
    let mut kept = 0;
    for round in 0..rounds {
        temporary(folder).iter().for_each(|left| fs::remove_file(left).unwrap());
        fs::remove_file(&path).unwrap();
        fs::write(&path, old()).unwrap();
        let before = fs::metadata(&path).unwrap();
        let mut child = command(folder, arguments).spawn().unwrap();
        if round % 2 == 0 {
            std::thread::sleep(Duration::from_micros(random(state, takes.as_micros() as u64)));
        } else if is_writing(&mut child, folder, &path, &before) {
            std::thread::sleep(Duration::from_micros(random(state, 4000)));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        match fs::read(&path).unwrap() {
            now if now == old() => kept += 1,
            now if now == new => {}
            now => unreachable!("{arguments:?}: {} of {} bytes", now.len(), new.len()),
        }
        assert!(temporary(folder).len() <= 1, "{arguments:?}");
    }
    (kept, new)
}

/// What [`random`] starts from.
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

#[test]
fn killed_at_any_moment_every_writer_leaves_the_old_file_or_the_whole_new_one() {
    let (folder, mut state) = (folder("killed"), SEED);
    let writers = writers(&folder, SMALLER, 1);
    let kept: usize = writers.iter().map(|writer| killed(&folder, writer, 2, &mut state).0).sum();
    assert!(kept > 0, "all were killed too late");
}

/// Where a file can be without a name, nothing of it is left wherever the process ends.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_process_leaves_no_file_behind() {
    let folder = folder("nothing_left");
    let mut file = NewFile::create(&folder.join("try")).unwrap();
    file.write_all(b"try").unwrap();
    if !temporary(&folder).is_empty() {
        return eprintln!("this file system knows no files without a name");
    }
    drop(file);
    write_large(&folder, LARGE);
    let before = contents(&folder);
    let (mut state, mut begun) = (SEED, 0);
    for _ in 0..12 {
        let mut child = command(&folder, &["bake", "large.gltf", "-o", "out.ply"]).spawn().unwrap();
        while child.try_wait().unwrap().is_none() && !writes_without_name(&child, &folder) {}
        std::thread::sleep(Duration::from_micros(random(&mut state, 3000)));
        child.kill().unwrap();
        child.wait().unwrap();
        if fs::remove_file(folder.join("out.ply")).is_err() {
            begun += 1;
        }
        assert_eq!(contents(&folder).len(), before.len());
    }
    assert!(begun > 0, "all were killed too late");
}

#[test]
#[ignore = "full: it kills every writer fifty times"]
fn killed_at_each_of_many_moments_every_writer_leaves_the_old_file_or_the_whole_new_one() {
    let (folder, mut state) = (folder("killed_often"), SEED);
    for writer in &writers(&folder, LARGE, 8) {
        let (kept, new) = killed(&folder, writer, 50, &mut state);
        assert!(kept > 0, "{:?}", writer.arguments);
        // What was left behind goes with the next write.
        assert!(written(&folder, writer) == new, "{:?}", writer.arguments);
    }
}

const SEQUENCE: [&str; 8] = ["render", "--size", "64x64", "--turntable", "--frames", "0-19", "-o", "frames/%02d.png"];

/// Ends the drawing of a sequence of pictures so many times, in turn by killing it and by a signal that it can handle. Returns the
/// whole sequence, how often the old picture was left alone, and how many files were begun.
fn ended(folder: &Path, rounds: usize) -> (Vec<(String, Vec<u8>)>, usize, usize) {
    let pictures = folder.join("frames");
    let start = Instant::now();
    assert!(run(folder, &SEQUENCE).status.success());
    let (takes, new) = (start.elapsed(), contents(&pictures));
    assert_eq!(new.len(), 20);
    let mut state = 0x2545_F491_4F6C_DD1D;
    let (mut kept, mut begun) = (0, 0);
    for round in 0..rounds {
        fs::remove_dir_all(&pictures).unwrap();
        fs::create_dir(&pictures).unwrap();
        fs::write(pictures.join("03.png"), old()).unwrap();
        let mut child = command(folder, &SEQUENCE).spawn().unwrap();
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
    (new, kept, begun)
}

/// The pictures of a sequence belong together: there are all of them, or those of before.
#[test]
fn a_sequence_of_pictures_is_whole_however_the_program_ends() {
    let folder = folder("sequence");
    if !has_gpu() {
        return;
    }
    let (new, _, _) = ended(&folder, 2);
    // The disk takes the first pictures and not the others.
    let pictures = folder.join("frames");
    fs::remove_dir_all(&pictures).unwrap();
    let size = new[0].1.len() / 512;
    let out = shell(&folder, &format!("ulimit -f {size}; exec \"$0\" {}", SEQUENCE.join(" ")));
    assert_eq!(out.status.code(), Some(2), "{}", said(&out));
    assert!(said(&out).contains("could not write frames/"), "{}", said(&out));
    assert!(!pictures.exists(), "the folder was made for nothing");
}

#[test]
#[ignore = "full: it ends the drawing of a sequence twenty times"]
fn a_sequence_of_pictures_is_whole_at_whichever_moment_the_program_ends() {
    let folder = folder("sequences");
    if !has_gpu() {
        return;
    }
    let (new, kept, begun) = ended(&folder, 20);
    assert!(kept > 0 && begun > 0, "{kept} kept, {begun} begun");
    assert!(run(&folder, &SEQUENCE).status.success());
    let pictures = folder.join("frames");
    assert!(contents(&pictures) == new && temporary(&pictures).is_empty());
}

/// Runs a writer where no file may be larger than 1024 bytes (`ulimit -f` counts 512), with an old file in its place or without.
fn limited(folder: &Path, Writer { arguments, output }: &Writer, old: Option<Vec<u8>>) {
    let path = folder.join(output);
    let _absent = fs::remove_file(&path);
    if let Some(old) = &old {
        fs::write(&path, old).unwrap();
    }
    let out = shell(folder, &format!("ulimit -f 2; exec \"$0\" {}", arguments.join(" ")));
    assert_eq!(out.status.code(), Some(2), "{arguments:?}: {:?} {}", out.status, said(&out));
    assert!(said(&out).contains(&format!("could not write {output}: ")), "{arguments:?}: {}", said(&out));
    assert!(fs::read(&path).ok() == old, "{arguments:?}");
    assert_eq!(temporary(folder), Vec::<PathBuf>::new(), "{arguments:?}");
}

#[test]
fn where_the_disk_does_not_take_it_every_writer_leaves_the_old_file_and_says_so() {
    let folder = folder("limited");
    for writer in &writers(&folder, SMALLER, 1) {
        limited(&folder, writer, Some(old()));
    }
    // The same for what goes to standard output.
    let out = shell(&folder, "ulimit -f 2; exec \"$0\" info --json > large.json");
    assert!(out.status.code() == Some(2) && said(&out).contains("could not write standard output"), "{}", said(&out));
}

#[test]
#[ignore = "full: it runs every writer twice"]
fn where_the_disk_does_not_take_it_every_writer_leaves_what_was_there() {
    let folder = folder("limited_twice");
    for writer in &writers(&folder, LARGE, 8) {
        limited(&folder, writer, Some(old()));
        limited(&folder, writer, None);
    }
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

/// Ends a writer by each signal while it writes, at most five times, until the signal has come in time so often.
fn ended_by_signals(folder: &Path, enough: usize) {
    write_large(folder, LARGE);
    let path = folder.join("out.obj");
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        if is_ignored(number) {
            continue;
        }
        let mut caught = 0;
        for _ in 0..5 {
            if caught == enough {
                break;
            }
            fs::write(&path, old()).unwrap();
            let before = fs::metadata(&path).unwrap();
            let mut child = command(folder, &["bake", "large.gltf", "-o", "out.obj"]).spawn().unwrap();
            assert!(is_writing(&mut child, folder, &path, &before));
            assert!(Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap().success());
            let status = child.wait().unwrap();
            assert_eq!(temporary(folder), Vec::<PathBuf>::new(), "SIG{name}");
            if status.signal() == Some(number) {
                caught += 1;
                assert!(fs::read(&path).unwrap() == old(), "SIG{name}");
            }
        }
        assert!(caught > 0, "SIG{name} always came too late");
    }
}

#[test]
fn a_signal_that_ends_the_program_leaves_the_old_file_and_no_other() {
    ended_by_signals(&folder("signals"), 1);
}

#[test]
#[ignore = "full: it ends a writer by fifteen signals"]
fn signals_that_end_the_program_leave_the_old_file_and_no_other() {
    ended_by_signals(&folder("signals_often"), 5);
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
    write_large(&folder, LARGE);
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

/// Runs each command with readers that are gone before it begins, and asserts that it ends as it does with one that stays.
fn ends_without_a_reader(name: &str, pipes: &[(&str, &[&str])]) {
    let folder = folder(name);
    fs::write(folder.join("bad.glb"), "glTF but not really").unwrap();
    write_model(&folder, "data.bin");
    for (arguments, pipes) in pipes {
        let plain = run(&folder, &arguments.split(' ').collect::<Vec<_>>()).status.code();
        for to in *pipes {
            // The reader is gone before the program begins.
            let script = format!("{{ sleep 0.1; \"$0\" {arguments}; echo $? > code; }} {to}");
            let _ended = shell(&folder, &script);
            let code = fs::read_to_string(folder.join("code")).unwrap().trim().parse().ok();
            assert_eq!(code, plain, "{arguments} {to}: {:?}", fs::read_to_string(folder.join("said")));
        }
    }
}

/// Where standard output goes, standard error, or both.
static PIPES: [&str; 3] = ["2> said | true", "2>&1 > told | true", "2>&1 | true"];

#[test]
fn a_reader_that_has_gone_away_is_no_panic() {
    let both = &PIPES[2..];
    ends_without_a_reader(
        "pipes/in",
        &[
            ("info --json", &PIPES),
            ("info bad.glb", both),
            ("check --json x.gltf bad.glb", &PIPES[..1]),
            ("bake -o /no/such/folder/x.ply", both),
            ("help render", both),
            ("--no-such-option", both),
        ],
    );
}

#[test]
#[ignore = "full: it launches the program forty-four times, most of them after a pause"]
fn no_reader_that_has_gone_away_makes_any_command_panic() {
    let commands = [
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
    ];
    ends_without_a_reader("pipes_all/in", &commands.map(|command| (command, &PIPES[..])));
}

#[test]
fn a_file_that_is_dropped_half_written_leaves_nothing() {
    let folder = folder("dropped");
    fs::write(folder.join("x"), "old").unwrap();
    let mut file = NewFile::create(&folder.join("x")).unwrap();
    file.write_all(&[7; 100_000]).unwrap();
    let hidden = temporary(&folder).len();
    assert!(hidden <= 1);
    // Another write into the folder knows that it is being written.
    skinscope::output::write(&folder.join("y"), b"other").unwrap();
    assert_eq!(temporary(&folder).len(), hidden);
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

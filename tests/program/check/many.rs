//! Lists of files, lines of JSON, and the time and memory that a run of thousands of files takes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::*;

fn names(paths: &[PathBuf]) -> Vec<&str> {
    paths.iter().map(|p| p.to_str().unwrap()).collect()
}

/// Standard output of a run that is given `input` and ends with `code`.
fn fed(arguments: &[&str], input: &str, code: i32) -> String {
    let mut run = Running::start(arguments);
    run.write(input);
    let out = run.end();
    assert_eq!(out.0, Some(code), "{arguments:?}: {}", out.1);
    out.1
}

/// A check that reads its list while it runs.
struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Running {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_skinscope"))
            .arg("check")
            .args(arguments)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (send, lines) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Self { child, lines }
    }

    fn write(&mut self, input: &str) {
        self.child.stdin.as_mut().unwrap().write_all(input.as_bytes()).unwrap();
    }

    /// The next line of standard output; a run that never writes it fails the test.
    fn line(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(120)).unwrap()
    }

    /// Ends the list; returns the exit code and the rest of standard output.
    fn end(mut self) -> (Option<i32>, String) {
        drop(self.child.stdin.take());
        let code = self.child.wait().unwrap().code();
        (code, self.lines.iter().map(|line| line + "\n").collect())
    }

    /// The most memory that the run ever had, bytes.
    #[cfg(target_os = "linux")]
    fn peak(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    }
}

#[test]
fn a_list_names_files_line_by_line() {
    let files = [clean("list one.gltf"), broken("list_two.gltf"), clean("list_three.gltf")];
    let names = names(&files);
    let wanted = report(&names, 3);
    // Empty lines, the line ends of Windows, and no line end at the end.
    let text = format!("{}\n\n{}\r\n{}", names[0], names[1], names[2]);
    let list = scratch("list.txt");
    std::fs::write(&list, &text).unwrap();
    assert_eq!(report(&["--list", list.to_str().unwrap()], 3), wanted);
    assert_eq!(serde_json::from_str::<Value>(&fed(&["--list", "-", "--json"], &text, 3)).unwrap(), wanted);
    // What the command line names comes first.
    let rest = format!("{}\n{}\n", names[1], names[2]);
    assert_eq!(serde_json::from_str::<Value>(&fed(&["--json", "--list", "-", names[0]], &rest, 3)).unwrap(), wanted);
    let told = fed(&["--list", "-"], &text, 3);
    assert!(told.trim_end().ends_with("3 files: 1 error, 1 warning"), "{told}");
    // As `find -print0` and `git ls-files -z` write names.
    for text in [names.join("\0"), names.join("\0") + "\0"] {
        assert_eq!(serde_json::from_str::<Value>(&fed(&["--list", "-", "--json"], &text, 3)).unwrap(), wanted);
    }
    // A model in place of a list.
    assert_eq!(fed(&["--list", "-"], "glTF\u{2}\0\0\0", 2), "");
}

/// Editors and shells of Windows write a byte order mark, or UTF-16.
#[test]
fn a_list_may_have_a_mark_or_be_in_utf_16_and_one_that_is_something_else_is_named() {
    let files = [clean("mark one.gltf"), broken("mark_two.gltf")];
    let names = names(&files);
    let wanted = report(&names, 3);
    let text = format!("{}\r\n{}\r\n", names[0], names[1]);
    let wide = |mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect()
    };
    let list = scratch("marked.txt");
    for bytes in [
        [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
        wide([0xFF, 0xFE], u16::to_le_bytes),
        wide([0xFE, 0xFF], u16::to_be_bytes),
    ] {
        std::fs::write(&list, bytes).unwrap();
        assert_eq!(report(&["--list", list.to_str().unwrap()], 3), wanted);
    }
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n";
    std::fs::write(&list, pointer).unwrap();
    let (_, stderr) = said(&["--list", list.to_str().unwrap()], 2);
    assert!(stderr.contains("cannot be read: it is a Git LFS pointer; run `git lfs pull`"), "{stderr}");
    // As one of the models of a list it is named too, and the others are checked.
    let model = scratch("pointer.glb");
    std::fs::write(&model, pointer).unwrap();
    let report: Value =
        serde_json::from_str(&fed(&["--list", "-", "--json"], &format!("{}\n{text}", model.display()), 1)).unwrap();
    assert!(report["files"][0]["error"].as_str().unwrap().contains("a Git LFS pointer"), "{report}");
    assert_eq!(report["files"].as_array().unwrap().len(), 3);
}

#[test]
fn a_list_may_be_empty_but_not_missing() {
    assert_eq!(fed(&["--list", "-", "--json"], "", 0), "{\"schema\":1,\"files\":[\n\n]}\n");
    assert_eq!(fed(&["--list", "-", "--json-lines"], "\n", 0), "");
    assert_eq!(fed(&["--list", "-"], "", 0), "", "no built-in character in place of none");
    let (_, stderr) = said(&["--list", "no_such_list.txt"], 2);
    assert!(stderr.contains("no_such_list.txt: the list of files cannot be read"), "{stderr}");
    assert!(said(&["--list", env!("CARGO_TARGET_TMPDIR")], 2).1.contains("cannot be read"));
}

#[test]
fn a_line_of_json_is_an_item_of_the_whole() {
    let files = [clean("lines_clean.gltf"), broken("lines_broken.gltf"), PathBuf::from("lines_not_there.glb")];
    let names = names(&files);
    let mut wanted: Vec<Value> = report(&names, 1)["files"].as_array().unwrap().clone();
    for file in &mut wanted {
        let fields = file.as_object_mut().unwrap();
        let path = fields.remove("path").unwrap();
        if fields.contains_key("error") {
            fields.retain(|key, _| key == "error");
        }
        fields.insert("file".to_owned(), path);
        fields.insert("fail_on".to_owned(), json!("error"));
    }
    for (file, exit) in wanted.iter_mut().zip(["ok", "findings", "error"]) {
        file["exit"] = json!(exit);
    }
    let (stdout, stderr) = said(&[&names[..], &["--json-lines"]].concat(), 1);
    let mut lines: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let place = |line: &Value| names.iter().position(|name| line["file"] == **name);
    lines.sort_by_key(place);
    assert_eq!(lines, wanted);
    assert!(stderr.contains("1 of 3 files does not load"), "{stderr}");
    // Exit codes are those of the other forms.
    said(&[names[0], "--json-lines"], 0);
    said(&[names[1], "--json-lines"], 3);
    said(&[names[1], "--json-lines", "--fail-on", "never"], 0);
    said(&["--json-lines", "--json"], 2);
}

/// The list goes on while its first files are checked: their lines are there before it ends.
#[test]
fn a_line_is_written_as_soon_as_its_file_is_done() {
    let file = clean("stream.gltf");
    for form in ["--json-lines", "--sarif", "--junit"] {
        let mut run = Running::start(&["--list", "-", form]);
        for _ in 0..3 {
            run.write(&format!("{}\n", file.display()));
            if form == "--json-lines" {
                assert_eq!(serde_json::from_str::<Value>(&run.line()).unwrap()["file"], *file.to_str().unwrap());
            }
        }
        while form == "--junit" && !run.line().contains("</testsuite>") {}
        assert_eq!(run.end().0, Some(0), "{form}");
    }
}

/// What is kept of a file that is done would be seen: a broken one has two thousand bytes of JSON, and each is named three
/// thousand times.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "full: it checks twenty thousand files"]
fn thousands_of_files_take_no_more_memory_than_hundreds() {
    let files = [broken("flat_broken.gltf"), scratch("flat_not_there.glb")];
    let chunk: String = names(&files).iter().map(|name| format!("{name}\n")).collect::<String>().repeat(50);
    // Lines of each pair of files: in SARIF a broken one has two.
    for (form, of_pair) in [("--json-lines", 2), ("--json", 2), ("--sarif", 3)] {
        let mut run = Running::start(&["--list", "-", form, "--rules", "weights-zero,weights-sum"]);
        let mut seen = 0;
        let mut feed = |run: &mut Running, times: usize| {
            for _ in 0..times {
                run.write(&chunk);
                seen += 100;
            }
            let mut lines = 0;
            // The last ones may be on their way.
            while lines + 8 < 50 * of_pair * times {
                lines += usize::from(run.line().contains("flat_"));
            }
            run.peak()
        };
        let after_hundreds = feed(&mut run, 5);
        let after_thousands = feed(&mut run, 60);
        assert!(after_thousands < after_hundreds + (3 << 20), "{form}: {after_hundreds}, {after_thousands}");
        let (code, _) = run.end();
        assert_eq!((code, seen), (Some(1), 6500), "{form}");
    }
}

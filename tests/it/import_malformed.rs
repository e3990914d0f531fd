//! Opens the corpus of bad inputs: each ends as its manifest says, with a message of one line, and in bounded memory.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::collections::HashMap;
use std::path::Path;

use skinscope::import::{ImportError, Options, Progress, import_file};

use crate::common;

/// The row where the manifest leaves a choice and the file breaks no rule: drawn as points, but whole.
const NOTHING_TO_WARN_OF: &[&str] = &["primitive_points.glb"];

/// What must be named in the message, where the manifest says what is wrong with a certain part.
const NAMED: &[(&str, &[&str])] = &[
    ("ext_required_unknown.glb", &["ACME_unknown"]),
    ("draco_garbage.glb", &["KHR_draco_mesh_compression"]),
    ("meshopt_garbage.glb", &["EXT_meshopt_compression"]),
    ("accessor_beyond_view.glb", &["accessor 0", "132 bytes", "120 bytes"]),
    ("accessor_view_index.glb", &["accessor", "99"]),
    ("index_out_of_range.glb", &["mesh 0, primitive 0", "60000", "10"]),
    ("sparse_index_out_of_range.glb", &["sparse", "60000", "10"]),
    ("skin_index.glb", &["node", "skin 9"]),
    ("ibm_too_few.glb", &["skin 0", "2 joints", "1"]),
    ("anim_sampler_index.glb", &["channel 0", "sampler 4"]),
    ("buffer_missing_file.gltf", &["nowhere.bin"]),
    ("json_syntax.gltf", &["JSON", "line"]),
    ("accessor_type.glb", &["accessor 0", "VEC9"]),
    ("primitive_mode_99.glb", &["mesh 0, primitive 0", "found 99"]),
    ("buffer_traversal.gltf", &["buffer 0", "--allow-external"]),
    ("image_missing_file.gltf", &["image 0: was left out (\"nowhere.png\": cannot be read"]),
    ("mesh_instanced_50k.glb", &["50003"]),
    ("does_not_exist.glb", &["does_not_exist.glb"]),
];

/// How an import ended, and all it said.
fn outcome(path: &Path) -> (&'static str, String) {
    match import_file(path, &Options::default(), &Progress::silent()) {
        Err(error) => ("error", error.to_string()),
        Ok(import) if import.warnings.is_empty() => ("loads", String::new()),
        Ok(import) => {
            let lines: Vec<String> = import.warnings.iter().map(ToString::to_string).collect();
            assert!(lines.iter().all(|l| !l.contains('\n')), "a warning of several lines: {lines:?}");
            ("loads-with-warning", lines.join(" | "))
        }
    }
}

/// The largest memory that this process ever had, MiB; `None` where the system does not say.
fn peak_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib / 1024)
}

#[test]
fn every_bad_input_ends_as_its_manifest_says() {
    let Some(corpus) = common::corpus() else { return };
    let folder = corpus.join("malformed");
    let manifest = std::fs::read_to_string(folder.join("manifest.csv")).unwrap();
    let named: HashMap<&str, &[&str]> = NAMED.iter().copied().collect();
    let mut wrong = Vec::new();
    let mut rows = 0;
    for row in manifest.lines().skip(1) {
        let mut columns = row.split(',');
        let (file, expected) = (columns.next().unwrap(), columns.next().unwrap());
        let expected = if NOTHING_TO_WARN_OF.contains(&file) { "loads" } else { expected };
        let (found, said) = outcome(&folder.join(file));
        let one_line = found == "loads" || (!said.is_empty() && !said.contains('\n'));
        let tells = named.get(file).is_none_or(|words| words.iter().all(|w| said.contains(w)));
        if found != expected || !one_line || !tells {
            wrong.push(format!("{file}: {expected} expected, {found} found: {said}"));
        }
        rows += 1;
    }
    assert!(wrong.is_empty(), "{} of {rows} inputs:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(rows, 118);
    if let Some(peak) = peak_mib() {
        assert!(peak < 1024, "{peak} MiB were used");
    }
}

/// A folder of its own that goes away with it.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("skinscope-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("model/sub")).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> std::path::PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// A model whose only buffer is `uri`.
    fn model(&self, uri: &str) -> std::path::PathBuf {
        let json =
            format!(r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":4,"uri":"{uri}"}}],"nodes":[{{}}]}}"#);
        self.write("model/model.gltf", json.as_bytes())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Best effort: a folder left behind in the temporary files harms nobody.
        let _kept = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_are_read_inside_the_models_folder_only() {
    let folder = Folder::new("uris");
    folder.write("secret.bin", b"1234");
    folder.write("model/sub/ü b.bin", b"1234");
    let opens = |uri: &str, allow_external: bool| {
        let options = Options { allow_external, ..Options::default() };
        import_file(&folder.model(uri), &options, &Progress::silent()).map(|_| ())
    };
    for uri in
        ["sub/ü b.bin", "sub/%C3%BC%20b.bin", "./sub/%c3%bc%20b.bin", "data:;base64,AAAAAA==", "data:,%00%01%02z"]
    {
        assert!(opens(uri, false).is_ok(), "{uri}: {:?}", opens(uri, false));
    }
    let outside = [
        "../secret.bin",
        "%2e%2e/secret.bin",
        "%2E./secret.bin",
        "sub/../../secret.bin",
        "..%2Fsecret.bin",
        "sub/%2e%2e%2f%2e%2e%2fsecret.bin",
        "./.././secret.bin",
    ];
    for uri in outside {
        assert!(matches!(opens(uri, false), Err(ImportError::Invalid { .. })), "{uri}");
        assert!(opens(uri, true).is_ok(), "{uri}: {:?}", opens(uri, true));
    }
    let absolute = folder.0.join("secret.bin").display().to_string();
    for uri in ["sub", "sub/%FF.bin", "c:/x.bin", "file:///x", "http://x/y", absolute.as_str(), "sub/%00", "data:abc"] {
        assert!(matches!(opens(uri, true), Err(ImportError::Invalid { .. })), "{uri}: {:?}", opens(uri, true));
    }
    // As Windows would have it, also on other systems: what a backslash means there it may mean to another program here.
    // (In JSON a backslash is written twice.)
    for uri in [
        "C:\\\\x.bin",
        "c%3A%5Cx.bin",
        "\\\\\\\\server\\\\share\\\\x.bin",
        "//server/x.bin",
        "%5C%5Cserver%5Cx",
        "\\\\x.bin",
        "%2Fetc%2Fpasswd",
    ] {
        assert!(matches!(opens(uri, true), Err(ImportError::Invalid { .. })), "{uri}: {:?}", opens(uri, true));
    }
    for uri in ["..\\\\secret.bin", "sub\\\\..\\\\..\\\\secret.bin", "%2e%2e%5Csecret.bin"] {
        assert!(matches!(opens(uri, false), Err(ImportError::Invalid { .. })), "{uri}: {:?}", opens(uri, false));
    }
    // Decoded once and no more; and names longer than a file system takes.
    for uri in ["%252e%252e/secret.bin", &"x".repeat(5000), &"x/".repeat(100_000)] {
        let error = opens(uri, false).unwrap_err();
        assert!(matches!(error, ImportError::Read { .. }) && error.to_string().len() < 400, "{error}");
    }
}

#[test]
fn what_to_do_about_a_path_that_leads_out_is_said() {
    let folder = Folder::new("advice");
    folder.write("secret.bin", b"1234");
    let error = import_file(&folder.model("../secret.bin"), &Options::default(), &Progress::silent()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "buffer 0: expected a path inside the model's folder, found \"../secret.bin\"; put the file into the model's \
         folder, or pass --allow-external if you trust the model"
    );
}

#[test]
fn files_longer_than_the_limit_are_not_read() {
    let folder = Folder::new("long");
    let model = folder.model("large.bin");
    let large = std::fs::File::create(folder.0.join("model/large.bin")).unwrap();
    // Holes take no room on the disk, and would take all in memory.
    large.set_len(5 << 30).unwrap();
    let open = |path: &Path| import_file(path, &Options::default(), &Progress::silent());
    assert!(matches!(open(&model), Err(ImportError::Limit { what: "the length of all files in bytes", .. })));
    let large = open(&folder.0.join("model/large.bin"));
    assert!(
        matches!(large, Err(ImportError::Limit { what: "its length in bytes", .. })),
        "read before it was measured"
    );
}

#[cfg(unix)]
#[test]
fn links_and_devices_do_not_lead_out() {
    let folder = Folder::new("links");
    folder.write("secret.bin", b"1234");
    std::os::unix::fs::symlink(folder.0.join("secret.bin"), folder.0.join("model/link.bin")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.0.join("model/zero.bin")).unwrap();
    let options = |allow_external| Options { allow_external, ..Options::default() };
    let open =
        |uri: &str, external| import_file(&folder.model(uri), &options(external), &Progress::silent()).map(|_| ());
    assert!(matches!(open("link.bin", false), Err(ImportError::Invalid { .. })));
    assert!(open("link.bin", true).is_ok());
    assert!(matches!(open("zero.bin", true), Err(ImportError::Invalid { .. })));
    let device = import_file(Path::new("/dev/zero"), &Options::default(), &Progress::silent());
    assert!(matches!(device, Err(ImportError::Invalid { .. })));
}

#[cfg(unix)]
#[test]
fn pipes_are_not_waited_for() {
    let folder = Folder::new("pipes");
    let pipe = folder.0.join("model/pipe.bin");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let open = |path: &Path, allow_external| {
        import_file(path, &Options { allow_external, ..Options::default() }, &Progress::silent())
    };
    for allow_external in [false, true] {
        let model = folder.model("pipe.bin");
        assert!(matches!(open(&model, allow_external), Err(ImportError::Invalid { .. })));
    }
    assert!(matches!(open(&pipe, false), Err(ImportError::Invalid { .. })));
}

#[cfg(unix)]
#[test]
fn a_model_that_is_a_link_reads_beside_the_link_and_a_linked_folder_leads_out() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("linked");
    folder.write("model/beside.bin", b"1234");
    folder.write("secret.bin", b"1234");
    let open = |path: &Path, allow_external| {
        import_file(path, &Options { allow_external, ..Options::default() }, &Progress::silent()).map(|_| ())
    };
    let link = folder.0.join("link.gltf");
    symlink(folder.model("beside.bin"), &link).unwrap();
    // What lies beside the file that the link leads to is not beside the link.
    assert!(matches!(open(&link, false), Err(ImportError::Read { .. })));
    folder.write("beside.bin", b"1234");
    assert!(open(&link, false).is_ok());
    symlink(&folder.0, folder.0.join("model/out")).unwrap();
    let model = folder.model("out/secret.bin");
    assert!(matches!(open(&model, false), Err(ImportError::Invalid { .. })));
    assert!(open(&model, true).is_ok());
    // A link to itself, as a buffer and as the model.
    let round = folder.0.join("model/round.bin");
    symlink(&round, &round).unwrap();
    assert!(matches!(open(&folder.model("round.bin"), false), Err(ImportError::Read { .. })));
    assert!(matches!(open(&round, false), Err(ImportError::Read { .. })));
}

#[test]
fn a_clip_of_no_length_shows_its_only_key_at_every_time() {
    use skinscope::session::{Document, PlaybackCommand, Session};
    let json = br#"{"asset":{"version":"2.0"},"nodes":[{}],
        "animations":[{"samplers":[{"input":0,"output":1}],"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"type":"SCALAR","count":1},
            {"bufferView":1,"componentType":5126,"type":"VEC3","count":1}],
        "bufferViews":[{"buffer":0,"byteLength":4},{"buffer":0,"byteOffset":4,"byteLength":12}],
        "buffers":[{"byteLength":16,"uri":"data:;base64,AAAAAAAAgD8AAABAAABAQA=="}]}"#;
    let import = skinscope::import::import_bytes(json, "still", &Options::default(), &Progress::silent()).unwrap();
    let mut session = Session::default();
    session.open(Document::new(import.model, Vec::new(), None));
    for time in [0.0, -1.0, 1e30, f32::NAN] {
        session.apply(PlaybackCommand::Seek(time));
        session.apply(PlaybackCommand::SetPlaying(true));
        session.apply(PlaybackCommand::Advance(0.016));
        session.update_pose();
        assert_eq!(session.pose().local.transforms[0].translation.to_array(), [1.0, 2.0, 3.0]);
        assert_eq!(session.playback().time_secs, 0.0);
    }
}

#[test]
fn deep_json_is_refused_before_it_is_parsed() {
    // In an unknown member, which the parser would skip, and deep inside an extension.
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}0{}", open.repeat(100_000), close.repeat(100_000));
        for member in ["extras", "extensions"] {
            let json = format!(r#"{{"asset":{{"version":"2.0"}},"{member}":{deep}}}"#);
            let error =
                skinscope::import::import_bytes(json.as_bytes(), "deep", &Options::default(), &Progress::silent())
                    .unwrap_err();
            let said = error.to_string();
            assert!(said.starts_with("JSON: expected at most 128 levels of nesting, found 100001;"), "{said}");
        }
    }
}

#[test]
fn import_stops_when_it_is_told_to() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let json = br#"{"asset":{"version":"2.0"},"nodes":[{}]}"#;
    let cancel = AtomicBool::new(false);
    let seen = std::sync::Mutex::new(Vec::new());
    let report = |fraction: f32, what: &str| {
        seen.lock().unwrap().push(fraction);
        cancel.store(what == "Reading nodes", Ordering::Relaxed);
    };
    let result =
        skinscope::import::import_bytes(json, "x", &Options::default(), &Progress { report: &report, cancel: &cancel });
    assert!(matches!(result, Err(ImportError::Cancelled)));
    let seen = seen.into_inner().unwrap();
    assert!(seen.len() >= 2 && seen.is_sorted(), "{seen:?}");
}

//! Models in archives and on standard input: they are checked as files are, and nothing that an archive says about itself is believed.

use std::io::{Cursor, Write};
use std::process::Stdio;

use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

use super::*;

/// The bytes of a model with nothing wrong, and of one with findings.
fn models() -> [Vec<u8>; 2] {
    [clean("archive_clean.gltf"), broken("archive_broken.gltf")].map(|path| std::fs::read(path).unwrap())
}

/// A model whose buffer is the file `uri`, and the bytes of that.
fn with_buffer(model: &[u8], uri: &str) -> [Vec<u8>; 2] {
    let mut root: Value = serde_json::from_slice(model).unwrap();
    let inline = root["buffers"][0]["uri"].as_str().unwrap();
    let bytes = base64::engine::general_purpose::STANDARD.decode(inline.split_once(',').unwrap().1).unwrap();
    root["buffers"][0]["uri"] = json!(uri);
    [root.to_string().into_bytes(), bytes]
}

fn tarred(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

pub(super) fn zipped(members: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// Writes an archive; returns its path.
pub(super) fn written(name: &str, bytes: &[u8]) -> String {
    let path = scratch(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The files of a report: the path after the name of the archive, the rules that were found, and the error.
fn files(report: &Value, archive: &str) -> Vec<(String, usize, Option<String>)> {
    let file = |file: &Value| {
        let path = file["path"].as_str().unwrap();
        let path = path.strip_prefix(archive).unwrap_or(path).to_owned();
        (path, file["findings"].as_array().unwrap().len(), file["error"].as_str().map(str::to_owned))
    };
    report["files"].as_array().unwrap().iter().map(file).collect()
}

#[test]
fn every_model_of_an_archive_is_checked_as_a_file_would_be() {
    let [fine, bad] = models();
    let [outer, bytes] = with_buffer(&bad, "../shared/skin%20one.bin");
    let [inner, _] = with_buffer(&bad, "skin.bin");
    let long = format!("{}long.gltf", "folder/".repeat(40));
    let members: [(&str, &[u8]); 9] = [
        ("a/fine.gltf", &fine),
        // The buffer comes after the model that names it.
        ("a/inner.GLTF", &inner),
        ("a/skin.bin", &bytes),
        ("b/outer.gltf", &outer),
        ("shared/skin one.bin", &bytes),
        ("a/._fine.gltf", b"not a model"),
        ("notes.txt", b"not a model"),
        (&long, &fine),
        ("damaged.glb", b"glTF"),
    ];
    let found = report(&[broken("archive_plain.gltf").to_str().unwrap(), "--rules", "weights-zero,weights-sum"], 3);
    let whole = &found["files"][0]["findings"];
    let archives = [
        ("shard.tar", tarred(&members)),
        ("shard.tar.gz", gzipped(&tarred(&members))),
        ("shard.TGZ", gzipped(&tarred(&members))),
        ("stored.zip", zipped(&members, CompressionMethod::Stored)),
        ("deflated.zip", zipped(&members, CompressionMethod::Deflated)),
    ];
    for (name, bytes) in archives {
        let archive = written(name, &bytes);
        let arguments = [archive.as_str(), "--rules", "weights-zero,weights-sum"];
        let told = report(&arguments, 1);
        let long = format!("/{long}");
        let all = files(&told, &archive);
        let paths: Vec<&str> = all.iter().map(|file| file.0.as_str()).collect();
        assert_eq!(paths, ["/a/fine.gltf", "/a/inner.GLTF", "/b/outer.gltf", &long, "/damaged.glb"], "{name}");
        assert_eq!(all.iter().map(|file| file.1).collect::<Vec<_>>(), [0, 2, 0, 0, 0], "{name}");
        assert_eq!(&told["files"][1]["findings"], whole, "{name}: the same as of the file");
        let errors: Vec<bool> = all.iter().map(|file| file.2.is_some()).collect();
        assert_eq!(errors, [false, false, true, false, true], "{name}");
        assert!(all[2].2.as_ref().unwrap().contains("--allow-external"), "{name}: {:?}", all[2].2);
        // Outside of its folder, and yet in the archive.
        let told = report(&[&arguments[..], &["--allow-external"]].concat(), 1);
        assert_eq!(&told["files"][2]["findings"], whole, "{name}");
        // Names are those of files everywhere.
        let text = said(&arguments, 1);
        assert!(text.0.contains(&format!("{archive}/a/inner.GLTF")), "{name}: {}", text.0);
        assert!(text.1.contains("/damaged.glb: ") && text.1.contains("2 of 5 files do not load"), "{name}: {}", text.1);
    }
    // In a list an archive is what it is on the command line.
    let (list, archive) = (scratch("archives.txt"), scratch("shard.tar"));
    std::fs::write(&list, format!("{}\n", archive.display())).unwrap();
    let listed = report(&["--list", list.to_str().unwrap()], 1);
    assert_eq!(listed["files"].as_array().unwrap().len(), 5);
}

/// No member names a file of the disk, whatever its name is, and none is found by a path that leads out of the archive.
#[test]
fn a_path_in_an_archive_is_a_name_and_nothing_else() {
    let [_, bad] = models();
    let [outer, bytes] = with_buffer(&bad, "../../beside.bin");
    let beside = scratch("beside.bin");
    std::fs::write(&beside, &bytes).unwrap();
    let [absolute, _] = with_buffer(&bad, beside.to_str().unwrap());
    let [missing, _] = with_buffer(&bad, "beside.bin");
    let members: [(&str, &[u8]); 4] = [
        ("../../escape.gltf", &bad),
        ("a/outer.gltf", &outer),
        ("absolute.gltf", &absolute),
        ("missing.gltf", &missing),
    ];
    let archive = written("tricks.zip", &zipped(&members, CompressionMethod::Deflated));
    let told = report(&[archive.as_str(), "--allow-external"], 1);
    let all = files(&told, &archive);
    let paths: Vec<&str> = all.iter().map(|file| file.0.as_str()).collect();
    assert_eq!(paths, ["/../../escape.gltf", "/a/outer.gltf", "/absolute.gltf", "/missing.gltf"]);
    assert!(all[0].2.is_none() && all[1..].iter().all(|file| file.2.is_some()), "{all:?}");
    assert!(all[3].2.as_ref().unwrap().contains("a file in the same archive"), "{all:?}");
    assert!(!scratch("escape.gltf").exists(), "nothing is unpacked");
}

/// Writes `new` over the bytes `at` places behind every `mark`.
fn patched(bytes: &[u8], mark: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for start in 0..bytes.len() - mark.len() {
        if &bytes[start..start + mark.len()] == mark {
            out[start + at..start + at + new.len()].copy_from_slice(new);
        }
    }
    out
}

#[test]
fn hostile_archives_are_told_and_the_run_goes_on() {
    let [fine, _] = models();
    let last = clean("archive_last.gltf");
    let last = last.to_str().unwrap();
    let (local, central) = (b"PK\x03\x04", b"PK\x01\x02");
    let zeros = vec![0_u8; 80 << 20];
    let one: [(&str, &[u8]); 1] = [("one.gltf", &fine)];
    let plain = zipped(&one, CompressionMethod::Deflated);
    let bomb = zipped(&[("bomb.glb", &zeros[..])], CompressionMethod::Deflated);
    assert!(bomb.len() < 1 << 20);
    let lying = patched(&patched(&bomb, central, 24, &[16, 0, 0, 0]), local, 22, &[16, 0, 0, 0]);
    let encrypted = patched(&patched(&plain, central, 8, &[1]), local, 6, &[1]);
    let method = patched(&patched(&plain, central, 10, &[14]), local, 8, &[14]);
    let two = tarred(&[("one.gltf", &fine[..]), ("two.gltf", &fine[..])]);
    let cut = &two[..512 + fine.len().next_multiple_of(512) + 700];
    let mut wrong = two.clone();
    wrong[512 + fine.len().next_multiple_of(512)] ^= 0x55;
    let glb = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/figure.glb")).unwrap();
    let joined = [&tarred(&one)[..], &two].concat();
    let cases: [(&str, &[u8], &[&str]); 13] = [
        ("bomb.zip", &bomb, &["more than the limit of"]),
        ("lying.zip", &lying, &["expected a member that can be read"]),
        ("encrypted.zip", &encrypted, &["found encrypted"]),
        ("method.zip", &method, &["compressed by another method"]),
        ("gzip_bomb.tar.gz", &gzipped(&zeros), &["its unpacked length in bytes"]),
        ("cut.tar", cut, &["", "found cut off"]),
        ("wrong.tar", &wrong, &["", "expected a whole archive"]),
        ("none.tar", &tarred(&[("notes.txt", &b"none"[..])]), &["expected a model in the archive"]),
        ("text.zip", b"not an archive at all", &["expected an archive (.tar, .tar.gz or .zip), found something else"]),
        ("model.tar", &glb, &["found a binary glTF"]),
        ("model.tar.gz", &gzipped(&glb), &["found a gzip archive of a binary glTF; unpack it"]),
        // A tar behind the end of another one is left out by `tar` too, which says nothing.
        ("joined.tar", &joined, &["", "found another archive behind its end"]),
        ("empty.zip", b"", &["expected a model in the archive"]),
    ];
    for (name, bytes, wanted) in cases {
        let archive = written(name, bytes);
        let told = report(&[archive.as_str(), last, "--max-memory", "64"], 1);
        let all = files(&told, &archive);
        assert_eq!(all.len(), wanted.len() + 1, "{name}: {all:?}");
        for (file, wanted) in all.iter().zip(wanted) {
            let error = file.2.as_deref().unwrap_or("");
            assert!(error.contains(*wanted) && error.is_empty() == wanted.is_empty(), "{name}: {all:?}");
        }
        assert_eq!((all[wanted.len()].0.as_str(), &all[wanted.len()].2), (last, &None), "{name}");
    }
    let (_, stderr) = said(&["no_such_archive.tar", last], 1);
    assert!(stderr.contains("no_such_archive.tar: cannot be read"), "{stderr}");
}

/// A byte that is another one in a name, or the last digit of a place, leaves a model that reads, and that is not the one that was packed.
#[test]
fn members_of_a_zip_with_another_checksum_are_damaged_and_the_others_are_checked() {
    let [fine, bad] = models();
    let [outer, bytes] = with_buffer(&fine, "skin.bin");
    let name = b"\"Square\"";
    assert!(serde_json::from_slice::<Value>(&patched(&fine, name, 2, b"p")).is_ok());
    let members: [(&str, &[u8]); 5] =
        [("a.gltf", &fine), ("b.gltf", &bad), ("c.gltf", &fine), ("d.gltf", &outer), ("skin.bin", &bytes)];
    let stored = zipped(&members, CompressionMethod::Stored);
    let place = |wanted: &[u8]| stored.windows(wanted.len()).position(|part| part == wanted).unwrap();
    let mut in_name = stored.clone();
    in_name[place(name) + 2] = b'p';
    let mut in_buffer = stored.clone();
    in_buffer[place(&bytes)] ^= 1;
    let deflated = zipped(&members, CompressionMethod::Deflated);
    let other_sums = patched(&deflated, b"PK\x01\x02", 16, &[1, 2, 3, 4]);
    let cases: [(&str, &[u8], [bool; 4], i32); 5] = [
        ("sums_stored.zip", &stored, [false; 4], 3),
        ("sums_deflated.zip", &deflated, [false; 4], 3),
        ("sums_name.zip", &in_name, [true, false, false, false], 1),
        ("sums_buffer.zip", &in_buffer, [false, false, false, true], 1),
        ("sums_listed.zip", &other_sums, [true; 4], 1),
    ];
    for (name, bytes, wanted, code) in cases {
        let archive = written(name, bytes);
        let all = files(&report(&[archive.as_str(), "--rules", "weights-zero"], code), &archive);
        assert_eq!(all.len(), wanted.len(), "{name}: {all:?}");
        for ((path, found, error), is_damaged) in all.iter().zip(wanted) {
            let error = error.as_deref().unwrap_or("");
            assert_eq!(*found, usize::from(path == "/b.gltf" && !is_damaged), "{name}: {all:?}");
            assert!(error.is_empty() != is_damaged, "{name}: {all:?}");
            let says = error.contains("found damaged: a CRC-32 of ") && error.contains("copy or download it again");
            assert!(says || !is_damaged, "{name}: {error}");
        }
    }
}

/// A run that is given these bytes on standard input and ends with `code`.
pub(super) fn piped(arguments: &[&str], input: &[u8], code: i32) -> (Vec<u8>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_skinscope"))
        .arg("check")
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A run that refuses its arguments does not read.
    let _closed = child.stdin.take().unwrap().write_all(input).is_err();
    let out = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(code), "{arguments:?}: {stderr}");
    (out.stdout, stderr)
}

#[test]
fn standard_input_may_hold_a_model_or_an_archive_of_them() {
    let [fine, bad] = models();
    let told = |input: &[u8], code| -> Value {
        serde_json::from_slice(&piped(&["-", "--json", "--rules", "weights-zero,weights-sum"], input, code).0).unwrap()
    };
    let report = told(&bad, 3);
    assert_eq!(report["files"][0]["path"], "standard input");
    assert_eq!(rules(&report["files"][0]), ["weights-zero", "weights-sum"]);
    assert_eq!(files(&told(&fine, 0), ""), [("standard input".to_owned(), 0, None)]);
    let glb = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/figure.glb")).unwrap();
    let names = ["standard input/a.gltf", "standard input/b.gltf"];
    assert_eq!(files(&told(&glb, 0), "").len(), 1, "a .glb is known by its first bytes");
    let members: [(&str, &[u8]); 2] = [("a.gltf", &fine), ("b.gltf", &bad)];
    for archive in [tarred(&members), zipped(&members, CompressionMethod::Deflated), gzipped(&tarred(&members))] {
        let all = files(&told(&archive, 3), "");
        assert_eq!(all.iter().map(|file| file.0.as_str()).collect::<Vec<_>>(), names);
    }
    // There is no folder in which other files could lie.
    let [outside, _] = with_buffer(&fine, "skin.bin");
    let error = files(&told(&outside, 1), "").remove(0).2.unwrap();
    assert!(error.contains("no reference to other files"), "{error}");
    assert!(files(&told(b"", 1), "")[0].2.is_some(), "nothing is no model");
    // Beside files, and never beside a list that is standard input too.
    let file = clean("archive_stdin.gltf");
    let out = piped(&[file.to_str().unwrap(), "-", "--json"], &fine, 0).0;
    assert_eq!(files(&serde_json::from_slice(&out).unwrap(), "").len(), 2);
    for twice in [["-", "-", "--json"], ["-", "--list", "-"]] {
        assert!(piped(&twice, &fine, 2).1.contains("room for one model or one list"), "{twice:?}");
    }
}

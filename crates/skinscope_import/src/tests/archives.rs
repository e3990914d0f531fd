//! Lists of what is in archives, whole and damaged, and how a model finds what it names there.

use std::io::{Cursor, Write};

use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

use super::super::archive::Archive;
use super::super::{Limits, import_member_showing};
use super::*;

fn tarred(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn archive(bytes: Vec<u8>) -> Archive {
    Archive::of_bytes("shard", bytes, &Limits::default()).unwrap()
}

#[test]
fn models_are_members_that_are_named_as_models() {
    let members: [(&str, &[u8]); 8] = [
        ("a.glb", b""),
        ("b.bin", b""),
        ("c/D.GLTF", b""),
        ("c/._D.GLTF", b""),
        ("c/.vrm", b""),
        ("e.vrm", b""),
        ("glb", b""),
        ("./f\\g.glb", b""),
    ];
    for bytes in [tarred(&members), zipped(&members)] {
        let archive = archive(bytes);
        let paths: Vec<String> = archive.models().map(|member| archive.path_of(member)).collect();
        assert_eq!(paths, ["shard/a.glb", "shard/c/D.GLTF", "shard/e.vrm", "shard/f/g.glb"]);
        assert!(archive.fault().is_none());
    }
    // Of two with one path the later one is there, as when they are unpacked.
    let twice = archive(tarred(&[("a.glb", &b"old"[..]), ("b.glb", &b"b"[..]), ("./a.glb", &b"new"[..])]));
    assert_eq!(twice.models().collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn what_a_model_names_is_found_in_its_folder_or_where_that_is_allowed() {
    let members: [(&str, &[u8]); 3] = [("a/model.gltf", b""), ("a/s/skin.bin", b""), ("b.bin", b"")];
    let archive = archive(tarred(&members));
    for (named, outside, wanted) in [
        ("s/skin.bin", false, Some(Some(1))),
        ("./s//skin.bin", false, Some(Some(1))),
        ("s\\skin.bin", false, Some(Some(1))),
        ("skin.bin", false, Some(None)),
        ("../b.bin", false, None),
        ("../b.bin", true, Some(Some(2))),
        ("s/../../b.bin", true, Some(Some(2))),
        ("../../b.bin", true, None),
    ] {
        assert_eq!(archive.find(0, named, outside).ok(), wanted, "{named}");
    }
}

#[test]
fn damaged_archives_list_what_is_there_and_never_panic() {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", 3, &SQUARE);
    let glb = doc.with_primitive(json!({ "attributes": { "POSITION": position }, "mode": 5 })).glb();
    let members: [(&str, &[u8]); 2] = [("a.glb", &glb), ("b.glb", &glb)];
    let read = |bytes: &[u8]| {
        let Ok(archive) = Archive::of_bytes("shard", bytes.to_vec(), &Limits::default()) else { return 0 };
        let all = archive.models().collect::<Vec<_>>();
        let (options, progress) = (Options::default(), Progress::silent());
        let opens =
            |member: &&usize| import_member_showing(&archive, **member, &options, &progress, &mut |_, _| ()).is_ok();
        all.iter().filter(opens).count()
    };
    for whole in [tarred(&members), zipped(&members)] {
        assert_eq!(read(&whole), 2);
        for length in (0..whole.len()).step_by(13) {
            assert!(read(&whole[..length]) <= 2);
        }
        for at in (0..whole.len()).step_by(7) {
            let mut wrong = whole.clone();
            wrong[at] ^= 0xFF;
            assert!(read(&wrong) <= 2);
        }
    }
}

/// A name may be as long as an archive, and would be kept in memory.
#[test]
fn a_name_of_a_tar_is_not_longer_than_a_megabyte() {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::GNULongName);
    header.set_size(3 << 20);
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    bytes.resize(bytes.len() + (3 << 20), b'a');
    bytes.extend(tarred(&[("a.glb", &b""[..])]));
    let archive = archive(bytes);
    assert_eq!(archive.models().count(), 0);
    assert!(archive.fault().unwrap().to_string().contains("a header of more than"), "{:?}", archive.fault());
}

#[test]
fn a_hard_link_is_the_file_before_it_and_a_file_with_holes_is_told_by_its_name() {
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(5);
    builder.append_data(&mut header, "a.glb", &b"bytes"[..]).unwrap();
    for (name, target) in [("links/b.glb", "./a.glb"), ("c.glb", "gone.glb")] {
        let mut link = tar::Header::new_gnu();
        link.set_entry_type(tar::EntryType::Link);
        link.set_size(0);
        builder.append_link(&mut link, name, target).unwrap();
    }
    // As `tar --sparse --format=posix` writes it: under another name, with a list of what is there before its bytes.
    builder
        .append_pax_extensions([("GNU.sparse.major", &b"1"[..]), ("GNU.sparse.name", &b"folder/d.glb"[..])])
        .unwrap();
    header.set_size(10);
    builder.append_data(&mut header, "GNUSparseFile.7/d.glb", &b"1\n0\n4\nglTF"[..]).unwrap();
    let archive = archive(builder.into_inner().unwrap());
    let read = |member: usize| match archive.model(member, &Limits::default()) {
        Ok(owner) => String::from_utf8(owner.bytes().read().unwrap().into_owned()).unwrap(),
        Err(error) => error.to_string(),
    };
    let all: Vec<(String, String)> = archive.models().map(|member| (archive.path_of(member), read(member))).collect();
    let wanted = [
        ("shard/a.glb", "bytes"),
        ("shard/links/b.glb", "bytes"),
        ("shard/c.glb", "found a link to \"gone.glb\", which is not before it in the archive"),
        ("shard/folder/d.glb", "found stored with holes (sparse)"),
    ];
    assert_eq!(all.len(), wanted.len(), "{all:?}");
    for ((path, read), (wanted, said)) in all.iter().zip(wanted) {
        assert!(path == wanted && read.contains(said), "{all:?}");
    }
}

/// The programs of Windows write names in the code page of their country.
#[test]
fn names_that_are_no_utf_8_stay_different() {
    let mut bytes = zipped(&[("Xa.glb", &b""[..]), ("Ya.glb", &b""[..])]);
    for byte in &mut bytes {
        *byte = match *byte {
            b'X' => 0x81,
            b'Y' => 0x82,
            other => other,
        };
    }
    let archive = archive(bytes);
    let paths: Vec<String> = archive.models().map(|member| archive.path_of(member)).collect();
    assert_eq!(paths, ["shard/%81a.glb", "shard/%82a.glb"]);
}

//! Says what a file is that was taken for another, by its first bytes: what stands under the name of a model may be a pointer of Git LFS, a
//! web page, an archive, or a model of another format.

impl std::fmt::Display for FileKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "it is {}; {}", self.name, self.advice)
    }
}

/// How many bytes at the start of a file say what it is.
pub const START: usize = 4096;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKind {
    /// What people call it, with its article: `a Git LFS pointer`.
    pub name: &'static str,
    /// What the user can do about it, as part of a sentence.
    pub advice: &'static str,
    /// Whether the bytes cannot be anything else; else other data might begin with them by chance.
    pub is_certain: bool,
}

const LFS: &str = "run `git lfs pull` in its folder, which puts the file itself in place of the pointer";
const PAGE: &str = "a link led to a page about the file; download the file itself";
const UNPACK: &str = "unpack it, and open what is in it";
const EXPORT: &str = "export it as glTF 2.0 (.glb) from the program that made it, or convert it";
const NAME: &str = "choose a file of the right kind";
const AS_PNG: &str = "save it as PNG";
const SHORTCUT: &str = "open the file that it leads to";

/// Bytes that begin a file, and what it is then.
type Magic = (&'static [u8], &'static str, &'static str);

/// Beginnings that no other data has by chance.
const CERTAIN: &[Magic] = &[
    (b"version https://git-lfs.github.com/spec/", "a Git LFS pointer", LFS),
    (b"version https://hawser.github.com/spec/", "a Git LFS pointer", LFS),
    (b"7z\xBC\xAF\x27\x1C", "a 7-Zip archive", UNPACK),
    (b"Rar!\x1A\x07", "a RAR archive", UNPACK),
    (b"\xFD7zXZ\0", "an xz archive", UNPACK),
    (b"BLENDER", "a Blender file (.blend)", EXPORT),
    (b"Kaydara FBX Binary  \0", "an FBX file (binary)", EXPORT),
    (b"; FBX ", "an FBX file (text)", EXPORT),
    (b"#usda ", "a USD file (.usda)", EXPORT),
    (b"PXR-USDC", "a USD file (.usdc)", EXPORT),
    (b"PMX ", "a model of MikuMikuDance (.pmx)", EXPORT),
    (b"Pmx ", "a model of MikuMikuDance (.pmx)", EXPORT),
    (b"Pmd\0\0\x80?", "a model of MikuMikuDance (.pmd)", EXPORT),
    (b"Vocaloid Motion Data", "a motion of MikuMikuDance (.vmd)", EXPORT),
    (b"HIERARCHY", "a motion capture file (.bvh)", EXPORT),
    (b"ply\n", "a PLY file", EXPORT),
    (b"ply\r", "a PLY file", EXPORT),
    (b"xof 0", "a DirectX model (.x)", EXPORT),
    (b"MD5Version", "an MD5 model", EXPORT),
    (b"IDST", "a model of Source (.mdl)", EXPORT),
    (b"//Maya ASCII", "a Maya file (.ma)", EXPORT),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "a compound file, as 3ds Max saves (.max)", EXPORT),
    (b"%YAML 1.1\n%TAG !u! tag:unity3d.com", "an asset of Unity", EXPORT),
    (b"fileFormatVersion: ", "a .meta file of Unity", "open the file that it stands beside"),
    (b"UnityFS\0", "a bundle of Unity", EXPORT),
    (b"[gd_scene", "a scene of Godot (.tscn)", EXPORT),
    (b"[gd_resource", "a resource of Godot (.tres)", EXPORT),
    (b"RSRC", "a resource of Godot", EXPORT),
    (b"\xC1\x83\x2A\x9E", "an asset of Unreal (.uasset)", EXPORT),
    (b"DRACO", "a Draco mesh (.drc)", EXPORT),
    (b"Ogawa", "an Alembic file (.abc)", EXPORT),
    (b"\x89HDF\r\n\x1A\n", "an HDF5 file, as old Alembic files are", EXPORT),
    (
        b"newmtl ",
        "a list of materials of an OBJ file (.mtl)",
        "open the .obj beside it in another program, and export it as glTF 2.0",
    ),
    (b"\x89PNG\r\n\x1A\n", "a PNG picture", NAME),
    (b"\xABKTX 11\xBB\r\n\x1A\n", "a KTX picture", NAME),
    (b"\xABKTX 20\xBB\r\n\x1A\n", "a KTX 2 picture", NAME),
    (b"\x76\x2F\x31\x01", "an OpenEXR picture", NAME),
    (b"#?RADIANCE", "a Radiance picture", NAME),
    (b"8BPS\0", "a Photoshop picture", AS_PNG),
    (b"DDS |", "a DDS picture", AS_PNG),
    (b"GIF87a", "a GIF picture", AS_PNG),
    (b"GIF89a", "a GIF picture", AS_PNG),
    (b"%PDF-", "a PDF document", NAME),
    (b"\x7FELF", "a program", NAME),
    (
        b"\0\x05\x16\x07\0\x02\0\0",
        "a file in which macOS keeps what belongs to another",
        "open the file without `._` before its name",
    ),
    (b"L\0\0\0\x01\x14\x02\0", "a shortcut of Windows", SHORTCUT),
    (b"[InternetShortcut]", "a shortcut of Windows", SHORTCUT),
    (b"glTF", "a binary glTF", NAME),
    (b"b3dm", "a tile of 3D Tiles (.b3dm)", "take the .glb out of it"),
    (b"i3dm", "a tile of 3D Tiles (.i3dm)", "take the .glb out of it"),
    (b"PK\x03\x04", "a ZIP archive", UNPACK),
    (b"PK\x05\x06", "an empty ZIP archive", NAME),
];

/// Beginnings of a few bytes, which other data may have too.
const LIKELY: &[Magic] = &[
    (b"\x1F\x8B\x08", "a gzip archive", UNPACK),
    (b"\x28\xB5\x2F\xFD", "a Zstandard archive", UNPACK),
    (b"BZh", "a bzip2 archive", UNPACK),
    (b"\x04\x22\x4D\x18", "an LZ4 archive", UNPACK),
    (b"\xFF\xD8\xFF", "a JPEG picture", NAME),
    (b"II*\0", "a TIFF picture", AS_PNG),
    (b"MM\0*", "a TIFF picture", AS_PNG),
    (b"MM\0\0\0", "a 3D Studio file (.3ds)", EXPORT),
    (b"MM", "a 3D Studio file (.3ds)", EXPORT),
    (b"FOR4", "a Maya file (.mb)", EXPORT),
    (b"FOR8", "a Maya file (.mb)", EXPORT),
    (b"BM", "a BMP picture", AS_PNG),
];

/// Bytes, each at a place of the start of a file, and what it is then.
type Within = (&'static [(usize, &'static [u8])], &'static str, &'static str);

/// What says what a file is without standing at its beginning.
const WITHIN: &[Within] = &[
    (&[(0, b"RIFF"), (8, b"WEBP")], "a WebP picture", NAME),
    (&[(4, b"ftyp")], "a film, or a picture in HEIF or AVIF", NAME),
    (&[(257, b"ustar")], "a tar archive", UNPACK),
];

/// Words in a text between angle brackets, and what it is that has the first of them.
const MARKUP: &[Magic] = &[
    (b"<html", "a web page (HTML)", PAGE),
    (b"<collada", "a COLLADA file (.dae)", EXPORT),
    (b"<x3d", "an X3D file", EXPORT),
    (b"<svg", "an SVG picture", AS_PNG),
    (b"<error", "an error message of a server (XML)", "the download failed; try it again"),
];

/// Returns what a file is that begins with these bytes (see [`START`]); `None` where nothing is known about it. JSON is not named, nor
/// is text that could be anything.
#[must_use]
pub fn of_start(start: &[u8]) -> Option<FileKind> {
    let kind = |name, advice| Some(FileKind { name, advice, is_certain: true });
    if let Some((_, name, advice)) = CERTAIN.iter().find(|(magic, ..)| start.starts_with(magic)) {
        return match *name {
            "a ZIP archive" => {
                kind(in_zip(start).unwrap_or(name), if in_zip(start).is_some() { EXPORT } else { advice })
            }
            _ => kind(name, advice),
        };
    }
    let has = |(at, bytes): &(usize, &[u8])| start.get(*at..).is_some_and(|rest| rest.starts_with(bytes));
    if let Some((_, name, advice)) = WITHIN.iter().find(|(parts, ..)| parts.iter().all(has)) {
        return kind(name, advice);
    }
    if let [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] = start {
        return Some(FileKind { name: "text in UTF-16", advice: "save it as UTF-8", is_certain: false });
    }
    if let Some((name, advice)) = of_text(start) {
        return kind(name, advice);
    }
    let likely = LIKELY.iter().find(|(magic, ..)| start.starts_with(magic));
    likely.map(|(_, name, advice)| FileKind { name, advice, is_certain: false })
}

/// Returns the format that a ZIP archive is a form of, by the name of its first file.
fn in_zip(start: &[u8]) -> Option<&'static str> {
    let length = usize::from(u16::from_le_bytes(start.get(26..28)?.try_into().ok()?));
    let name = String::from_utf8_lossy(start.get(30..30 + length)?).to_lowercase();
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("usd" | "usda" | "usdc") => Some("a USD package (.usdz)"),
        Some("model") => Some("a 3MF model"),
        _ if name == "[content_types].xml" => Some("a ZIP archive of a document, such as 3MF or an office file"),
        _ => None,
    }
}

/// Returns what a text is, with the advice.
fn of_text(start: &[u8]) -> Option<(&'static str, &'static str)> {
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    if text.contains(&0) {
        return None;
    }
    let text = String::from_utf8_lossy(text);
    let text = text.trim_start();
    // Of JSON any words may be part.
    if text.starts_with('{') {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    if let Some(rest) = lower.strip_prefix('<') {
        let is_page =
            ["!doctype html", "html", "head", "body", "title", "script"].iter().any(|tag| rest.starts_with(tag));
        let has = |word: &[u8]| lower.as_bytes().windows(word.len()).any(|part| part == word);
        let found = MARKUP.iter().find(|(word, ..)| has(word) || is_page).map(|(_, name, advice)| (*name, *advice));
        let is_xml = rest.starts_with("?xml") || rest.starts_with("!--");
        return found.or(is_xml.then_some(("XML text", NAME)));
    }
    if lower.contains("fbxheaderextension") {
        return Some(("an FBX file (text)", EXPORT));
    }
    // A few letters say nothing before the rest of a line does.
    if lower.starts_with("solid") && lower.contains("facet normal") {
        return Some(("an STL file (text)", EXPORT));
    }
    let words = |line: &str| line.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let of_obj = |line: &str| match &words(line)[..] {
        [key, rest @ ..] if ["v", "vn", "vt"].contains(&key.as_str()) => {
            rest.len() >= 2 && rest.iter().all(|number| number.parse::<f64>().is_ok())
        }
        [key, _, ..] => ["mtllib", "usemtl"].contains(&key.as_str()),
        _ => false,
    };
    if text.lines().take(60).any(of_obj) {
        return Some(("a Wavefront OBJ file", EXPORT));
    }
    if lower.starts_with("version 1") && lower.contains("nodes") {
        return Some(("a model of Source (.smd)", EXPORT));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_for_what_they_are() {
        let zip = |name: &str| [b"PK\x03\x04", &[0; 22][..], &[name.len() as u8, 0, 0, 0], name.as_bytes()].concat();
        let tar = [&[b'a'; 257][..], b"ustar\0"].concat();
        let (usdz, three, plain) = (zip("scene.usdc"), zip("3D/3dmodel.model"), zip("hero.glb"));
        for (bytes, name) in [
            (&b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"[..], "a Git LFS pointer"),
            (b"<!DOCTYPE html><html>", "a web page (HTML)"),
            (b"\xEF\xBB\xBF\n <HTML lang=en>", "a web page (HTML)"),
            (b"<?xml version=\"1.0\"?><!DOCTYPE x><html xmlns=\"x\">", "a web page (HTML)"),
            (b"<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"x\">", "a COLLADA file (.dae)"),
            (b"<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code>", "an error message of a server (XML)"),
            (b"\x1F\x8B\x08\0", "a gzip archive"),
            (&plain, "a ZIP archive"),
            (&usdz, "a USD package (.usdz)"),
            (&three, "a 3MF model"),
            (&tar, "a tar archive"),
            (b"Kaydara FBX Binary  \0\x1A\0", "an FBX file (binary)"),
            (b"; FBX 7.4.0 project file\n", "an FBX file (text)"),
            (b"\n\nFBXHeaderExtension:  {\n", "an FBX file (text)"),
            (b"#usda 1.0\n", "a USD file (.usda)"),
            (b"PXR-USDC\0\x08\0", "a USD file (.usdc)"),
            (b"BLENDER-v279", "a Blender file (.blend)"),
            (b"PMX \0\0\0@", "a model of MikuMikuDance (.pmx)"),
            (b"Pmd\0\0\x80?name", "a model of MikuMikuDance (.pmd)"),
            (b"# Blender 4.0\nmtllib a.mtl\no Cube\nv 1.0 1 -1\n", "a Wavefront OBJ file"),
            (b"v 0 0 0\nv 1e-3 0 0\n", "a Wavefront OBJ file"),
            (b"solid a\nfacet normal 0 0 1\n", "an STL file (text)"),
            (b"ply\nformat ascii 1.0\n", "a PLY file"),
            (b"\xFF\xFE{\0", "text in UTF-16"),
            (b"\x89PNG\r\n\x1A\n\0", "a PNG picture"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "a WebP picture"),
            (b"glTF\x02\0\0\0", "a binary glTF"),
        ] {
            assert_eq!(of_start(bytes).map(|kind| kind.name), Some(name));
        }
        for unknown in [
            &b""[..],
            b" {\"a\":\"FBXHeaderExtension <html\nv 0 0 0\n\"}",
            b"{\"asset\":{}}",
            b"hello, world\n",
            b"\0\0\0\0",
            b"v",
            b"v one two\n",
            b"models/a.glb\n",
        ] {
            assert_eq!(of_start(unknown), None, "{unknown:?}");
        }
        // Numbers of a buffer may begin like an archive, but not like a pointer.
        assert!(!of_start(b"\x1F\x8B\x08\0").unwrap().is_certain);
        assert!(of_start(b"version https://git-lfs.github.com/spec/v1").unwrap().is_certain);
    }
}

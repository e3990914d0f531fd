//! Names that the bundled fonts have no letters for, in the real program: it takes fonts from the user's own folder.

use std::path::{Path, PathBuf};

use image::RgbaImage;

use super::{Screen, inside, wait_until};

/// The figure of the fixtures with other names for its nodes.
fn named(folder: &Path, name: &str) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let file = std::fs::read(fixtures.join("figure.glb")).unwrap();
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let mut json: serde_json::Value = serde_json::from_slice(&file[20..20 + length]).unwrap();
    for node in json["nodes"].as_array_mut().unwrap() {
        node["name"] = name.into();
    }
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let rest = &file[20 + length..];
    let mut out = Vec::new();
    out.extend(b"glTF\x02\0\0\0");
    out.extend(((20 + text.len() + rest.len()) as u32).to_le_bytes());
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(b"JSON");
    out.extend(&text);
    out.extend(rest);
    let path = folder.join("named.glb");
    std::fs::write(&path, out).unwrap();
    path
}

/// The yellow of an arm among the emoji, in the tree of nodes, where text is grey and icons are blue.
fn yellow(picture: &RgbaImage) -> usize {
    inside(picture, [0, 60, 250, 400]).filter(|p| p[0] > 200 && (130..225).contains(&p[1]) && p[2] < 90).count()
}

#[test]
#[ignore = "full: it opens a window"]
fn emoji_in_names_come_from_the_fonts_of_the_user_in_their_colours() {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("home_with_fonts");
    // Where one looks depends on what the system's own configuration says.
    for folder in [".fonts", ".local/share/fonts"] {
        let folder = home.join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        let font = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/fonts/emoji.ttf");
        std::fs::copy(font, folder.join("emoji.ttf")).unwrap();
    }
    let model = named(&home, "💪💪💪💪");
    let variables = [("HOME", home.clone()), ("XDG_DATA_HOME", home.join(".local/share"))];
    let Some(screen) = Screen::open_with("names", &[model.to_str().unwrap()], &variables) else { return };
    wait_until("arms in the tree", || yellow(&screen.shot("names")) > 100);
}

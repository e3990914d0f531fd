//! A window without any special treatment of a software device, as on a graphics card: its panels and its picture are
//! painted directly, and every picture has four samples per pixel.

use std::path::{Path, PathBuf};

use image::RgbaImage;

use super::rest::still;
use super::{FIGURE, Screen};

fn shown(name: &str, variables: &[(&str, PathBuf)]) -> Option<RgbaImage> {
    let model = still(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let screen = Screen::open_with(name, &[&model], variables)?;
    Some(screen.settled("shown"))
}

#[test]
#[ignore = "full: it opens two windows and waits until each is at rest"]
fn a_window_looks_the_same_where_nothing_is_done_for_a_software_device() {
    let without = [("SKINSCOPE_SOFTWARE_WITHOUT", PathBuf::from("all"))];
    // From half as many directions shadows are a little rougher.
    let whole_shadows = [("SKINSCOPE_SOFTWARE_WITHOUT", PathBuf::from("half_shadows"))];
    let Some(with) = shown("software", &whole_shadows) else { return };
    let Some(card) = shown("card", &without) else { return };
    assert_eq!(with.dimensions(), card.dimensions());
    let far = |(a, b): &(&image::Rgba<u8>, &image::Rgba<u8>)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 2);
    let far = with.pixels().zip(card.pixels()).filter(far).count();
    assert_eq!(far, 0, "pixels that are not the same");
    let [left, top, right, bottom] = FIGURE;
    let inside = image::imageops::crop_imm(&card, left, top, right - left, bottom - top).to_image();
    let colours: std::collections::BTreeSet<_> = inside.pixels().map(|p| p.0).collect();
    assert!(colours.len() > 200, "the figure is drawn");
}

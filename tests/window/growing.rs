//! What a window shows while it has another size already, and its next frame is not there yet.

use super::{Screen, common};

/// A pixel where a window of 1280 × 800 has something, and one of 900 × 600 has nothing.
const OUTSIDE: [(u32, u32); 3] = [(1200, 300), (400, 740), (1270, 790)];

#[test]
#[ignore = "full: it opens a window"]
fn a_window_that_grows_keeps_its_picture_and_has_its_own_ground_around_it() {
    let Some(screen) = Screen::open("growing", &[]) else { return };
    let window = ["search", "--onlyvisible", "--name", "Skinscope"];
    screen.key("space");
    screen.tool(&[&window[..], &["windowsize", "--sync", "900", "600"]].concat());
    let before = screen.settled("before");
    let mut during = before.clone();
    screen.while_busy(|| {
        screen.tool(&[&window[..], &["windowsize", "--sync", "1280", "800"]].concat());
        during = screen.shot("during");
    });
    let kept = (0..900).step_by(7).flat_map(|x| (0..600).step_by(7).map(move |y| (x, y)));
    for (x, y) in kept {
        assert_eq!(during.get_pixel(x, y), before.get_pixel(x, y), "the picture stands at {x}, {y}");
    }
    let skinscope::frame::Background::Studio { outer, .. } = skinscope::frame::SceneColors::DARK.background else {
        return common::skipped("the picture has no ground of its own");
    };
    let [r, g, b] = outer.map(|c| (255.0 * c).round() as u8);
    let ground = [r, g, b, 255];
    for (x, y) in OUTSIDE {
        assert_eq!(during.get_pixel(x, y).0, ground, "nothing but ground at {x}, {y}");
    }
    let after = screen.settled("after");
    assert!(OUTSIDE.iter().any(|(x, y)| after.get_pixel(*x, *y).0 != ground), "the window fills its new size");
}

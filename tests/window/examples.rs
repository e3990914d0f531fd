//! A walk through a teaching example in a real window: its slider is dragged, a letter is pressed, text is made large, and another
//! example is opened.

use super::{FIGURE, Screen, changed, wait_until};

#[test]
#[ignore = "full: it opens a window and waits for it to rest"]
fn an_example_is_walked_through_from_its_first_sight_to_the_end_of_its_slider() {
    let Some(screen) = Screen::open("examples", &["--example", "twist-bar"]) else { return };
    let says = |text: &str| wait_until(text, || screen.words().iter().any(|words| words == text));
    says("Why does a wrist that is turned far become thin like the wrapper of a candy?");
    says("r_½/R = cos(θ/2) = cos(120.0°/2) = 0.500");
    let first = screen.settled("first");
    // A letter shows in the picture what it is.
    screen.press("Button", "θ is the angle by which the upper joint is turned, drawn on the upper end. Now 120.0°.");
    let pointed = screen.settled("pointed");
    assert!(changed(&first, &pointed, FIGURE) > 0.001, "an arc is drawn on the bar");
    // The slider is dragged to its end: the waist is gone.
    let rail = screen.find("Slider", "Turn of the upper end, θ");
    let [left, _, right, _] = rail.area;
    let thumb = left + (right - left) * 2 / 3;
    screen.drag((thumb, rail.at.1), (right + 40, rail.at.1));
    says("r_½/R = cos(θ/2) = cos(180.0°/2) = 0.000");
    let last = screen.settled("last");
    assert!(changed(&pointed, &last, FIGURE) > 0.02, "the bar is wrung");
    screen.key("t");
    says("Usual text");
    // Another one by its name.
    screen.key("ctrl+p");
    screen.find("TextInput", "Find a command, node or clip");
    screen.tool(&["type", "elbow in three"]);
    screen.key("Return");
    says("Is blending two matrices the same as turning by a part of the angle?");
}

#[test]
#[ignore = "full: it opens a window and waits for it to read a page again"]
fn a_page_of_ones_own_is_read_again_whenever_it_is_saved() {
    let page = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("window_ring.md");
    let text = "---\ntitle: A ring\nrig: twist-bar\n---\n# How wide is it?\n\n```formula\nh/R = cos(theta/2)\n```\n";
    // It is broken at first: the window says so, and shows it once it is mended.
    std::fs::write(&page, text.replace("cos(theta", "cos(thta")).unwrap();
    let Some(screen) = Screen::open("own_page", &["--example", page.to_str().unwrap(), "--watch", "on"]) else {
        return;
    };
    let says = |text: &str| wait_until(text, || screen.says(text));
    says("window_ring.md:8:11: there is no symbol \"thta\"");
    std::fs::write(&page, text).unwrap();
    says("How wide is it?");
    says("= cos(120.0°/2) = 0.500");
    std::fs::write(&page, text.replace("How wide", "How narrow")).unwrap();
    says("How narrow is it?");
    // A mistake leaves the page that is shown.
    std::fs::write(&page, text.replace("# How", "How")).unwrap();
    says("window_ring.md:5:1: ");
    says("How narrow is it?");
    std::fs::write(&page, text).unwrap();
    says("How wide is it?");
}

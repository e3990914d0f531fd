//! Clicks and keys that arrive all at once, because the program or the machine was busy, are handled one after the other.

use super::{FIGURE, INSPECTOR, Screen, changed, neutral};

#[test]
#[ignore = "full: it opens a window and waits for it to rest"]
fn keys_that_follow_a_click_while_the_program_is_busy_are_not_lost() {
    let Some(screen) = Screen::open("order", &[]) else { return };
    screen.key("space");
    let paused = screen.settled("paused");
    // Where the row will be that is found.
    screen.press("TextInput", "Search nodes");
    screen.tool(&["type", "UpperArm.L"]);
    screen.settled("found");
    let (search, row) = (screen.find("TextInput", "Search nodes").at, screen.find("TreeItem", "UpperArm.L").at);
    screen.key("Escape");
    screen.key("Escape");
    screen.settled("cleared");
    // Into the search, a name, a row of what is found, and a shortcut.
    screen.while_busy(|| {
        screen.click(search.0, search.1);
        screen.tool(&["type", "UpperArm.L"]);
        screen.click(row.0, row.1);
        screen.key("w");
    });
    let weights = screen.settled("weights");
    assert!(changed(&paused, &weights, INSPECTOR) > 0.02, "the click on the row is lost");
    assert!(neutral(&weights, FIGURE) > neutral(&paused, FIGURE) + 3000, "the key after the click is lost");
    // The search has the focus; a click on the picture takes it away, and Ctrl+comma shows the preferences.
    screen.click(search.0, search.1);
    screen.settled("searching");
    screen.while_busy(|| {
        screen.click(600, 600);
        screen.key("ctrl+comma");
    });
    let preferences = screen.settled("preferences");
    assert!(changed(&weights, &preferences, FIGURE) > 0.5, "the preferences are not shown");
    screen.key("Escape");
    let closed = screen.settled("closed");
    // The click has selected nothing, so other bones stand out.
    assert!(changed(&weights, &closed, FIGURE) < 0.25, "the preferences do not close");
    // A drag that is over before a frame is drawn turns the camera.
    screen.while_busy(|| screen.drag((600, 300), (760, 330)));
    let turned = screen.settled("turned");
    assert!(changed(&closed, &turned, FIGURE) > 0.02, "the drag is lost");
}

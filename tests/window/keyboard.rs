//! Uses the real window by keyboard: a joint is searched for, coloured by its weights, and posed by typed values.

use super::{FIGURE, INSPECTOR, Screen, changed, neutral};

#[test]
#[ignore = "full: it opens a window and waits for it to rest"]
fn a_joint_is_found_and_posed_by_keys() {
    let Some(screen) = Screen::open("keyboard", &[]) else { return };
    screen.key("space");
    let paused = screen.settled("paused");
    screen.key("ctrl+f");
    screen.tool(&["type", "UpperArm.L"]);
    screen.key("Return");
    let selected = screen.settled("selected");
    assert!(changed(&paused, &selected, INSPECTOR) > 0.02, "Enter does not take what is found");
    // Enter has left the search, so this is a shortcut.
    screen.key("w");
    let weights = screen.settled("weights");
    assert!(neutral(&weights, FIGURE) > neutral(&selected, FIGURE) + 3000, "no heat map");
    // Rotation about Z, and with Tab the translation along X.
    screen.press("SpinButton", "Rotation Z value");
    let before = screen.settled("before");
    screen.tool(&["type", "10"]);
    screen.key("Tab");
    let turned = screen.settled("turned");
    assert!(changed(&before, &turned, FIGURE) > 0.005, "what was typed before Tab is lost");
    screen.tool(&["type", "0.5"]);
    screen.key("Tab");
    let moved = screen.settled("moved");
    assert!(changed(&turned, &moved, FIGURE) > 0.005, "Tab does not lead to the next value");
    // Back to the view: one step for each value.
    screen.key("Escape");
    screen.key("ctrl+z");
    screen.key("ctrl+z");
    let undone = screen.settled("undone");
    assert!(changed(&before, &undone, FIGURE) < 0.002, "two values are not two steps back");
}

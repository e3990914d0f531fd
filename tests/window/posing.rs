//! Posing with the mouse in a real window: a ring turns an arm, a pull makes the hand reach, and the pose is mirrored.

use super::{FIGURE, Screen, changed, wait_until};

/// Takes what the finder finds first for this name.
fn take(screen: &Screen, name: &str) {
    screen.key("ctrl+p");
    screen.find("TextInput", "Find a command, node or clip");
    screen.tool(&["type", name]);
    screen.key("Return");
    wait_until(name, || screen.try_find("TextInput", "Find a command, node or clip").is_none());
    screen.wait_for_rest();
}

/// Selects a joint by its name, and returns the pixel at which it is seen: the middle of the gizmo.
fn joint(screen: &Screen, name: &str) -> (u32, u32) {
    take(screen, name);
    screen.find("Label", "Turn freely").at
}

fn near(a: (u32, u32), b: (u32, u32), pixels: u32) -> bool {
    a.0.abs_diff(b.0) <= pixels && a.1.abs_diff(b.1) <= pixels
}

#[test]
#[ignore = "full: it opens a window and waits for it to rest"]
fn a_ring_turns_an_arm_a_pulled_hand_reaches_and_the_pose_is_mirrored() {
    let Some(screen) = Screen::open("posing", &[]) else { return };
    take(&screen, "Rest pose");
    take(&screen, "Front");
    let middle = joint(&screen, "Hips").0;
    let hand = joint(&screen, "Hand.L");
    joint(&screen, "UpperArm.L");
    let rest = screen.settled("rest");

    // The outer ring turns about the line of sight: the whole arm goes round.
    let ring = screen.find("Label", "Turn about the line of sight").at;
    screen.drag(ring, (ring.0 + 40, ring.1 + 70));
    let turned = screen.settled("turned");
    assert!(changed(&rest, &turned, FIGURE) > 0.005, "the ring does not turn the arm");
    let after = joint(&screen, "Hand.L");
    assert!(!near(hand, after, 25), "the hand is where it was: {hand:?} {after:?}");
    screen.key("ctrl+z");
    joint(&screen, "UpperArm.L");
    let undone = screen.settled("undone");
    assert!(changed(&rest, &undone, FIGURE) < 0.001, "one drag is not one step back");
    screen.key("ctrl+shift+z");

    // The hand is pulled towards the shoulder, and the elbow bends.
    let from = joint(&screen, "Hand.L");
    screen.press("Button", "Pull tool");
    let to = ((3 * from.0 + middle) / 4, from.1 - 30);
    screen.drag(from, to);
    screen.settled("pulled");
    screen.press("Button", "Turn tool");
    let reached = joint(&screen, "Hand.L");
    assert!(near(reached, to, 4), "pulled to {to:?}, the hand is at {reached:?}");
    let pulled = screen.settled("reached");

    // Mirrored, the other hand is on the other side of the middle, as high.
    take(&screen, "Mirror pose");
    let mirrored = screen.settled("mirrored");
    assert!(changed(&pulled, &mirrored, FIGURE) > 0.005, "nothing is mirrored");
    let other = joint(&screen, "Hand.R");
    assert!(near(other, (2 * middle - reached.0, reached.1), 4), "{reached:?} about {middle} is not {other:?}");
    let own = joint(&screen, "Hand.L");
    assert!(near(own, hand, 4), "the left arm rests again: {hand:?} {own:?}");
}

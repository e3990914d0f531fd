//! A real window that plays takes no more memory at the end than after a quarter of the time.

use std::process::Child;

use super::{Screen, wait_until};

/// Resident MiB, executable mappings and seconds of processor time.
fn reading(program: &Child) -> (f64, usize, f64) {
    let read = |file: &str| std::fs::read_to_string(format!("/proc/{}/{file}", program.id())).unwrap();
    let status = read("status");
    let resident = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).unwrap();
    let maps =
        read("maps").lines().filter(|l| l.split_ascii_whitespace().nth(1).is_some_and(|r| r.contains('x'))).count();
    // User and system time, in ticks of 10 ms.
    let stat = read("stat");
    let mut fields = stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next().unwrap().parse::<f64>().unwrap();
    let secs = (ticks() + ticks()) / 100.0;
    (resident.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0, maps, secs)
}

/// The largest resident MiB and the executable mappings while the program plays, until it has used so many more
/// seconds of processor time, however long that takes. One reading alone says little: what the driver holds rises and
/// falls by a sixth from picture to picture.
fn play(screen: &mut Screen, secs: f64) -> (f64, usize) {
    let start = reading(&screen.program.0).2;
    let mut most = (0.0_f64, 0);
    for second in 1..=secs as u32 {
        wait_until("a second of processor time", || {
            let (resident, maps, used) = reading(&screen.program.0);
            most = (most.0.max(resident), maps);
            screen.is_running() && used >= start + f64::from(second)
        });
    }
    most
}

#[test]
#[ignore = "full: it plays for eighteen seconds of processor time"]
fn a_window_that_plays_under_an_overlay_grows_no_more() {
    let Some(mut screen) = Screen::open("soak", &["--crowd", "4"]) else { return };
    // Dominant joints, dots, wireframe and bones together.
    for key in ["d", "v", "e", "b"] {
        screen.key(key);
    }
    // Shaders are compiled and buffers find their size.
    play(&mut screen, 2.0);
    // A window of this size uses a second of processor time in one to two seconds.
    let (first, first_maps) = play(&mut screen, 4.0);
    play(&mut screen, 8.0);
    let (last, last_maps) = play(&mut screen, 4.0);
    assert!(last <= 1.1 * first, "resident: {first:.0} MiB, then {last:.0}");
    assert_eq!(first_maps, last_maps, "executable mappings");
}

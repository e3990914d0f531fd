//! Checks the films that `skinscope render` writes: their pictures, their times, and what is said where there can be none.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::Command;

use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::{AnimationDecoder, RgbaImage};
use serde_json::Value;

use crate::cli::{common, fails, ok, scratch, skinscope};

/// Renders a film or picture; returns what it has printed. `None` where there is no graphics adapter.
fn render(arguments: &[&str], output: &Path) -> Option<String> {
    let all = [&["render", "-o", output.to_str().unwrap(), "--size", "97x120"], arguments].concat();
    let out = skinscope(&all);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    if out.status.code() == Some(2) && said.contains("no graphics adapter") {
        common::skipped("no graphics adapter");
        return None;
    }
    assert!(out.status.success(), "{all:?}: {said}");
    Some(String::from_utf8(out.stdout).unwrap())
}

fn folder(name: &str) -> PathBuf {
    let folder = scratch("films").with_file_name(format!("films_{name}"));
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The pictures and the times for which each is shown, milliseconds.
fn frames<'a>(decoder: impl AnimationDecoder<'a>) -> Vec<(RgbaImage, f64)> {
    let frames = decoder.into_frames().collect_frames().unwrap();
    let time = |frame: &image::Frame| {
        let (above, below) = frame.delay().numer_denom_ms();
        f64::from(above) / f64::from(below)
    };
    frames.into_iter().map(|frame| (frame.buffer().clone(), time(&frame))).collect()
}

/// The pictures of a GIF as a viewer shows them, with their times in hundredths of a second.
fn gif_frames(path: &Path) -> (Vec<(RgbaImage, u16)>, bool) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(fs::File::open(path).unwrap()).unwrap();
    let mut canvas = RgbaImage::new(decoder.width().into(), decoder.height().into());
    let mut out = Vec::new();
    let endless = decoder.repeat() == gif::Repeat::Infinite;
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        let part = RgbaImage::from_raw(frame.width.into(), frame.height.into(), frame.buffer.to_vec()).unwrap();
        for (x, y, pixel) in part.enumerate_pixels().filter(|(_, _, p)| p.0[3] > 0) {
            canvas.put_pixel(x + u32::from(frame.left), y + u32::from(frame.top), *pixel);
        }
        out.push((canvas.clone(), frame.delay));
        if frame.dispose == gif::DisposalMethod::Background {
            canvas = RgbaImage::new(canvas.width(), canvas.height());
        }
    }
    (out, endless)
}

/// Compares pictures of a sequence, drawn with these options, with those of their times.
fn is_to_the_byte(name: &str, looks: &[&[&str]], numbers: &[u8]) {
    let folder = folder(name);
    let sequence = folder.join("new/%03d.png");
    for more in looks {
        let film = [&["--clip", "Walk", "--frames", "9-12", "--fps", "24"], *more].concat();
        if render(&film, &sequence).is_none() {
            return;
        }
        assert_eq!(names_in(&folder.join("new")), ["009.png", "010.png", "011.png", "012.png"]);
        for number in numbers {
            let single = folder.join("single.png");
            let time = (f32::from(*number) / 24.0).to_string();
            render(&[&["--clip", "Walk", "--time", &time], *more].concat(), &single).unwrap();
            let of_film = fs::read(folder.join(format!("new/{number:03}.png"))).unwrap();
            assert!(of_film == fs::read(single).unwrap(), "picture {number} {more:?}");
        }
        let both = ["new/009.png", "new/012.png"].map(|name| fs::read(folder.join(name)).unwrap());
        assert!(both[0] != both[1], "it moves");
    }
}

#[test]
fn a_picture_of_a_sequence_is_the_picture_of_its_time_to_the_byte() {
    is_to_the_byte("sequence", &[&["--overlay", "weights", "--skeleton", "--grid", "--axes", "--ortho"]], &[12]);
}

#[test]
#[ignore = "full: it draws nine pictures by processes of their own"]
fn a_picture_of_a_sequence_is_the_picture_of_its_time_to_the_byte_in_every_look() {
    let looks: [&[&str]; 3] =
        [&[], &["--overlay", "weights", "--skeleton", "--grid", "--axes", "--ortho"], &["--eye", "1,1,4"]];
    is_to_the_byte("sequences", &looks, &[9, 12]);
}

#[test]
fn films_have_all_pictures_at_their_times_and_go_on_for_ever() {
    let folder = folder("kinds");
    let options = ["--clip", "Walk", "--frames", "0-6", "--fps", "30", "--background", "#203040"];
    if render(&options, &folder.join("%d.png")).is_none() {
        return;
    }
    let pictures: Vec<RgbaImage> =
        (0..7).map(|n| image::open(folder.join(format!("{n}.png"))).unwrap().into_rgba8()).collect();
    for name in ["a.webp", "a.apng", "a.gif"] {
        render(&options, &folder.join(name)).unwrap();
    }
    let webp = fs::read(folder.join("a.webp")).unwrap();
    let decoder = WebPDecoder::new(Cursor::new(&webp)).unwrap();
    assert!(decoder.has_animation());
    let webp = frames(decoder);
    let apng = fs::read(folder.join("a.apng")).unwrap();
    let apng = frames(PngDecoder::new(Cursor::new(&apng)).unwrap().apng().unwrap());
    for (name, film) in [("webp", &webp), ("apng", &apng)] {
        assert_eq!(film.len(), 7, "{name}");
        let begins = |n: usize| film[..n].iter().map(|(_, time)| time).sum::<f64>();
        for (n, picture) in pictures.iter().enumerate() {
            assert!(film[n].0 == *picture, "picture {n} of the {name}");
            assert!((begins(n) - n as f64 * 1000.0 / 30.0).abs() <= 0.51, "picture {n} of the {name}");
        }
    }
    let (gif, endless) = gif_frames(&folder.join("a.gif"));
    assert!(endless && gif.len() == 7);
    assert_eq!(gif.iter().map(|(_, delay)| *delay).collect::<Vec<_>>(), [3, 4, 3, 3, 4, 3, 3]);
    for (n, (shown, picture)) in gif.iter().map(|(shown, _)| shown).zip(&pictures).enumerate() {
        // Of the background every pixel is exact, and colours are near everywhere.
        let plain = picture.pixels().zip(shown.pixels()).filter(|(a, _)| a.0 == [0x20, 0x30, 0x40, 255]);
        assert!(plain.clone().count() > 3000 && plain.clone().all(|(a, b)| a == b), "picture {n}");
        let off = |a: &image::Rgba<u8>, b: &image::Rgba<u8>| (0..3).map(|c| a[c].abs_diff(b[c])).max().unwrap();
        let all: Vec<u8> = picture.pixels().zip(shown.pixels()).map(|(a, b)| off(a, b)).collect();
        let mean = all.iter().map(|d| f64::from(*d)).sum::<f64>() / all.len() as f64;
        let far = all.iter().filter(|d| **d > 24).count();
        assert!(mean < 0.6 && far * 200 < all.len(), "picture {n}: {mean}, {far} of {}", all.len());
    }
}

#[test]
fn transparent_films_have_no_background() {
    let folder = folder("transparent");
    let options = ["--clip", "Walk", "--frames", "0-3", "--background", "transparent"];
    if render(&options, &folder.join("%d.png")).is_none() {
        return;
    }
    let picture = image::open(folder.join("3.png")).unwrap().into_rgba8();
    render(&options, &folder.join("a.webp")).unwrap();
    let webp = fs::read(folder.join("a.webp")).unwrap();
    assert!(frames(WebPDecoder::new(Cursor::new(&webp)).unwrap())[3].0 == picture);
    render(&options, &folder.join("a.gif")).unwrap();
    let (gif, _) = gif_frames(&folder.join("a.gif"));
    for (shown, wanted) in gif[3].0.pixels().zip(picture.pixels()) {
        assert_eq!(shown[3] > 0, wanted[3] >= 128, "{wanted:?}");
    }
    fails(&[&["render", "-o", "x.mp4"], &options[..]].concat(), 2, &["an .mp4 has no transparency", ".webm"]);
}

/// Renders a turntable into a folder of its own.
fn turn(folder: &Path, more: &[&str], name: &str) -> Option<String> {
    render(&[&["--view", "front"], more].concat(), &folder.join(name))
}

#[test]
fn a_turntable_turns_evenly_and_comes_back() {
    let folder = folder("turn");
    let Some(said) = turn(&folder, &["--turntable", "--frames", "0-3", "--json"], "%d.png") else { return };
    let report: Value = serde_json::from_str(&said).unwrap();
    let film = &report["film"];
    assert_eq!((&film["pictures"], &film["turntable"], &film["format"]), (&4.into(), &360.0.into(), &"png".into()));
    let open = |name: &str| image::open(folder.join(name)).unwrap().into_rgba8();
    // After a quarter what faced the camera faces +X, which is seen from the left.
    let opaque = |picture: &RgbaImage| picture.pixels().filter(|p| **p != *picture.get_pixel(0, 0)).count() as f64;
    let [front, quarter, back, last] = [0, 1, 2, 3].map(|n| opaque(&open(&format!("{n}.png"))));
    assert!((front / back - 1.0).abs() < 0.05 && (quarter / last - 1.0).abs() < 0.05 && quarter < 0.7 * front);
}

#[test]
#[ignore = "full: it draws five films by processes of their own"]
fn a_turntable_turns_as_far_and_as_long_as_it_is_told_to() {
    let folder = folder("turns");
    let turn = |more: &[&str], name: &str| turn(&folder, more, name);
    if turn(&["--turntable", "--frames", "0-3"], "%d.png").is_none() {
        return;
    }
    let open = |name: &str| image::open(folder.join(name)).unwrap().into_rgba8();
    // The same pose seen from that side, framed alike, is the same picture.
    turn(&["--turntable", "90", "--frames", "0-2"], "part%d.png").unwrap();
    turn(&["--turntable", "-270", "--frames", "0-2"], "other%d.png").unwrap();
    assert!(open("part0.png") == open("0.png"), "the first picture has not turned");
    let alike = |a: &RgbaImage, b: &RgbaImage| a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count();
    turn(&["--turntable", "180", "--frames", "0-1"], "half%d.png").unwrap();
    assert!(alike(&open("half1.png"), &open("1.png")) < 60, "a quarter");
    assert!(alike(&open("other1.png"), &open("part1.png")) > 500, "the other way round");
    // Without pictures of its own it takes four seconds.
    let said = turn(&["--turntable", "--fps", "2", "--json"], "x.gif").unwrap();
    let report: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&report["film"]["pictures"], &report["film"]["seconds"]), (&8.into(), &4.0.into()));
}

#[test]
fn a_whole_clip_is_drawn_once_around() {
    let folder = folder("whole");
    let Some(said) = render(&["--clip", "Walk", "--whole-clip", "--fps", "10", "--json"], &folder.join("%d.png"))
    else {
        return;
    };
    let report: Value = serde_json::from_str(&said).unwrap();
    let info: Value = serde_json::from_str(&ok(&["info", "--json"])).unwrap();
    let clip = info["clips"].as_array().unwrap().iter().find(|clip| clip["name"] == "Walk").unwrap();
    let seconds = clip["duration_secs"].as_f64().unwrap();
    assert_eq!(report["film"]["pictures"], (seconds * 10.0 - 1e-3).ceil() as u64);
    assert_eq!(names_in(&folder).len() as u64, report["film"]["pictures"].as_u64().unwrap());
}

#[test]
fn what_cannot_be_a_film_is_said_before_anything_is_drawn() {
    let film = |output: &str, more: &[&str], words: &[&str]| {
        fails(&[&["render", "-o", output], more].concat(), 2, words);
    };
    film("x.gif", &[], &["which pictures?", "--whole-clip", "--turntable"]);
    film("x.gif", &["--clip", "Walk"], &["which pictures?"]);
    film("x.png", &["--clip", "Walk", "--whole-clip"], &["frames/%04d.png", ".webp"]);
    film("x.gif", &["--frames", "0-9"], &["say --clip NAME"]);
    film("x.gif", &["--clip", "Walk", "--frames", "9-0"], &["A-B"]);
    film("x.gif", &["--clip", "Walk", "--whole-clip", "--fps", "60"], &["50 pictures a second"]);
    film("x.webp", &["--clip", "Walk", "--whole-clip", "--time", "1"], &["--time"]);
    film("/no/such/folder/a/%d.png", &["--clip", "Walk", "--frames", "0-1"], &["/no/such/folder/a"]);
}

/// A stand-in for `ffmpeg`, which writes what it was told and what it was given.
#[cfg(unix)]
#[test]
fn videos_are_encoded_by_ffmpeg_where_it_is_installed() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("video");
    let bin = folder.join("bin");
    fs::create_dir(&bin).unwrap();
    let output = folder.join("a.mp4");
    let run = |path: &Path| {
        let arguments = ["render", "--clip", "Walk", "--frames", "0-2", "--size", "33x20", "-o"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_skinscope"));
        let out = command.args(arguments).arg(&output).env("PATH", path).env_remove("DISPLAY").output().unwrap();
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let (code, said) = run(&bin);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("ffmpeg, which was not found") && said.contains("install ffmpeg"), "{said}");
    let program = bin.join("ffmpeg");
    let write = |script: &str| {
        fs::write(&program, format!("#!/bin/sh\n{script}")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    };
    write("for last; do :; done; echo \"$@\" > \"$last\"; /usr/bin/env wc -c >> \"$last\" || /bin/wc -c >> \"$last\"");
    let (code, said) = run(&bin);
    if said.contains("no graphics adapter") {
        return common::skipped("no graphics adapter");
    }
    assert_eq!(code, Some(0), "{said}");
    let text = fs::read_to_string(&output).unwrap();
    assert!(text.contains("-video_size 33x20 -framerate 30 -i pipe:0") && text.contains("-c:v libx264"), "{text}");
    assert!(text.trim().ends_with(&(3 * 33 * 20 * 4).to_string()), "{text}");
    // What it says when it fails is said, and the film before stays.
    write("echo 'no such encoder' >&2; exit 7");
    let (code, said) = run(&bin);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("could not write") && said.contains("no such encoder"), "{said}");
    assert_eq!(fs::read_to_string(&output).unwrap(), text);
    assert_eq!(names_in(&folder), ["a.mp4", "bin"]);
}

//! Reads the words of options of `render`.

use crate::frame::Background;
use crate::render::SAMPLES;

pub(super) fn parse_part(text: &str) -> Result<f32, String> {
    text.parse()
        .ok()
        .filter(|part| (0.0..=1.0).contains(part))
        .ok_or_else(|| "expected a part of the width, 0 to 1".into())
}

pub(super) fn parse_samples(text: &str) -> Result<u32, String> {
    match text {
        "4" => Ok(SAMPLES),
        "off" => Ok(1),
        _ => Err("expected 4 or off".into()),
    }
}

pub(super) fn parse_background(text: &str) -> Result<Background, String> {
    if text.eq_ignore_ascii_case("transparent") {
        return Ok(Background::Transparent);
    }
    let hex = text.strip_prefix('#').filter(|h| h.len() == 6 && h.is_ascii());
    let channel = |i: usize| hex.and_then(|h| u8::from_str_radix(&h[i..i + 2], 16).ok()).map(|v| f32::from(v) / 255.0);
    match (channel(0), channel(2), channel(4)) {
        (Some(r), Some(g), Some(b)) => Ok(Background::Solid([r, g, b])),
        _ => Err("expected #rrggbb or transparent".into()),
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::super::super::parse_point;
    use super::super::super::picture_args::parse_size;
    use super::*;

    #[test]
    fn points_may_be_negative() {
        assert_eq!(parse_point("-1,2,3.5"), Ok(DVec3::new(-1.0, 2.0, 3.5)));
        assert!(parse_point("1,2").is_err() && parse_point("1,2,nan").is_err());
    }

    #[test]
    fn sizes_have_names_too() {
        assert_eq!(parse_size("640x480"), Ok([640, 480]));
        assert_eq!((parse_size("1080p"), parse_size("4k")), (Ok([1920, 1080]), Ok([3840, 2160])));
        assert!(parse_size("8k").is_err());
    }

    #[test]
    fn backgrounds_parse() {
        assert_eq!(parse_background("#ff0080"), Ok(Background::Solid([1.0, 0.0, 128.0 / 255.0])));
        assert_eq!(parse_background("transparent"), Ok(Background::Transparent));
        assert!(
            parse_background("#12345").is_err()
                && parse_background("#ä1234").is_err()
                && parse_background("red").is_err()
        );
    }
}

//! What the options of commands that draw or write a posed model have in common.

use crate::session::{ExportSettings, MOST_MEMBERS};

/// Parses `1280x720`.
pub(super) fn parse_size(text: &str) -> Result<[u32; 2], String> {
    if let Some((_, size)) = ExportSettings::SIZES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        return Ok(*size);
    }
    let parts = text.split_once(['x', 'X']).and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    match parts {
        Some([w @ 1..=8192, h @ 1..=8192]) => Ok([w, h]),
        _ => Err("expected WIDTHxHEIGHT in pixels, each 1 to 8192, such as 1280x720; or 1080p, or 4K".into()),
    }
}

/// Returns the parser of a crowd's size.
pub(super) fn crowd_sizes() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(MOST_MEMBERS))
}

/// The text after the long help of subcommands that read one file and write another: the source of names, and the exit
/// codes.
pub(super) const AFTER_HELP: &str = "`skinscope info MODEL` lists the names and numbers of clips, joints, cameras, lights and variants.\n\n\
    Files are written whole or not at all, and never over one that the model is made of.\n\n\
    Exit codes: 0 all went well, 1 the file is bad, 2 wrong usage or no GPU or place to write to.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_parse_and_refuse_nonsense() {
        assert_eq!(parse_size("1280x720"), Ok([1280, 720]));
        for bad in ["", "1280", "0x720", "-1x2", "axb", "99999x1"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }
}

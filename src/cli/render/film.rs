//! The options of `render` that make it draw many pictures.

use clap::Args;
use serde_json::{Value, json};

use super::super::CliError;
use crate::film::{MOST_PICTURES, Reel, TURN_SECS, Target};
use crate::output::say;
use crate::session::Session;

/// The usual number of pictures a second.
const FPS: f32 = 30.0;

/// From so many pictures on their number is said before they are drawn.
const MANY: u32 = 1000;

/// Which pictures a film has.
#[derive(Clone, Debug, Args)]
pub(super) struct FilmArgs {
    /// Draw pictures A to B, both included: picture n shows the clip at n / --fps seconds
    #[arg(long, value_name = "A-B", value_parser = parse_frames, conflicts_with_all = ["whole_clip", "time"])]
    frames: Option<[u32; 2]>,
    /// Draw every picture of the clip from its start to before its end, so that a clip that goes round does so in the film
    #[arg(long, requires = "clip", conflicts_with = "time")]
    whole_clip: bool,
    /// Draw this many pictures for each second, 1 to 240; a .gif takes up to 50 [default: 30]
    #[arg(long, value_name = "N", value_parser = parse_fps)]
    fps: Option<f32>,
    /// Turn the model about the vertical by so many degrees, evenly over the pictures and counterclockwise as seen from above
    /// [without a number: 360]. Without --frames and --whole-clip the pose stands still, and the turn takes --length seconds
    #[arg(long, value_name = "DEGREES", num_args = 0..=1, default_missing_value = "360", allow_negative_numbers = true, value_parser = parse_degrees)]
    turntable: Option<f32>,
    /// Let a turn in which the clip does not play take so many seconds, 0.1 to 600 [default: 4]
    #[arg(long, value_name = "SECONDS", requires = "turntable", conflicts_with_all = ["frames", "whole_clip"], value_parser = parse_length)]
    length: Option<f32>,
}

impl FilmArgs {
    /// Returns the film's target where the options ask for a film; `None` where they ask for one picture.
    pub fn target(&self, output: &std::path::Path, has_clip: bool) -> Result<Option<Target>, CliError> {
        let target = Target::of(output);
        let is_asked = self.frames.is_some() || self.whole_clip || self.turntable.is_some();
        let name = output.display();
        match target {
            None if is_asked => Err(CliError::Usage(format!("{name}: {}", Target::endings()))),
            Some(_) if !is_asked => {
                let why = "which pictures? Say --clip NAME with --frames A-B or --whole-clip, or --turntable";
                Err(CliError::Usage(format!("{name}: {why}")))
            }
            Some(_) if self.frames.is_some() && !has_clip && self.turntable.is_none() => {
                Err(CliError::Usage("--frames are those of a clip: say --clip NAME, or --turntable".into()))
            }
            None if self.fps.is_some() => Err(CliError::Usage(format!(
                "{name}: it is one picture, so that --fps says nothing; say --whole-clip, --frames A-B or --turntable too"
            ))),
            target => Ok(target),
        }
    }

    /// Returns how many pictures a second there are.
    pub fn fps(&self) -> f32 {
        self.fps.unwrap_or(FPS)
    }

    /// Returns the pictures, of the clip that `session` shows, and says how many they are where that takes long.
    ///
    /// # Errors
    /// There are too many for a film whose pictures are not named.
    pub fn reel(&self, session: &Session, has_clip: bool) -> Result<Reel, CliError> {
        let reel = self.all(session, has_clip);
        if let Some(why) = reel.too_long().filter(|_| self.frames.is_none()) {
            let advice = format!("say which to draw with --frames A-B, {MOST_PICTURES} at most, or a smaller --fps");
            return Err(CliError::Usage(format!("{why}; {advice}")));
        }
        if reel.count >= MANY {
            say(format_args!("{} pictures are drawn", reel.count));
        }
        Ok(reel)
    }

    fn all(&self, session: &Session, has_clip: bool) -> Reel {
        let (fps, turn) = (self.fps(), self.turntable);
        match (self.frames, turn) {
            (Some([first, last]), _) => Reel { first, count: last - first + 1, fps, plays: has_clip, turn },
            (None, Some(degrees)) if !self.whole_clip => Reel::of_turn(degrees, fps, self.length.unwrap_or(TURN_SECS)),
            (None, _) => {
                let duration = session.model().map_or(0.0, |model| session.playback().duration_secs(model));
                Reel::of_clip(duration, fps, turn)
            }
        }
    }
}

/// Describes a film for programs.
pub(super) fn report(target: &Target, reel: &Reel) -> Value {
    json!({
        "format": target.id(),
        "pictures": reel.count,
        "first": reel.first,
        "fps": reel.fps,
        "seconds": f64::from(reel.count) / f64::from(reel.fps),
        "turntable": reel.turn,
    })
}

fn parse_frames(text: &str) -> Result<[u32; 2], String> {
    let numbers = text.split_once('-').and_then(|(a, b)| Some([a.trim().parse().ok()?, b.trim().parse().ok()?]));
    let numbers = numbers.filter(|[a, b]: &[u32; 2]| a <= b && b - a < MOST_PICTURES && *b < u32::MAX - 1);
    numbers.ok_or_else(|| format!("expected A-B, such as 0-89: {MOST_PICTURES} pictures at most"))
}

fn parse_fps(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|fps| (1.0..=240.0).contains(fps)).ok_or_else(|| "expected a number, 1 to 240".into())
}

fn parse_length(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|secs| (0.1..=600.0).contains(secs)).ok_or_else(|| "expected seconds, 0.1 to 600".into())
}

fn parse_degrees(text: &str) -> Result<f32, String> {
    let degrees = text.parse().ok().filter(|d: &f32| d.abs() <= 36_000.0);
    degrees.ok_or_else(|| "expected degrees, such as 360 or -90".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_pictures_are_read() {
        assert_eq!((parse_frames("0-89"), parse_frames("7-7")), (Ok([0, 89]), Ok([7, 7])));
        for bad in ["", "7", "9-3", "-3-9", "a-b", "0-100000", "4294967290-4294967295"] {
            assert!(parse_frames(bad).is_err(), "{bad}");
        }
        assert!(parse_fps("0").is_err() && parse_fps("nan").is_err() && parse_fps("23.976").is_ok());
        assert!(parse_length("0").is_err() && parse_length("inf").is_err() && parse_length("2.5") == Ok(2.5));
    }
}

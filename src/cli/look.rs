//! Options that say what colours the surface in a picture without a window, and how vertices show.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};

use super::CliError;
use super::environment::EnvironmentArgs;
use super::find::find_node;
use super::toggles::ToggleArgs;
use crate::frame::{LOOKS, Scale, TONE_MAPS, look, tone_map};
use crate::inspect::check::CheckOptions;
use crate::inspect::{Inspection, LIMITS, OVERLAYS, Overlay, overlay};
use crate::math::Ramp;
use crate::output::say;
use crate::session::{Onion, PoseSource, SelectionCommand, Session, Toggle, ViewCommand};

/// Colours of the surface.
#[derive(Clone, Debug, Args)]
pub(super) struct LookArgs {
    /// Colour the surface by its weight for this joint (its name, or `#12`, its index in the file)
    #[arg(long, value_name = "JOINT", allow_hyphen_values = true, conflicts_with = "dominant")]
    heatmap: Option<String>,
    /// Colour the surface by the joints that move a vertex, mixed by weight, with dark seams where another one moves it most
    #[arg(long)]
    dominant: bool,
    /// Show weights in these colours: heat (grey at 0, violet to yellow), blender (blue to red), viridis, maya or grey [default: heat]
    #[arg(long, value_name = "RAMP", value_parser = ramp_names())]
    ramp: Option<String>,
    /// Colour the surface by this overlay; "weights" shows the joint of --joint, else the one whose weights have the largest sum
    #[arg(long, value_name = "ID", value_parser = overlay_names(), conflicts_with_all = ["heatmap", "dominant"])]
    overlay: Option<String>,
    /// Draw surfaces in this look, where no overlay colours them [default: studio]
    #[arg(long, value_name = "NAME", value_parser = look_names())]
    look: Option<String>,
    /// Bring light into the range of the picture by this tone map [default: neutral]
    #[arg(long, value_name = "NAME", value_parser = tone_map_names())]
    tone_map: Option<String>,
    #[command(flatten)]
    pub environment: EnvironmentArgs,
    /// Let light reach every point: without the soft shadow of the key light and the shade of hollows
    #[arg(long)]
    no_shadows: bool,
    /// Select this joint (its name, or `#12`, its index in the file)
    #[arg(long, value_name = "JOINT", allow_hyphen_values = true, conflicts_with = "heatmap")]
    joint: Option<String>,
    /// Take this for the most influences of a vertex that the runtime can use, for --overlay alarms [default: 4]
    #[arg(long, value_name = "1-8", value_parser = clap::value_parser!(u8).range(1..=LIMITS as i64))]
    limit: Option<u8>,
    /// Let the colours of --overlay distance end at this distance, metres, and begin at a thousandth of it [default: a tenth of the model's height]
    #[arg(long, value_name = "METRES", value_parser = parse_distance)]
    distance_scale: Option<f32>,
    #[command(flatten)]
    pub toggles: ToggleArgs,
    /// Draw the surface at N moments of the clip before this one, red, and after it, green, STEP frames of 1/30 s apart (5)
    #[arg(long, value_name = "N[,STEP]", value_parser = parse_onion)]
    onion: Option<Onion>,
    /// Draw the box around what the file stores, amber, and around what the pose shows, blue
    #[arg(long, value_name = "OF", value_enum, num_args = 0..=1, default_missing_value = "both")]
    bounds: Option<Bounds>,
}

/// Whose bounds are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Bounds {
    /// Around the stored positions
    File,
    /// Around the vertices as they are posed
    Pose,
    /// Both boxes
    Both,
}

fn parse_onion(text: &str) -> Result<Onion, String> {
    let (count, step) = text.split_once(',').map_or((text, None), |(count, step)| (count, Some(step)));
    let usual = Onion::default().step_frames;
    let parsed = count.trim().parse().ok().zip(step.map_or(Some(usual), |step| step.trim().parse().ok()));
    let onion = parsed.map(|(count, step_frames)| Onion { shown: true, count, step_frames });
    let expected = "expected N or N,STEP: 1 to 10 moments on each side, 0.1 to 100 frames apart, such as 3,5";
    onion.filter(|onion| *onion == onion.clamped()).ok_or_else(|| expected.to_owned())
}

pub(super) fn overlay_names() -> PossibleValuesParser {
    PossibleValuesParser::new(OVERLAYS.iter().map(|o| PossibleValue::new(o.id).help(o.help)))
}

pub(super) fn look_names() -> PossibleValuesParser {
    PossibleValuesParser::new(LOOKS.iter().map(|look| PossibleValue::new(look.id).help(look.help)))
}

pub(super) fn tone_map_names() -> PossibleValuesParser {
    PossibleValuesParser::new(TONE_MAPS.iter().map(|map| PossibleValue::new(map.id).help(map.help)))
}

fn parse_distance(text: &str) -> Result<f32, String> {
    let metres = text.parse().ok().filter(|metres: &f32| metres.is_finite() && *metres > 0.0);
    metres.ok_or_else(|| "expected a distance in metres above 0, such as 0.1".to_owned())
}

fn ramp_names() -> PossibleValuesParser {
    PossibleValuesParser::new(Ramp::CHOICES.iter().map(|r| r.id()))
}

impl LookArgs {
    /// Returns the overlay that is asked for by its name.
    pub(super) fn overlay(&self) -> Option<&str> {
        self.overlay.as_deref()
    }

    /// Sets the view of `session`, and computes what an overlay needs.
    pub(super) fn apply(&self, session: &mut Session) -> Result<(), CliError> {
        let id = match (&self.heatmap, self.dominant) {
            (Some(_), _) => Some("weights"),
            (None, true) => Some("dominant"),
            (None, false) => self.overlay.as_deref(),
        };
        let Some(model) = session.document().map(|d| Arc::clone(d.stored())) else { return Ok(()) };
        let joint = self.heatmap.as_ref().or(self.joint.as_ref());
        let joint = joint.map(|name| find_node(&model, name)).transpose()?;
        let has = |toggle| self.toggles.has(toggle);
        let follows_joint = has(Toggle::InfluencedOnly) || has(Toggle::WithChildren);
        let needs_joint = id != Some("weights") && follows_joint || has(Toggle::Trail);
        if joint.is_none() && needs_joint {
            return Err(CliError::Usage("which joint? Say --joint NAME, or its number in the file".into()));
        }
        // What is not said stays as it is, which matters where an example or a session file was opened.
        if joint.is_some() {
            session.apply(SelectionCommand::Select(joint));
        }
        if let Some(limit) = self.limit {
            session.apply(ViewCommand::SetInfluenceLimit(limit.into()));
        }
        if self.distance_scale.is_some() {
            session.apply(ViewCommand::SetDistanceScale(self.distance_scale));
        }
        for command in self.environment.commands() {
            session.apply(ViewCommand::Environment(command));
        }
        if let Some(look) = self.look.as_deref().and_then(look) {
            session.apply(ViewCommand::SetLook(look.id));
        }
        if let Some(map) = self.tone_map.as_deref().and_then(tone_map) {
            session.apply(ViewCommand::SetToneMap(map.id));
        }
        if self.no_shadows {
            session.apply(ViewCommand::Set(Toggle::Shadows, false));
        }
        if let Some(overlay) = id.and_then(overlay) {
            session.apply(ViewCommand::SetOverlay(Some(overlay.id)));
        }
        if let Some(onion) = self.onion {
            session.apply(ViewCommand::SetOnion(onion));
        }
        if let Some(bounds) = self.bounds {
            session.apply(ViewCommand::Set(Toggle::FileBounds, bounds != Bounds::Pose));
            session.apply(ViewCommand::Set(Toggle::PoseBounds, bounds != Bounds::File));
        }
        self.toggles.apply(session);
        if let Some(ramp) = self.ramp.as_deref().and_then(Ramp::choice) {
            session.apply(ViewCommand::SetRamp(ramp));
        }
        self.has_effects(session)?;
        match session.take_environment_error() {
            Some(error) if self.environment.file().is_some() => return Err(CliError::Usage(error)),
            Some(error) => say(format_args!("{error}\nThe program's own room lights the model.")),
            None => {}
        }
        let limit = session.view().influence_limit;
        if session.view().overlay.is_some_and(Overlay::needs_inspection) {
            let options = CheckOptions { limit, ..CheckOptions::default() };
            if let Some(found) = Inspection::of(&model, &options, &AtomicBool::new(false)) {
                session.inspected(&model, found);
            }
        }
        Ok(())
    }

    /// Refuses options that change nothing of what is shown, which a session file or an example says too.
    fn has_effects(&self, session: &Session) -> Result<(), CliError> {
        let shown = session.view().overlay;
        let has_ramp = |overlay: &Overlay| matches!(overlay.scale, Scale::Ramp { ramp: None, .. });
        let plays = session.playback().source == PoseSource::Clip && session.playback().clip.is_some();
        let options = [
            ("ramp", self.ramp.is_some() && !shown.is_some_and(has_ramp), "is for weights: say --heatmap JOINT too"),
            (
                "limit",
                self.limit.is_some() && !shown.is_some_and(|overlay| overlay.has_limit),
                "is for influences that are counted: say --overlay alarms too",
            ),
            (
                "distance-scale",
                self.distance_scale.is_some() && shown.is_none_or(|overlay| overlay.id != "distance"),
                "is for the distance of two sides: say --overlay distance too",
            ),
            (
                "shared-black",
                self.toggles.has(Toggle::SharedBlack) && shown.is_none_or(|overlay| overlay.id != "dominant"),
                "is for joints that share a triangle: say --dominant too",
            ),
            ("show-trail", self.toggles.has(Toggle::Trail) && !plays, "draws a path over a clip: say --clip NAME too"),
            (
                self.environment.given().unwrap_or_default(),
                self.environment.given().is_some() && !session.view().look.is_environment(),
                "lights the look of that name: say --look environment, or no other look",
            ),
            (
                "environment-background",
                self.toggles.has(Toggle::EnvironmentBackground) && !session.view().look.is_environment(),
                "shows what lights the model: say --look environment too",
            ),
            ("onion", self.onion.is_some() && !plays, "draws other moments of a clip: say --clip NAME too"),
        ];
        match options.into_iter().find(|(_, has_none, _)| *has_none) {
            Some((option, _, why)) => Err(CliError::Usage(format!("--{option} {why}"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::model::test_shapes::{Tube, tube};
    use crate::session::{Document, PlaybackCommand};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        look: LookArgs,
    }

    /// Why the options are refused for a model at rest, or while its clip is shown.
    fn refused(options: &[&str], plays: bool) -> Option<String> {
        let line = Line::try_parse_from(["look"].iter().chain(options)).unwrap();
        let mut session = Session::default();
        session.open(Document::new(Arc::new(tube(Tube::default())), Vec::new(), None));
        if !plays {
            session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        }
        line.look.apply(&mut session).err().map(|error| error.to_string())
    }

    #[test]
    fn a_look_and_a_tone_map_are_those_of_the_options() {
        let line = Line::try_parse_from(["look", "--look", "curvature", "--tone-map", "aces"]).unwrap();
        let mut session = Session::default();
        session.open(Document::new(Arc::new(tube(Tube::default())), Vec::new(), None));
        line.look.apply(&mut session).unwrap();
        assert_eq!((session.view().look.id, session.view().tone_map.id), ("curvature", "aces"));
        assert!(Line::try_parse_from(["look", "--look", "curvy"]).is_err());
    }

    #[test]
    fn bounds_are_those_of_the_file_of_the_pose_or_of_both() {
        let shown = |options: &[&str]| {
            let line = Line::try_parse_from(["look"].iter().chain(options)).unwrap();
            let mut session = Session::default();
            session.open(Document::new(Arc::new(tube(Tube::default())), Vec::new(), None));
            line.look.apply(&mut session).unwrap();
            [Toggle::FileBounds, Toggle::PoseBounds].map(|toggle| session.view().is_on(toggle))
        };
        assert_eq!(shown(&[]), [false, false]);
        assert_eq!(shown(&["--bounds"]), [true, true]);
        assert_eq!(shown(&["--bounds", "file"]), [true, false]);
        assert_eq!(shown(&["--bounds=pose"]), [false, true]);
    }

    #[test]
    fn an_environment_is_that_of_the_options_and_one_that_cannot_be_read_is_an_error() {
        let options =
            ["look", "--look", "environment", "--environment-rotation", "-30", "--environment-exposure", "1.5"];
        let line = Line::try_parse_from(options).unwrap();
        let mut session = Session::default();
        session.open(Document::new(Arc::new(tube(Tube::default())), Vec::new(), None));
        line.look.apply(&mut session).unwrap();
        let view = session.view();
        assert!(view.look.is_environment() && view.environment.file.is_none());
        assert_eq!((view.environment.rotation, view.environment.exposure), (-30.0, 1.5));
        assert!(Line::try_parse_from(["look", "--environment-exposure", "9"]).is_err());
        let missing = refused(&["--environment", "no-such.hdr"], false).unwrap();
        assert!(missing.contains("no-such.hdr") && missing.contains("cannot be read"), "{missing}");
    }

    #[test]
    fn an_option_that_changes_nothing_of_what_is_shown_says_what_it_is_for() {
        let alone: [(&[&str], &str); 7] = [
            (&["--ramp", "viridis"], "--heatmap"),
            (&["--limit", "3"], "--overlay alarms"),
            (&["--shared-black"], "--dominant"),
            (&["--onion", "2"], "--clip"),
            (&["--environment-rotation", "90"], "--look environment"),
            (&["--environment-background"], "--look environment"),
            (&["--show-trail", "--joint", "joint 1"], "--clip"),
        ];
        for (options, needs) in alone {
            let why = refused(options, false).unwrap_or_default();
            assert!(why.contains(options[0]) && why.contains(needs), "{options:?}: {why}");
        }
        let with: [&[&str]; 3] = [
            &["--ramp", "viridis", "--heatmap", "joint 1"],
            &["--limit", "3", "--overlay", "alarms"],
            &["--shared-black", "--dominant"],
        ];
        assert_eq!(with.map(|options| refused(options, false)), [None, None, None]);
        let moving: [&[&str]; 2] = [&["--onion", "2"], &["--show-trail", "--joint", "joint 1"]];
        assert_eq!(moving.map(|options| refused(options, true)), [None, None]);
    }
}

//! The pose for commands without a window: the file at rest, or a clip at a time.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::find::{find_clip, find_node, splits};
use super::layers::LayerArgs;
use super::method::{MethodArgs, MethodSettings};
use super::opened::Opened;
use super::{CliError, named_number, parse_point, printable, read_pose, tell_unmatched};
use crate::deform::METHODS;
use crate::model::Model;
use crate::output::say;
use crate::pose::{known_names, resolve};
use crate::session::{
    ControlCommand, EditCommand, MethodChoice, PlaybackCommand, PoseSource, PosingCommand, RootMotion, Session, Toggle,
    ViewCommand,
};

/// The pose that is taken, and how it is deformed.
#[derive(Clone, Debug, Args)]
pub(super) struct PoseArgs {
    /// Show this clip, by exact name or by number from 0; without it, the rest pose of the file
    #[arg(long, value_name = "NAME|N", allow_hyphen_values = true)]
    clip: Option<String>,
    /// Show the clip at this time of its timeline, seconds; times outside of the clip are clamped to it
    #[arg(long, value_name = "S", requires = "clip", default_value = "0", allow_negative_numbers = true, value_parser = parse_secs)]
    time: f32,
    /// Show the pose of this file (`skinscope pose` makes such files); its values replace those of the clip
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    pose: Option<PathBuf>,
    /// Take out of the clip what carries the whole skeleton along the ground, so that it walks on the spot
    #[arg(long)]
    no_root_motion: bool,
    #[command(flatten)]
    layers: LayerArgs,
    #[command(flatten)]
    method: MethodArgs,
    /// Divide the weights of every vertex by their sum; without it, they are used as stored
    #[arg(long)]
    normalise_weights: bool,
    /// Set the weight of a morph target in every mesh that has one of this name; NODE/NAME sets it in the mesh of that node alone. May be
    /// given several times
    #[arg(long, value_name = "NAME=WEIGHT", value_parser = parse_morph, allow_hyphen_values = true)]
    morph: Vec<(String, f32)>,
    #[command(flatten)]
    sliders: SliderArgs,
    #[command(flatten)]
    hold: HoldArgs,
}

/// Joints that stay at a place over a clip.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct HoldArgs {
    /// Hold this joint over the whole clip where it stands at --time, or at a place (world, metres); its limb follows. May be given
    /// several times
    #[arg(long, value_name = "JOINT[=X,Y,Z]", allow_hyphen_values = true)]
    hold: Vec<String>,
}

impl HoldArgs {
    /// Holds the joints; a name that the model has no joint for is an error.
    fn apply(&self, session: &mut Session) -> Result<(), CliError> {
        for wanted in &self.hold {
            let Some(model) = session.model().map(Arc::clone) else { continue };
            let parsed = wanted.rsplit_once('=').and_then(|(name, at)| Some((name, parse_point(at).ok()?)));
            // A joint may really be called so.
            let parsed = parsed.filter(|_| find_node(&model, wanted).is_err());
            let (name, position) = parsed.map_or((wanted.as_str(), None), |(name, position)| (name, Some(position)));
            let node = find_node(&model, name)?;
            if position.is_none() && session.playback().source != PoseSource::Clip {
                let name = printable(name);
                let why = format!(
                    "--hold {name} keeps a joint where it stands while a clip moves it: say --clip NAME too, or --hold {name}=X,Y,Z"
                );
                return Err(CliError::Usage(why));
            }
            if !session.edits().held.contains_key(&node) {
                session.apply(PosingCommand::ToggleHeld(node));
            }
            if let Some(position) = position {
                session.update_pose();
                let position = position - model.skeleton.origin_of(node) - session.pose().shift;
                session.apply(EditCommand::MoveHeld(node, position.as_vec3()));
            }
        }
        session.apply(EditCommand::EndEdit);
        Ok(())
    }
}

/// Values of the sliders that a session file keeps.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct SliderArgs {
    /// Move a slider of the session file to this value; what its controls drive follows. May be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_slider, allow_hyphen_values = true)]
    control: Vec<(String, f32)>,
}

impl SliderArgs {
    /// Moves the sliders; a name that the session has no slider for is an error.
    pub fn apply(&self, session: &mut Session) -> Result<(), CliError> {
        for (name, value) in &self.control {
            let sliders = &session.edits().controls.sliders;
            let found = sliders.iter().position(|slider| slider.name == *name);
            let index = found.ok_or_else(|| CliError::Usage(unknown_slider(name, session)))?;
            session.apply(ControlCommand::SetSlider(index, *value));
        }
        session.apply(EditCommand::EndEdit);
        Ok(())
    }

    /// The names with their values.
    pub fn all(&self) -> &[(String, f32)] {
        &self.control
    }
}

fn unknown_slider(name: &str, session: &Session) -> String {
    let names: Vec<&str> = session.edits().controls.sliders.iter().map(|slider| slider.name.as_str()).collect();
    let known = match names.is_empty() {
        true => "sliders stand in a session file, and there is none".to_owned(),
        false => format!("sliders: {}", names.join(", ")),
    };
    printable(&format!("there is no slider \"{name}\"; {known}"))
}

fn parse_slider(text: &str) -> Result<(String, f32), String> {
    named_number(text, "NAME=VALUE", "Flex=0.5")
}

fn parse_morph(text: &str) -> Result<(String, f32), String> {
    named_number(text, "NAME=WEIGHT", "Smile=0.5")
}

pub(super) fn parse_secs(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|t: &f32| t.is_finite()).ok_or_else(|| "expected seconds, such as 0.5".into())
}

impl PoseArgs {
    /// Makes the arguments of a clip at a time, or of the rest pose, deformed by a method.
    pub(super) fn of(clip: Option<String>, time: f32, method: MethodArgs, normalise_weights: bool) -> Self {
        Self {
            clip,
            time,
            pose: None,
            no_root_motion: false,
            layers: LayerArgs::default(),
            method,
            normalise_weights,
            morph: Vec::new(),
            sliders: SliderArgs::default(),
            hold: HoldArgs::default(),
        }
    }

    /// Makes the arguments of a clip at a time, or of the rest pose, with a pose file over it.
    pub(super) fn plain(clip: Option<String>, time: f32, pose: Option<PathBuf>) -> Self {
        let method = MethodArgs::of(MethodChoice::of(METHODS[0]), MethodSettings::default());
        Self { pose, ..Self::of(clip, time, method, false) }
    }

    /// Returns the path of the pose file, if one is named.
    pub(super) fn file(&self) -> Option<&Path> {
        self.pose.as_deref()
    }

    /// Returns the arguments for a second model, which is deformed by the same method and shows a clip of its own at the same time.
    pub(super) fn for_other(&self, clip: Option<String>) -> Self {
        Self::of(clip, self.time, self.method.clone(), self.normalise_weights)
    }

    /// Returns the name of the clip, or its number, if one is named.
    pub(super) fn clip_name(&self) -> Option<&str> {
        self.clip.as_deref()
    }

    /// Returns whether an option says how vertices are deformed.
    pub(super) fn has_method(&self) -> bool {
        let MethodSettings { parameters, pass, normals } = &self.method.settings;
        self.method.method.is_some() || !parameters.is_empty() || pass.is_some() || normals.is_some()
    }

    /// Returns whether a clip is named.
    pub(super) fn has_clip(&self) -> bool {
        self.clip.is_some()
    }

    /// Returns a paused session in that pose; without a clip of its own one that a session file keeps is in the file's.
    pub(super) fn session(&self, opened: impl Into<Opened>) -> Result<Session, CliError> {
        let opened = opened.into();
        let has_session = opened.session_file.is_some();
        let model = Arc::clone(&opened.document.model);
        let mut session = Session::default();
        // Bones stay hidden unless an option asks for them, or a session file shows them.
        session.apply(ViewCommand::Set(Toggle::Bones, false));
        opened.show(&mut session);
        // A session file may have added clips.
        let shown = session.model().unwrap_or(&model);
        let clip = self.clip.as_deref().map(|name| find_clip(shown, name)).transpose()?;
        let layers = self.layers.find(shown)?;
        self.method.apply(&mut session);
        self.method.has_effects(&session)?;
        if self.normalise_weights {
            session.apply(EditCommand::NormaliseWeights);
        }
        session.apply(PlaybackCommand::SetPlaying(false));
        match clip {
            Some(clip) => {
                session.apply(PlaybackCommand::SetClip(clip));
                session.apply(PlaybackCommand::Seek(self.time));
                session.apply(PlaybackCommand::SetLayers(layers));
            }
            None if has_session => {}
            None => {
                session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
            }
        }
        if self.no_root_motion {
            take_root_motion_out(&mut session)?;
        }
        if let Some(path) = &self.pose {
            let resolved = resolve(&model, &read_pose(path)?);
            tell_unmatched(&resolved.unmatched);
            session.apply(EditCommand::SetPose(Arc::new(resolved)));
        }
        for (name, weight) in &self.morph {
            for index in find_morph(&model, name)? {
                session.apply(EditCommand::EditMorph(index, *weight));
            }
        }
        session.apply(EditCommand::EndEdit);
        self.sliders.apply(&mut session)?;
        self.hold.apply(&mut session)?;
        session.prepare();
        if let Some((source, _)) = session.deforming().wanted_data() {
            return Err(CliError::Usage(format!("{} of this model cannot be worked out", source.label)));
        }
        session.update_pose();
        Ok(session)
    }
}

/// Lets the clip that is shown play in place.
fn take_root_motion_out(session: &mut Session) -> Result<(), CliError> {
    let clip = session.playback().clip.filter(|_| session.playback().source == PoseSource::Clip);
    let Some((model, clip)) = session.model().zip(clip) else {
        return Err(CliError::Usage("--no-root-motion takes something out of a clip: say --clip NAME too".into()));
    };
    let clip = &model.clips[clip.index()];
    if RootMotion::of(model, clip).is_none() {
        let name = printable(&clip.name);
        say(format_args!(
            "warning: clip \"{name}\" moves no node that carries joints, so that --no-root-motion changes nothing"
        ));
    }
    if !session.playback().in_place {
        session.apply(PlaybackCommand::ToggleInPlace);
    }
    Ok(())
}

/// Returns the weights of all morph targets of that name; where there are none, and the name is NODE/NAME, those of the
/// node's mesh.
fn find_morph(model: &Model, wanted: &str) -> Result<Vec<usize>, CliError> {
    let targets = || {
        model.instances.iter().flat_map(|i| {
            let names = &model.meshes[i.mesh.index()].morph_names;
            (i.morph_offset..).zip(names).map(|(index, name)| (i.node, name, index))
        })
    };
    let mut found: Vec<usize> = targets().filter(|(_, name, _)| *name == wanted).map(|(.., index)| index).collect();
    if found.is_empty() {
        // Names of nodes and of targets may hold a slash, so that the text is split where it names both.
        let (mut unknown, mut ways) = (None, 0);
        for (node, target) in splits(wanted, '/').filter(|(_, target)| targets().any(|(_, name, _)| name == target)) {
            match find_node(model, node) {
                Ok(node) => {
                    let of_node = targets().filter(|(of, name, _)| *of == node && *name == target);
                    let before = found.len();
                    found.extend(of_node.map(|(.., index)| index));
                    ways += usize::from(found.len() > before);
                }
                Err(error) => _ = unknown.get_or_insert(error),
            }
        }
        if ways > 1 {
            let why = format!(
                "\"{wanted}\" names a morph target of a node in several ways; say the node by its number, such as #3/NAME"
            );
            return Err(CliError::Usage(printable(&why)));
        }
        if let Some(error) = unknown.filter(|_| found.is_empty()) {
            return Err(error);
        }
    }
    if found.is_empty() {
        let mut names: Vec<&str> = targets().map(|(_, name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let which = if names.is_empty() {
            "the file has no morph target".to_owned()
        } else {
            known_names("morph targets", &names, wanted)
        };
        return Err(CliError::Usage(printable(&format!("there is no morph target \"{wanted}\"; {which}"))));
    }
    Ok(found)
}

//! Options for how the skeleton looks in a picture without a window, and for what is left out of it.

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use super::CliError;
use super::find::find_node;
use crate::inspect::BoneShape;
use crate::session::{Session, View, ViewCommand};

/// Bones, hidden nodes, translucent skin.
#[derive(Clone, Debug, Args)]
pub(super) struct SkeletonArgs {
    /// Draw bones in this shape: octahedra, sticks or lines [default: octahedra]
    #[arg(long, value_name = "SHAPE", value_parser = shape_names())]
    bones: Option<String>,
    /// Draw bones so many times as thick as usual, 0.25 to 4 [default: 1]
    #[arg(long, value_name = "FACTOR", value_parser = parse_size)]
    bone_size: Option<f32>,
    /// Leave out the bones of joints that move no vertex; auto leaves them out where they are many [default: auto]
    #[arg(long, value_enum)]
    deforming_only: Option<WhenToShow>,
    /// Hide the meshes and bones of this node and of all below it (its name, or `#12`, its index in the file); may be given several times
    #[arg(long, value_name = "NODE", allow_hyphen_values = true)]
    hide: Vec<String>,
    /// Draw the surface with this opacity, 0 to 1; only the nearest layer of a translucent surface is drawn [default: 1]
    #[arg(long, value_name = "0-1", value_parser = parse_opacity)]
    skin_opacity: Option<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum WhenToShow {
    /// Where many joints move nothing
    Auto,
    /// Always
    On,
    /// Never
    Off,
}

fn shape_names() -> PossibleValuesParser {
    PossibleValuesParser::new(BoneShape::ALL.iter().map(|s| s.id()))
}

fn within(text: &str, [least, most]: [f32; 2]) -> Option<f32> {
    text.parse().ok().filter(|n| (least..=most).contains(n))
}

fn parse_size(text: &str) -> Result<f32, String> {
    within(text, View::BONE_SIZES).ok_or_else(|| "expected a number, 0.25 to 4".into())
}

fn parse_opacity(text: &str) -> Result<f32, String> {
    within(text, [0.0, 1.0]).ok_or_else(|| "expected a number, 0 to 1".into())
}

impl SkeletonArgs {
    /// Sets the view of `session`.
    pub(super) fn apply(&self, session: &mut Session) -> Result<(), CliError> {
        let Some(model) = session.document().map(|d| std::sync::Arc::clone(d.stored())) else { return Ok(()) };
        for name in &self.hide {
            let node = find_node(&model, name)?;
            if !session.bones().is_hidden(node) {
                session.apply(ViewCommand::ToggleHidden(node));
            }
        }
        // What is not said stays as it is, which matters where an example or a session file was opened.
        if let Some(shape) = BoneShape::ALL.into_iter().find(|s| self.bones.as_deref() == Some(s.id())) {
            session.apply(ViewCommand::SetBoneShape(shape));
        }
        if let Some(size) = self.bone_size {
            session.apply(ViewCommand::SetBoneSize(size));
        }
        if let Some(opacity) = self.skin_opacity {
            session.apply(ViewCommand::SetSkinOpacity(opacity));
        }
        if let Some(when) = self.deforming_only {
            session.apply(ViewCommand::SetDeformingOnly(match when {
                WhenToShow::Auto => None,
                WhenToShow::On => Some(true),
                WhenToShow::Off => Some(false),
            }));
        }
        session.update_pose();
        Ok(())
    }
}

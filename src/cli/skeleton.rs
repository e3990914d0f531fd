//! Options for how the skeleton looks in a picture without a window, and for what is left out of it.

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use super::CliError;
use super::pose::find_node;
use crate::inspect::BoneShape;
use crate::session::{Session, View, ViewCommand};

/// Bones, hidden nodes, translucent skin.
#[derive(Clone, Debug, Args)]
pub(super) struct SkeletonArgs {
    /// Draw the skeleton over the surface (a file without a mesh shows it anyway)
    #[arg(long)]
    pub skeleton: bool,
    /// Draw bones in this shape: octahedra, sticks or lines
    #[arg(long, value_name = "SHAPE", value_parser = shape_names(), default_value = "octahedra")]
    bones: String,
    /// Draw bones so many times as thick as usual, 0.25 to 4
    #[arg(long, value_name = "FACTOR", value_parser = parse_size, default_value = "1")]
    bone_size: f32,
    /// Leave out the bones of joints that move no vertex; auto leaves them out where they are many
    #[arg(long, value_enum, default_value = "auto")]
    deforming_only: WhenToShow,
    /// Hide the meshes and bones of this node and of all below it (name, or node index of the file); may be given several times
    #[arg(long, value_name = "NODE", allow_hyphen_values = true)]
    hide: Vec<String>,
    /// Draw the surface with this opacity, 0 to 1; only the nearest layer of a translucent surface is drawn
    #[arg(long, value_name = "0-1", value_parser = parse_opacity, default_value = "1")]
    skin_opacity: f32,
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
            if !session.is_hidden(node) {
                session.apply(ViewCommand::ToggleHidden(node));
            }
        }
        let shape = BoneShape::ALL.into_iter().find(|s| s.id() == self.bones);
        // What is not said stays as it is, which matters where a session file was opened.
        if let Some(shape) = shape.filter(|shape| *shape != BoneShape::default()) {
            session.apply(ViewCommand::SetBoneShape(shape));
        }
        if self.bone_size != 1.0 {
            session.apply(ViewCommand::SetBoneSize(self.bone_size));
        }
        if self.skin_opacity != 1.0 {
            session.apply(ViewCommand::SetSkinOpacity(self.skin_opacity));
        }
        match self.deforming_only {
            WhenToShow::Auto => {}
            WhenToShow::On => _ = session.apply(ViewCommand::SetDeformingOnly(Some(true))),
            WhenToShow::Off => _ = session.apply(ViewCommand::SetDeformingOnly(Some(false))),
        }
        session.update_pose();
        Ok(())
    }
}

//! `skinscope bind --skeleton` and `--humanoid`: joints that are made, and which way their axes point.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};

use super::{CliError, printable};
use crate::edit::{BodyFrame, Humanoid, PLACED_AXES, PlacedAxes, PlacedJoint, humanoid_in, placed_from_text};
use crate::model::Model;
use crate::output::{overwritten, overwritten_by_stdout};

/// Where joints are made.
#[derive(Debug, Args)]
pub(super) struct PlacedArgs {
    /// Bind the meshes that have no skin to joints that this file places, as the window saves it; they become nodes
    ///
    /// FILE is `{"schema": 1, "joints": [{"name": "Hips", "position": [0, 1, 0], "parent": null}]}`: positions in the scene, metres; a parent is
    /// a name or an index.
    #[arg(long, value_name = "FILE", conflicts_with = "joints")]
    skeleton: Option<PathBuf>,
    /// Bind the meshes that have no skin to 19 joints of a standing figure, placed by sections through it (through the meshes of --mesh)
    #[arg(long, conflicts_with_all = ["joints", "skeleton"])]
    humanoid: bool,
    /// With --skeleton or --humanoid: let Y of each joint point along the bone to its first child (bone), or leave the axes as the scene has them
    /// (world) [default: bone]
    #[arg(long, value_name = "HOW", conflicts_with = "joints", value_parser = ways())]
    axes: Option<String>,
}

/// Joints that are made.
#[derive(Debug)]
pub(super) struct Made {
    /// The joints.
    pub joints: Vec<PlacedJoint>,
    /// Which way their axes point.
    pub axes: PlacedAxes,
    /// What tells where they are; `None` where a file does.
    pub told: Option<Told>,
}

/// What tells where the joints of a standing figure are.
#[derive(Debug)]
pub(super) struct Told {
    words: String,
    is_of_mesh: bool,
    faces: &'static str,
    is_by_feet: bool,
    sections: Vec<&'static str>,
}

impl Told {
    fn of(placed: &Humanoid) -> Self {
        let BodyFrame { is_of_mesh, is_by_feet, .. } = placed.frame;
        let (words, faces, sections) = (placed.words(), placed.frame.faces(), placed.sections.clone());
        Self { words, is_of_mesh, faces, is_by_feet, sections }
    }

    /// Returns it as a line of text.
    pub fn text(&self) -> String {
        format!("  {}\n", self.words)
    }

    /// Returns it as JSON.
    pub fn json(&self) -> Value {
        json!({
            "symmetry": if self.is_of_mesh { "mesh" } else { "bounds" },
            "faces": self.faces,
            "faces_by": if self.is_by_feet { "feet" } else { "default" },
            "sections": self.sections,
        })
    }
}

fn ways() -> PossibleValuesParser {
    PossibleValuesParser::new(PLACED_AXES.iter().map(|(_, word, ..)| *word))
}

impl PlacedArgs {
    /// Refuses axes of joints that are not made.
    pub fn check(&self) -> Result<(), CliError> {
        if self.axes.is_some() && self.skeleton.is_none() && !self.humanoid {
            return Err(CliError::Usage("--axes needs --skeleton or --humanoid".to_owned()));
        }
        Ok(())
    }

    /// Returns the joints that are to be made; `None` where none are. `meshes` are those that are bound, and `output` is where the result goes,
    /// which the file of joints is not.
    pub fn made(
        &self,
        model: &Model,
        meshes: Option<&BTreeSet<u32>>,
        output: Option<&Path>,
    ) -> Result<Option<Made>, CliError> {
        let word = self.axes.as_deref();
        let known = PLACED_AXES.iter().find(|(_, known, ..)| Some(*known) == word);
        let axes = known.map(|(axes, ..)| *axes).unwrap_or_default();
        if self.humanoid {
            let placed = humanoid_in(model, meshes);
            return Ok(Some(Made { told: Some(Told::of(&placed)), joints: placed.joints, axes }));
        }
        let Some(file) = &self.skeleton else { return Ok(None) };
        let files = || std::iter::once(file.as_path());
        overwritten_by_stdout(files())?;
        output.map_or(Ok(()), |out| overwritten(out, files()))?;
        let wrong = |why: String| CliError::Usage(printable(&format!("{}: {why}", file.display())));
        let bytes = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
        let joints = placed_from_text(&bytes).map_err(wrong)?;
        Ok(Some(Made { joints, axes, told: None }))
    }
}

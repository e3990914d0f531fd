//! Clips of another file, shown on the open model.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Document, PlaybackCommand, Session};
use crate::model::{ClipId, Model};
use crate::pose::{CarriedClips, carry_clips};

/// The open model with the clips of another file after its own.
#[derive(Clone, Debug)]
pub struct TakenClips {
    /// The model, without edits of its weights.
    pub model: Arc<Model>,
    /// The first of the new clips.
    pub first: ClipId,
    /// How many there are.
    pub count: usize,
    /// The name of the file that they come from.
    pub name: String,
    /// Names of nodes and morph targets that the clips move there and that have no counterpart here.
    pub unmatched: Vec<String>,
    /// Whether the clips were corrected for another rest pose.
    pub is_corrected: bool,
}

/// The most names that are told.
const MOST_LINES: usize = 20;

impl TakenClips {
    /// Makes the model with the clips of `other`, whose file is called `name`. A clip that is called as another one gets the name
    /// of the file too.
    ///
    /// # Errors
    /// The other file has no clip, or none that moves anything here; the message says so.
    pub fn of(model: &Model, other: &Model, name: &str) -> Result<Self, String> {
        if other.clips.is_empty() {
            return Err(format!("{name} has no clips."));
        }
        let CarriedClips { mut clips, unmatched, is_corrected } = carry_clips(other, model);
        if clips.is_empty() {
            return Err(format!("None of the nodes that the clips of {name} move is in this model."));
        }
        let mut taken: BTreeSet<String> = model.clips.iter().map(|clip| clip.name.clone()).collect();
        for clip in &mut clips {
            let with_file = |n: u32| match n {
                0 => clip.name.clone(),
                1 => format!("{} ({name})", clip.name),
                n => format!("{} ({name}) {n}", clip.name),
            };
            let free = (0..).map(with_file).find(|name| !taken.contains(name)).unwrap_or_default();
            taken.insert(free.clone());
            clip.name = free;
        }
        let (first, count) = (ClipId::from_index(model.clips.len()), clips.len());
        let model = model.with_stored_weights().with_clips(clips).map_err(|error| error.to_string())?;
        Ok(Self { model: Arc::new(model), first, count, name: name.to_owned(), unmatched, is_corrected })
    }

    /// Returns what was done, in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let clips = if self.count == 1 { "1 clip".to_owned() } else { format!("{} clips", self.count) };
        let corrected = if self.is_corrected { ", corrected for another rest pose" } else { "" };
        format!("Took {clips} of {}{corrected}", self.name)
    }

    /// Returns a line for each name without a counterpart, or as many as are told.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let line = |key: &String| format!("The model has nothing for \"{key}\" of the clips of {}.", self.name);
        let mut lines: Vec<String> = self.unmatched.iter().take(MOST_LINES).map(line).collect();
        if self.unmatched.len() > MOST_LINES {
            let more = self.unmatched.len() - MOST_LINES;
            lines.push(format!("{more} more names of the clips of {} have no counterpart.", self.name));
        }
        lines
    }
}

impl Session {
    /// Shows the open model with the clips of another file, and plays the first of them. Edits, selection and camera stay.
    pub fn take_clips(&mut self, taken: &TakenClips) {
        let Some(open) = &self.document else { return };
        let (warnings, path) = (open.warnings.clone(), open.path.clone());
        self.reopen(Document::new(Arc::clone(&taken.model), warnings, path));
        self.apply(PlaybackCommand::SetClip(taken.first));
        self.apply(PlaybackCommand::SetPlaying(true));
        self.warn(&taken.lines());
        self.update_pose();
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::model::NodeId;
    use crate::model::shapes::{Tube, tube};
    use crate::session::{ChannelValue, EditCommand, SelectionCommand};

    #[test]
    fn clips_of_another_file_join_those_of_the_open_one_and_edits_stay() {
        let model = Arc::new(tube(Tube { joints: 4, ..Tube::default() }));
        let mut session = Session::default();
        session.open(Document::new(Arc::clone(&model), Vec::new(), None));
        session.apply(EditCommand::Edit(NodeId(1), ChannelValue::Translation(Vec3::ONE)));
        session.apply(SelectionCommand::Select(Some(NodeId(2))));
        session.update_pose();
        let camera = session.view().orbit;
        let mut parts = (*tube(Tube { joints: 5, ..Tube::default() })).clone();
        parts.clips.push(parts.clips[0].clone());
        let other = Model::build(parts).unwrap();
        let taken = TakenClips::of(&model, &other, "walks.glb").unwrap();
        session.take_clips(&taken);
        let names: Vec<&str> = session.model().unwrap().clips.iter().map(|clip| clip.name.as_str()).collect();
        assert_eq!(names, ["Bend", "Bend (walks.glb)", "Bend (walks.glb) 2"]);
        assert_eq!((session.playback().clip, session.view().selected), (Some(ClipId(1)), Some(NodeId(2))));
        assert!(session.edits().nodes.contains_key(&NodeId(1)) && session.history().can_undo());
        assert_eq!(session.view().orbit, camera);
        // The tubes are of one length, so that their joints rest at other places.
        assert_eq!(taken.sentence(), "Took 2 clips of walks.glb, corrected for another rest pose");
        assert_eq!(session.document().unwrap().warnings, taken.lines());
        assert_eq!(taken.unmatched, [other.skeleton.names[5].as_str()]);
        let still = Model::build(crate::model::ModelParts { clips: Vec::new(), ..(*other).clone() }).unwrap();
        assert!(TakenClips::of(&model, &still, "still.glb").unwrap_err().contains("has no clips"));
    }
}

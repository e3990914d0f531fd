//! Clips that were added to a model after its file was read. They follow the clips of the file in the list of clips.

use std::sync::Arc;

use super::{BuildError, Clip, ClipId, ClipSource, Model};

/// A change of the added clips: some consecutive ones are replaced by others.
#[derive(Clone, Debug, Default)]
pub struct ClipChange {
    /// The index of the first replaced clip, counted from the first added one.
    pub at: usize,
    /// How many clips are removed.
    pub removed: usize,
    /// The clips that replace them, none of which has the source [`ClipSource::File`].
    pub inserted: Vec<Clip>,
}

impl Model {
    /// Returns how many clips the file has; the added ones follow them.
    #[must_use]
    pub fn file_clips(&self) -> usize {
        self.clips.iter().position(Clip::is_added).unwrap_or(self.clips.len())
    }

    /// Returns the clips that were added since the file was read.
    #[must_use]
    pub fn added_clips(&self) -> &[Clip] {
        &self.clips[self.file_clips()..]
    }

    /// Returns whether both models share one list of clips in memory.
    #[must_use]
    pub fn shares_clips(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// Returns whether the same clips were added to both models.
    #[must_use]
    pub fn has_same_added_clips(&self, other: &Self) -> bool {
        let (own, others) = (self.added_clips(), other.added_clips());
        self.shares_clips(other) || own.len() == others.len() && own.iter().zip(others).all(|(a, b)| a.is_same(b))
    }

    /// Returns the same model with other added clips.
    ///
    /// # Errors
    /// A clip does not fit the model (it names nodes or targets that the model does not have), or the change names
    /// clips that do not exist.
    pub fn with_clips_changed(&self, change: &ClipChange) -> Result<Self, BuildError> {
        let first = self.file_clips() + change.at;
        let last = first + change.removed;
        if last > self.clips.len() {
            let (location, what) = ("added clips".into(), "there are fewer than are to go".into());
            return Err(BuildError { location, what });
        }
        let mut parts = self.shared.parts.clone();
        parts.clips.splice(first..last, change.inserted.iter().cloned());
        let mut built = Self::build(parts)?;
        if let Some(shared) = Arc::get_mut(&mut built.shared) {
            shared.reading = Arc::clone(&self.shared.reading);
            shared.bindings = Arc::clone(&self.shared.bindings);
        }
        Self { edits: self.edits.clone(), ..built }.with_binds(&self.edited_skinning().binds)
    }

    /// Returns the change that undoes `change`, which has not been made yet.
    #[must_use]
    pub fn clips_before(&self, change: &ClipChange) -> ClipChange {
        let gone = self.added_clips().iter().skip(change.at).take(change.removed);
        ClipChange { at: change.at, removed: change.inserted.len(), inserted: gone.cloned().collect() }
    }

    /// Returns the change that makes its added clips those of `before`, a model of the same file.
    #[must_use]
    pub fn clips_back_to(&self, before: &Self) -> ClipChange {
        let (now, then) = (self.added_clips(), before.added_clips());
        let at = now.iter().zip(then).take_while(|(a, b)| a.is_same(b)).count();
        let (now, then) = (&now[at..], &then[at..]);
        let after = now.iter().rev().zip(then.iter().rev()).take_while(|(a, b)| a.is_same(b)).count();
        ClipChange { at, removed: now.len() - after, inserted: then[..then.len() - after].to_vec() }
    }

    /// Returns the same model with more clips after its own; saving appends them to the file.
    ///
    /// # Errors
    /// A clip does not fit the model: it names nodes or targets that the model does not have.
    pub fn with_clips(&self, more: Vec<Clip>) -> Result<Self, BuildError> {
        let taken = |clip: Clip| if clip.is_added() { clip } else { Clip { source: ClipSource::Taken, ..clip } };
        let inserted = more.into_iter().map(taken).collect();
        self.with_clips_changed(&ClipChange { at: self.added_clips().len(), removed: 0, inserted })
    }

    /// Returns a clip name that begins with `wanted` and that no other clip has. `own` is the clip that will get the
    /// name: its present name counts as free.
    #[must_use]
    pub fn free_clip_name(&self, wanted: &str, own: Option<ClipId>) -> String {
        let is_taken = |name: &str| {
            self.clips.iter().enumerate().any(|(i, c)| Some(ClipId::from_index(i)) != own && c.name == name)
        };
        let name = |n: u32| if n == 1 { wanted.to_owned() } else { format!("{wanted} {n}") };
        (1..).map(name).find(|name| !is_taken(name)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shapes::{Tube, tube};

    #[test]
    fn added_clips_change_and_change_back_and_the_rest_of_the_model_is_the_same_one() {
        let model = tube(Tube { joints: 4, ..Tube::default() });
        let named = |name: &str| Clip { name: name.into(), ..model.clips[0].clone() };
        let two = model.with_clips(vec![named("a"), named("b")]).unwrap();
        assert!(two.shares_all_but_edits(&model) && !two.shares_clips(&model));
        assert_eq!((two.file_clips(), two.added_clips().len(), two.clips[1].source), (1, 2, ClipSource::Taken));
        let inserted = vec![Clip { source: ClipSource::Keyed, ..named("c") }];
        let change = ClipChange { at: 0, removed: 1, inserted };
        let back = two.clips_before(&change);
        let changed = two.with_clips_changed(&change).unwrap();
        let names = |model: &Model| model.clips.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&changed), ["Bend", "c", "b"]);
        assert!(!changed.has_same_added_clips(&two));
        let again = changed.with_clips_changed(&back).unwrap();
        assert!(names(&again) == ["Bend", "a", "b"] && again.has_same_added_clips(&two));
        let empty = model.with_clips_changed(&ClipChange::default()).unwrap();
        for (from, to) in [(&changed, &two), (&two, &changed), (&two, &empty), (&empty, &two), (&two, &two)] {
            let made = from.with_clips_changed(&from.clips_back_to(to)).unwrap();
            assert!(made.has_same_added_clips(to) && names(&made) == names(to), "{:?}", names(&made));
        }
        let part = two.clips_back_to(&changed);
        assert_eq!((part.at, part.removed, part.inserted.len()), (0, 1, 1), "what stays is no part of it");
        assert!(two.with_clips_changed(&ClipChange { at: 2, removed: 1, ..ClipChange::default() }).is_err());
        assert_eq!(
            (two.free_clip_name("a", None), two.free_clip_name("a", Some(ClipId(1)))),
            ("a 2".into(), "a".into())
        );
    }
}

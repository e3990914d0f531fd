//! The strokes that were painted, as files have them. A file of strokes knows no layers, so that those into a layer, those on its mask and those
//! into the base below layers are in files of their own, which `skinscope paint` takes one after the other with `--layer` or `--base`.

use skinscope_paint::{LayerId, StrokeForm, StrokesFile};

/// So many letters of the name of a layer are in the name of a file.
const LONGEST: usize = 40;

/// Where a stroke went that did not paint the weights themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IntoLayer {
    /// `None`: the base below the layers.
    pub layer: Option<LayerId>,
    /// Whether it has painted the mask of the layer.
    pub is_mask: bool,
}

impl IntoLayer {
    /// Returns what the name of a file has between the name of all of them and their ending, where it is the file of this number and the layer has
    /// this name; without a layer it is a file of the base.
    pub(super) fn part_of_name(self, number: usize, layer: Option<&str>) -> String {
        // The name of a layer follows a hyphen, so that no layer has a file of this name.
        let Some(layer) = layer else { return format!("{number}.base") };
        let letters = layer.trim().chars().take(LONGEST);
        let name: String = letters.map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect();
        let name = if name.is_empty() { "layer" } else { &name };
        format!("{number}-{name}{}", if self.is_mask { ".mask" } else { "" })
    }
}

/// A stroke in the order of all.
#[derive(Clone, Debug)]
enum Entry {
    /// The next one of the weights themselves.
    Base,
    Layer(IntoLayer, Box<StrokeForm>),
}

/// The strokes so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    base: StrokesFile,
    entries: Vec<Entry>,
    /// Strokes that were undone, the next one to redo last.
    undone: Vec<(Option<IntoLayer>, StrokeForm)>,
    /// How many strokes were recorded before these, and forgotten.
    forgotten: usize,
}

impl Record {
    /// Returns the strokes that have painted the weights themselves.
    pub(super) fn base(&self) -> &StrokesFile {
        &self.base
    }

    /// Returns how many strokes there are.
    pub(super) fn count(&self) -> usize {
        self.entries.len()
    }

    /// Returns all strokes, in no order.
    pub(super) fn all(&self) -> impl Iterator<Item = &StrokeForm> {
        let of_layers = self.entries.iter().filter_map(|entry| match entry {
            Entry::Base => None,
            Entry::Layer(_, stroke) => Some(&**stroke),
        });
        self.base.strokes.iter().chain(of_layers)
    }

    /// Returns the strokes into layers and into the base below them: those that went to the same place one after the other are one file.
    pub(super) fn of_layers(&self) -> Vec<(IntoLayer, StrokesFile)> {
        let mut out: Vec<(IntoLayer, StrokesFile)> = Vec::new();
        let mut last = None;
        for entry in &self.entries {
            let Entry::Layer(into, stroke) = entry else {
                last = None;
                continue;
            };
            if last.replace(*into) != Some(*into) {
                out.push((*into, StrokesFile::default()));
            }
            if let Some((_, file)) = out.last_mut() {
                file.strokes.push(StrokeForm::clone(stroke));
            }
        }
        out
    }

    /// Adds a stroke. Those that were undone cannot be redone any more.
    pub(super) fn add(&mut self, into: Option<IntoLayer>, stroke: StrokeForm) {
        self.undone.clear();
        self.push(into, stroke);
    }

    fn push(&mut self, into: Option<IntoLayer>, stroke: StrokeForm) {
        self.entries.push(match into {
            Some(into) => Entry::Layer(into, Box::new(stroke)),
            None => {
                self.base.strokes.push(stroke);
                Entry::Base
            }
        });
    }

    /// Takes strokes back, or brings them back, until there are so many. Returns whether there were others before.
    pub(super) fn go_to(&mut self, count: usize) -> bool {
        let is_other = self.count() != count;
        while self.count() > count
            && let Some(last) = self.entries.pop()
        {
            match last {
                Entry::Base => self.undone.extend(self.base.strokes.pop().map(|stroke| (None, stroke))),
                Entry::Layer(into, stroke) => self.undone.push((Some(into), *stroke)),
            }
        }
        while self.count() < count
            && let Some((into, stroke)) = self.undone.pop()
        {
            self.push(into, stroke);
        }
        is_other
    }

    /// Returns the number of the last stroke, by which it is known though others are forgotten.
    pub(super) fn last(&self) -> usize {
        self.forgotten + self.count()
    }

    /// Returns how many strokes there are when the last one is that of a number.
    pub(super) fn count_until(&self, number: usize) -> usize {
        number.saturating_sub(self.forgotten)
    }

    /// Forgets all strokes, with those that were undone.
    pub(super) fn forget(&mut self) {
        *self = Self { forgotten: self.last(), ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_are_taken_back_and_brought_back_with_where_they_went() {
        let stroke = |brush: &str| StrokeForm { brush: Some(brush.to_owned()), ..StrokeForm::default() };
        let into = |is_mask| Some(IntoLayer { layer: Some(LayerId(3)), is_mask });
        let mut record = Record::default();
        for (brush, into) in
            [("a", None), ("b", into(false)), ("c", into(false)), ("d", into(true)), ("e", into(false))]
        {
            record.add(into, stroke(brush));
        }
        let files = |record: &Record| {
            let brushes = |file: StrokesFile| file.strokes.into_iter().filter_map(|stroke| stroke.brush).collect();
            record
                .of_layers()
                .into_iter()
                .map(|(into, file)| (into.is_mask, brushes(file)))
                .collect::<Vec<(bool, String)>>()
        };
        let all = [(false, "bc".to_owned()), (true, "d".to_owned()), (false, "e".to_owned())];
        assert_eq!((record.count(), record.base().strokes.len(), files(&record)), (5, 1, all.to_vec()));
        assert!(record.go_to(2) && !record.go_to(2));
        assert_eq!(files(&record), [(false, "b".to_owned())]);
        assert!(record.go_to(0) && record.base().strokes.is_empty() && record.go_to(5));
        assert_eq!((files(&record), record.all().count()), (all.to_vec(), 5));
        assert!(record.last() == 5 && record.count_until(3) == 3);
        record.forget();
        record.add(None, stroke("f"));
        assert_eq!((record.last(), record.count(), record.count_until(6), record.count_until(3)), (6, 1, 1, 0));
        let name = |layer: &str| IntoLayer { layer: Some(LayerId(3)), is_mask: true }.part_of_name(2, Some(layer));
        assert_eq!((name("My / skirt").as_str(), name(" ").as_str()), ("2-My---skirt.mask", "2-layer.mask"));
        assert_eq!(IntoLayer { layer: None, is_mask: false }.part_of_name(3, None), "3.base");
    }
}

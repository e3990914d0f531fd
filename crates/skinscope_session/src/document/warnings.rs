//! Import's warnings about weights, as they are after edits: a warning about what was repaired since does not stand any more.

use std::borrow::Cow;

use skinscope_import::weight_warnings;
use skinscope_model::Model;

/// A warning of import, as it is after edits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentWarning<'a> {
    /// The sentence, with the figures of the weights that are shown.
    pub text: Cow<'a, str>,
    /// Whether edits have repaired what it says.
    pub is_repaired: bool,
}

/// For each thing about the weights that import may warn of: the warning about the stored weights, and about those of another model.
#[derive(Clone, Debug, Default)]
pub(crate) struct WeightWarnings(Vec<[Option<String>; 2]>);

impl WeightWarnings {
    pub fn of(stored: &Model, now: &Model) -> Self {
        let lines = |model| weight_warnings(model).into_iter().map(|warning| warning.map(|w| w.to_string()));
        Self(lines(stored).zip(lines(now)).map(|(stored, now)| [stored, now]).collect())
    }

    /// Returns a warning as it is now.
    pub fn current<'a>(&'a self, warning: &'a str) -> DocumentWarning<'a> {
        let slot = self.0.iter().find(|[stored, _]| stored.as_deref() == Some(warning));
        let (text, is_repaired) = match slot {
            None => (warning, false),
            Some([_, Some(now)]) => (now.as_str(), false),
            Some([_, None]) => (warning, true),
        };
        DocumentWarning { text: text.into(), is_repaired }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{MeshId, ModelParts, WeightChange};

    use super::*;
    use crate::Document;

    #[test]
    fn a_warning_about_weights_goes_once_they_are_repaired_and_comes_back_with_undo() {
        let mut parts = ModelParts::clone(&tube(Tube { joints: 3, ..Tube::default() }));
        let weights = &mut parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().weights;
        let per_vertex = weights.len() / parts.meshes[0].primitives[0].positions.len();
        let weights = &mut parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().weights;
        weights[per_vertex * 2..per_vertex * 4].iter_mut().for_each(|weight| *weight *= 0.5);
        let model = Arc::new(Model::build(parts).unwrap());
        let lines: Vec<String> = weight_warnings(&model).iter().flatten().map(ToString::to_string).collect();
        assert!(
            lines.len() == 1 && lines[0].contains("2 of ") && lines[0].contains("do not sum to one (0.50)"),
            "{lines:?}"
        );
        let other = "image 0: cannot be read".to_owned();
        let mut document = Document::new(Arc::clone(&model), vec![lines[0].clone(), other.clone()], None);
        let warning = |text: &str, is_repaired| DocumentWarning { text: text.to_owned().into(), is_repaired };
        assert_eq!((document.current_warning(0), document.warnings_that_hold()), (warning(&lines[0], false), 2));
        let repaired = |vertices: &[u32]| {
            let mut change = WeightChange::new(MeshId(0), 0, per_vertex);
            vertices.iter().for_each(|vertex| change.push(*vertex, &[1], &[1.0]));
            Arc::new(model.with_weights(&[change]).unwrap())
        };
        document.show_edited(repaired(&[2]), false);
        let DocumentWarning { text, is_repaired } = document.current_warning(0);
        assert!(!is_repaired && text.contains("1 of "), "{text}");
        document.show_edited(repaired(&[2, 3]), false);
        assert_eq!(
            (document.current_warning(0), document.current_warning(1)),
            (warning(&lines[0], true), warning(&other, false))
        );
        assert_eq!(document.warnings_that_hold(), 1);
        document.show_edited(Arc::clone(&model), false);
        assert_eq!(document.warnings_that_hold(), 2);
        let all = document.warnings_of(&repaired(&[2, 3]));
        assert_eq!(all, [warning(&lines[0], true), warning(&other, false)]);
    }
}

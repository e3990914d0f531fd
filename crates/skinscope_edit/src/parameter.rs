//! Parameters of operations: what a person can set of one. The panel of tools and the command line read the rows, so that an
//! operation brings what it needs in its own file.

use skinscope_model::NodeId;

use super::Settings;

/// Something of an operation that a person can set. Its slider or field in the panel of tools, its option on the command line,
/// its words and its range come from the row.
#[derive(Debug)]
pub struct Parameter {
    /// The name by which its value is kept where [`Settings`] has no field for it.
    pub id: &'static str,
    /// Its name in the panel of tools.
    pub label: &'static str,
    /// A sentence about it.
    pub help: &'static str,
    /// What it may be.
    pub kind: ParameterKind,
    /// How it is set on the command line.
    pub option: OptionForm,
}

/// What a parameter may be. What is no number, no choice and no joint has a part of the panel for itself.
#[derive(Debug)]
pub enum ParameterKind {
    /// A number.
    Number(NumberKind),
    /// One of a few words.
    Choice(ChoiceKind),
    /// A joint.
    Joint(JointKind),
    /// [`Settings::amount`], and whether other weights follow it ([`Settings::follow`]).
    Amount,
    /// [`Settings::pairs`].
    Pairs,
    /// [`Settings::copied`].
    Copied,
    /// [`Settings::donor`], with [`Settings::names`].
    Donor,
    /// [`Settings::examples`].
    Examples,
    /// [`Settings::pose`]: the pose that is shown when the operation is chosen.
    Pose,
    /// [`Settings::rules`]: all of them when the operation is chosen.
    Rules,
    /// [`Settings::poses`], and whether the weights become a layer.
    Baking,
    /// What of a binding no other parameter says: the numbers of the chosen method, the rules, and the meshes that are bound.
    Binding,
}

/// A number with its range.
#[derive(Debug)]
pub struct NumberKind {
    /// The least and the largest value.
    pub range: [f64; 2],
    /// The ends of the slider; a typed value may lie outside.
    pub slider: [f64; 2],
    /// The value that it has at first.
    pub default: f64,
    /// How many decimals the panel shows; a number without any is a whole one.
    pub decimals: usize,
    /// What such a number is called where another one is refused.
    pub noun: &'static str,
    /// The field of [`Settings`] that has it; `None`: it is one of [`Settings::values`].
    pub kept: Option<Kept<f64>>,
}

/// A choice among a few words.
#[derive(Debug)]
pub struct ChoiceKind {
    /// The words; a choice is the index of one.
    pub words: &'static [ChoiceWord],
    /// The choice that it has at first.
    pub default: usize,
    /// A sentence below the choice; may be empty.
    pub note: &'static str,
    /// The field of [`Settings`] that has it; `None`: it is one of [`Settings::values`].
    pub kept: Option<Kept<usize>>,
}

/// A word that can be chosen.
#[derive(Debug)]
pub struct ChoiceWord {
    /// The word on the command line; empty where the choice is made by saying nothing.
    pub id: &'static str,
    /// The word in the panel.
    pub label: &'static str,
    /// A sentence about it.
    pub help: &'static str,
}

/// A joint.
#[derive(Debug)]
pub struct JointKind {
    /// Whether it is the selected joint when the operation is chosen.
    pub takes_selected: bool,
    /// The field of [`Settings`] that has it.
    pub kept: Kept<Option<NodeId>>,
}

/// A field of [`Settings`].
#[derive(Debug)]
pub struct Kept<T> {
    /// Reads it.
    pub get: fn(&Settings) -> T,
    /// Writes it.
    pub set: fn(&mut Settings, T),
}

/// How a parameter is set on the command line.
#[derive(Debug)]
pub enum OptionForm {
    /// By the value of the operation's own option, alone or with another parameter.
    Value,
    /// By an option of its own.
    Own {
        /// The name of the option.
        name: &'static str,
        /// The name of its value; empty where it is a switch, which makes the last choice.
        value: &'static str,
        /// A sentence that says what it does.
        help: &'static str,
    },
    /// Not by itself.
    None,
}

impl NumberKind {
    /// A number from 0 to 1 that is kept by the id of its parameter; a row replaces what is its own.
    pub const ROW: Self =
        Self { range: [0.0, 1.0], slider: [0.0, 1.0], default: 0.0, decimals: 2, noun: "number", kept: None };
    /// The most joints of a vertex: a whole number, 4 at first.
    pub(super) const INFLUENCES: Self =
        Self { range: [1.0, 255.0], slider: [1.0, 8.0], default: 4.0, decimals: 0, ..Self::ROW };

    /// Returns whether it is a whole number.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.decimals == 0
    }

    /// Returns the nearest number to a value that it may be.
    #[must_use]
    pub fn fitted(&self, value: f64) -> f64 {
        let [least, most] = self.range;
        let value = if value.is_nan() { self.default } else { value };
        let value = if self.is_whole() { value.round() } else { value };
        value.max(least).min(most)
    }
}

impl ChoiceKind {
    /// A choice that is kept by the id of its parameter; a row replaces what is its own.
    pub const ROW: Self = Self { words: &[], default: 0, note: "", kept: None };
}

impl Parameter {
    /// A parameter that is the value of the operation's option; a row replaces what is its own.
    pub const ROW: Self =
        Self { id: "", label: "", help: "", kind: ParameterKind::Number(NumberKind::ROW), option: OptionForm::Value };

    /// Returns the number that it is; 0 where it is none.
    #[must_use]
    pub fn number(&self, settings: &Settings) -> f64 {
        let ParameterKind::Number(kind) = &self.kind else { return 0.0 };
        match &kind.kept {
            Some(kept) => (kept.get)(settings),
            None => kind.fitted(settings.values.get(self.id).copied().unwrap_or(kind.default)),
        }
    }

    /// Makes it the nearest number to a value that it may be.
    pub fn set_number(&self, settings: &mut Settings, value: f64) {
        let ParameterKind::Number(kind) = &self.kind else { return };
        let value = kind.fitted(value);
        match &kind.kept {
            Some(kept) => (kept.set)(settings, value),
            None => _ = settings.values.insert(self.id.to_owned(), value),
        }
    }

    /// Returns which word is chosen; 0 where it is no choice.
    #[must_use]
    pub fn choice(&self, settings: &Settings) -> usize {
        let ParameterKind::Choice(kind) = &self.kind else { return 0 };
        match &kind.kept {
            Some(kept) => (kept.get)(settings),
            None => {
                let chosen = settings.values.get(self.id).map(|value| *value as usize);
                chosen.filter(|chosen| *chosen < kind.words.len()).unwrap_or(kind.default)
            }
        }
    }

    /// Chooses a word.
    pub fn set_choice(&self, settings: &mut Settings, chosen: usize) {
        let ParameterKind::Choice(kind) = &self.kind else { return };
        match &kind.kept {
            Some(kept) => (kept.set)(settings, chosen),
            None => _ = settings.values.insert(self.id.to_owned(), chosen as f64),
        }
    }

    /// Returns the joint that it is.
    #[must_use]
    pub fn joint(&self, settings: &Settings) -> Option<NodeId> {
        let ParameterKind::Joint(kind) = &self.kind else { return None };
        (kind.kept.get)(settings)
    }

    /// Makes it a joint.
    pub fn set_joint(&self, settings: &mut Settings, joint: Option<NodeId>) {
        if let ParameterKind::Joint(kind) = &self.kind {
            (kind.kept.set)(settings, joint);
        }
    }
}

/// The joint that several operations work on.
pub(super) static JOINT: Parameter = Parameter {
    id: "joint",
    label: "Joint",
    help: "The joint whose weights change",
    kind: ParameterKind::Joint(JointKind {
        takes_selected: true,
        kept: Kept { get: |settings| settings.joint, set: |settings, joint| settings.joint = joint },
    }),
    ..Parameter::ROW
};

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::{OPERATIONS, Operation, Sheet, apply};

    static AMOUNT: Parameter = Parameter {
        id: "thin-amount",
        label: "Amount",
        help: "How much of the first joint's weight goes",
        kind: ParameterKind::Number(NumberKind { default: 0.25, ..NumberKind::ROW }),
        ..Parameter::ROW
    };

    static FROM: Parameter = Parameter {
        id: "thin-from",
        label: "From",
        help: "Which end is thinned",
        kind: ParameterKind::Choice(ChoiceKind {
            words: &[
                ChoiceWord { id: "first", label: "First", help: "The first vertex" },
                ChoiceWord { id: "last", label: "Last", help: "The last vertex" },
            ],
            ..ChoiceKind::ROW
        }),
        option: OptionForm::Own { name: "thin-from", value: "END", help: "Thin this end, with --thin" },
    };

    /// An operation with two parameters that no other file knows of.
    static THIN: Operation = Operation {
        id: "thin",
        label: "Thin weights",
        tool: "Thin",
        parameters: &[&AMOUNT, &FROM],
        run: |sheet, settings| {
            let table = &mut sheet.tables[0];
            let row = if FROM.choice(settings) == 0 { 0 } else { table.vertices() - 1 };
            let slot = table.slots(row).max_by(|a, b| table.weights[*a].total_cmp(&table.weights[*b])).unwrap();
            table.weights[slot] *= 1.0 - AMOUNT.number(settings);
            table.touched[row] = true;
        },
        ..Operation::ROW
    };

    #[test]
    fn an_operation_brings_parameters_of_its_own() {
        let model = tube(Tube::default());
        let changed = |settings: &Settings| {
            let mut sheet = Sheet::of(&model);
            let before: Vec<f64> = sheet.tables[0].weights.clone();
            apply(&THIN, &mut sheet, settings);
            let table = &sheet.tables[0];
            let at = (0..before.len()).find(|slot| table.weights[*slot] != before[*slot]).unwrap();
            (at >= before.len() / 2, (1e6 * table.weights[at] / before[at]).round())
        };
        let mut settings = Settings::default();
        assert_eq!(changed(&settings), (false, 750_000.0));
        AMOUNT.set_number(&mut settings, 7.0);
        FROM.set_choice(&mut settings, 1);
        assert_eq!(AMOUNT.number(&settings), 1.0, "a number is kept in its range");
        AMOUNT.set_number(&mut settings, 0.5);
        assert_eq!(changed(&settings), (true, 500_000.0));
        // Their values are written and read back; without any the text is the one that it always was.
        let text = serde_json::to_string(&settings).unwrap();
        assert!(text.ends_with(r#","values":{"thin-amount":0.5,"thin-from":1.0}}"#), "{text}");
        assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings);
        assert!(!serde_json::to_string(&Settings::default()).unwrap().contains("values"));
    }

    #[test]
    fn the_first_value_of_a_parameter_is_that_of_its_row_and_it_is_what_was_set() {
        let usual = Settings::default();
        let mut ids = std::collections::BTreeMap::new();
        for parameter in OPERATIONS.iter().flat_map(|operation| operation.parameters) {
            let known = ids.insert(parameter.id, std::ptr::from_ref(*parameter));
            assert!(known.is_none_or(|known| std::ptr::eq(known, *parameter)), "{} is two", parameter.id);
            let mut settings = usual.clone();
            match &parameter.kind {
                ParameterKind::Number(kind) => {
                    assert_eq!(parameter.number(&usual), kind.default, "{}", parameter.id);
                    let [least, most] = kind.range;
                    assert!(least <= kind.slider[0] && kind.slider[1] <= most, "{}", parameter.id);
                    for (set, becomes) in [(least - 1.0, least), (most + 1.0, most), (f64::NAN, kind.default)] {
                        parameter.set_number(&mut settings, set);
                        assert_eq!(parameter.number(&settings), becomes, "{}", parameter.id);
                    }
                }
                ParameterKind::Choice(kind) => {
                    assert_eq!(parameter.choice(&usual), kind.default, "{}", parameter.id);
                    for chosen in (0..kind.words.len()).rev() {
                        parameter.set_choice(&mut settings, chosen);
                        assert_eq!(parameter.choice(&settings), chosen, "{}", parameter.id);
                    }
                }
                ParameterKind::Joint(_) => {
                    let joint = Some(NodeId(3));
                    parameter.set_joint(&mut settings, joint);
                    assert_eq!((parameter.joint(&usual), parameter.joint(&settings)), (None, joint));
                }
                _ => {}
            }
        }
    }
}

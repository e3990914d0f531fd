//! How weights are looked for: the parameters that all operations have which solve weights from where the surface should be, and how they are
//! solved within the bounds of a sheet.

use skinscope_base::parallel::JobContext;
use skinscope_solve::{Joints, PrimitiveExamples, SolveSettings, Solved, solve_all};
use skinscope_weights::Table;

use super::{ChoiceKind, ChoiceWord, NumberKind, OptionForm, Parameter, ParameterKind, Settings, Sheet};

/// The parameters of an operation that solves weights.
pub(super) struct SearchParameters {
    /// The most joints of a vertex.
    pub most: Parameter,
    /// The joints that a vertex may have.
    pub joints: Parameter,
    /// How strongly the weights of before are kept.
    pub keep: Parameter,
}

/// The joints that a vertex may have, in the order of the words.
const JOINTS: [Joints; 3] = [Joints::Kept, Joints::Near, Joints::All];

/// Makes the parameters of an operation, whose ids and options begin with a prefix.
macro_rules! search_parameters {
    ($prefix:literal, $operation:literal) => {
        SearchParameters {
            most: Parameter {
                id: concat!($prefix, "most"),
                label: "Influences",
                help: "The most joints of a vertex, of which the best are chosen",
                kind: ParameterKind::Number(NumberKind::INFLUENCES),
                option: OptionForm::Own {
                    name: concat!($prefix, "influences"),
                    value: "N",
                    help: concat!("With ", $operation, ": at most N joints for a vertex, 4 without it"),
                },
            },
            joints: Parameter {
                id: concat!($prefix, "joints"),
                label: "Joints",
                help: "The joints that a vertex may have",
                kind: ParameterKind::Choice(ChoiceKind {
                    words: &[
                        ChoiceWord { id: "kept", label: "Own joints", help: "The joints that the vertex has" },
                        ChoiceWord {
                            id: "near",
                            label: "Near joints",
                            help: "Those that the vertex and its neighbours have, and the parents and children of all these",
                        },
                        ChoiceWord { id: "all", label: "All joints", help: "All joints of the skin" },
                    ],
                    default: 1,
                    ..ChoiceKind::ROW
                }),
                option: OptionForm::Own {
                    name: concat!($prefix, "joints"),
                    value: "JOINTS",
                    help: concat!(
                        "With ",
                        $operation,
                        ": among these joints, kept (those that the vertex has), all or, as without it, near"
                    ),
                },
            },
            keep: Parameter {
                id: concat!($prefix, "keep"),
                label: "Keep",
                help: "How strongly the weights of before are kept, against distances that are measured by the size of the surface",
                kind: ParameterKind::Number(NumberKind {
                    range: [0.0, 1.0],
                    slider: [0.0, 0.001],
                    default: 1e-6,
                    decimals: 6,
                    ..NumberKind::ROW
                }),
                option: OptionForm::Own {
                    name: concat!($prefix, "keep"),
                    value: "LAMBDA",
                    help: concat!(
                        "With ",
                        $operation,
                        ": keep the weights of before so strongly, 0 to 1, 1e-6 without it"
                    ),
                },
            },
        }
    };
}

/// Those of the operation that bakes a method into weights.
pub(super) static FOR_METHOD: SearchParameters = search_parameters!("bake-", "--bake-method");

/// Those of the operation that finds weights from example meshes.
pub(super) static FOR_EXAMPLES: SearchParameters = search_parameters!("solve-", "--solve");

impl SearchParameters {
    /// Returns what is set.
    pub fn settings(&self, settings: &Settings) -> SolveSettings {
        let joints = JOINTS.get(self.joints.choice(settings)).copied().unwrap_or_default();
        SolveSettings { most: self.most.number(settings) as usize, joints, keep: self.keep.number(settings) }
    }
}

/// Finds the weights of a sheet from examples, within its bounds. Returns the weights of before, with room for as many joints, and what was done;
/// `None` where the job was cancelled.
pub(super) fn solve(
    sheet: &mut Sheet,
    examples: &[PrimitiveExamples],
    search: &SolveSettings,
    context: &JobContext,
) -> Option<(Vec<Table>, Solved)> {
    let (surfaces, mut before) = (sheet.surfaces().to_vec(), sheet.tables.clone());
    let all = (&surfaces[..], &mut sheet.tables[..]);
    let solved = solve_all(sheet.model, all, examples, &sheet.bounds, search, context)?;
    before.iter_mut().zip(&sheet.tables).for_each(|(old, new)| old.widen(new.per_vertex));
    // What is told is of the weights that there will be.
    sheet.hold(&before, false);
    Some((before, solved))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_looked_for_as_is_set_and_else_as_usual() {
        for (parameters, prefix) in [(&FOR_METHOD, "bake"), (&FOR_EXAMPLES, "solve")] {
            assert_eq!(parameters.settings(&Settings::default()), SolveSettings::default());
            // The names by which values stand in session files and scripts.
            let text = format!(r#"{{"values":{{"{prefix}-most":2,"{prefix}-joints":2,"{prefix}-keep":0.5}}}}"#);
            let settings: Settings = serde_json::from_str(&text).unwrap();
            let set = SolveSettings { most: 2, joints: Joints::All, keep: 0.5 };
            assert_eq!(parameters.settings(&settings), set);
            let options =
                [&parameters.most, &parameters.joints, &parameters.keep].map(|parameter| match parameter.option {
                    OptionForm::Own { name, help, .. } => (name, help.starts_with("With --")),
                    _ => ("", false),
                });
            let named = ["influences", "joints", "keep"].map(|word| format!("{prefix}-{word}"));
            assert!(
                options.iter().zip(&named).all(|((name, is_said), named)| name == named && *is_said),
                "{options:?}"
            );
        }
    }
}

//! The operation that limits how many joints move a vertex.

use skinscope_weights::kernels;

use super::{
    ChoiceKind, ChoiceWord, Group, Kept, Left, NumberKind, Operation, OptionForm, Parameter, ParameterKind, Settings,
    Sheet, best, by_row,
};

/// How many joints of a vertex stay.
static MOST: Parameter = Parameter {
    id: "most-joints",
    label: "Joints",
    help: "How many joints may move a vertex",
    kind: ParameterKind::Number(NumberKind {
        range: [1.0, 65535.0],
        slider: [1.0, 8.0],
        default: 4.0,
        decimals: 0,
        kept: Some(Kept {
            get: |settings| settings.limit as f64,
            set: |settings, value| settings.limit = value as usize,
        }),
        ..NumberKind::ROW
    }),
    ..Parameter::ROW
};

/// How those that stay are chosen.
static BEST: Parameter = Parameter {
    id: "best",
    label: "Joints that stay",
    help: "Which joints of a vertex stay",
    kind: ParameterKind::Choice(ChoiceKind {
        words: &[
            ChoiceWord { id: "largest", label: "Largest", help: "Keep the largest weights" },
            ChoiceWord {
                id: "best",
                label: "Best",
                help: "Keep the joints, and fit the weights, that hold the surface nearest in motion",
            },
        ],
        kept: Some(Kept {
            get: |settings| usize::from(settings.best),
            set: |settings, chosen| settings.best = chosen == 1,
        }),
        ..ChoiceKind::ROW
    }),
    option: OptionForm::Own {
        name: "best",
        value: "",
        help: "Choose joints and weights that keep the surface nearest over the clips and the range of motion, with --limit",
    },
};

/// The operation that keeps only a given number of influences of each vertex.
pub(crate) static LIMIT: Operation = Operation {
    id: "limit",
    label: "Limit influences",
    tool: "Limit",
    icon: "LIST_NUMBERS",
    group: Group::Clean,
    place: 2,
    help: "Keep the N largest joints of every vertex, in its first pairs, and normalise them",
    argument: "N",
    repairs: &["too-many-influences"],
    parameters: &[&MOST, &BEST],
    by_result: true,
    left: |after| Left::locked(after.shares.len() > after.settings.limit),
    run: limit,
    ..Operation::ROW
};

fn limit(sheet: &mut Sheet, settings: &Settings) {
    if settings.best {
        let rows: Vec<Vec<usize>> = sheet.tables.iter().map(|table| (0..table.vertices()).collect()).collect();
        best::choose(sheet, &rows, settings.limit);
    }
    by_row::run(&kernels::LIMIT, sheet, [settings.limit as f64, 0.0, 0.0, 0.0]);
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{MeshId, WeightChange};

    use super::*;
    use crate::apply;

    #[test]
    fn a_locked_joint_stays_among_the_few_however_little_it_weighs() {
        let model = tube(Tube { joints: 12, ..Tube::default() });
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        change.push(5, &[3, 4, 5, 6], &[0.0625, 0.5, 0.25, 0.1875]);
        let edited = model.with_weights(&[change]).unwrap();
        let mut sheet = Sheet::of(&edited);
        let [locked, heaviest] = [3, 4].map(|joint: usize| sheet.tables[0].keys[joint]);
        sheet.bounds.locked.insert(locked);
        apply(&LIMIT, &mut sheet, &Settings { limit: 2, best: false, ..Settings::default() });
        let mut shares = Vec::new();
        sheet.tables[0].shares(5, &mut shares);
        shares.sort_by_key(|(key, _)| *key);
        assert_eq!(shares, [(locked, 0.0625), (heaviest, 0.9375)]);
    }
}

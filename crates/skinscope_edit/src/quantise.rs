//! The operation that changes the format in which weights are stored.

use skinscope_model::WeightFormat;

use super::{ChoiceKind, ChoiceWord, Group, Kept, Operation, Parameter, ParameterKind, Settings, Sheet};

/// The formats, in the order of their words.
const FORMATS: [WeightFormat; 3] = [WeightFormat::U8, WeightFormat::U16, WeightFormat::F32];

/// The format in which weights are rounded.
static FORMAT: Parameter = Parameter {
    id: "format",
    label: "Format",
    help: "How weights are rounded",
    kind: ParameterKind::Choice(ChoiceKind {
        words: &[
            ChoiceWord { id: "u8", label: "u8", help: "Round as u8 does" },
            ChoiceWord { id: "u16", label: "u16", help: "Round as u16 does" },
            ChoiceWord { id: "f32", label: "f32", help: "Round as f32 does" },
        ],
        note: "Weights are rounded here; the type in which the file stores them stays.",
        kept: Some(Kept {
            get: |settings| FORMATS.iter().position(|format| *format == settings.format).unwrap_or_default(),
            set: |settings, chosen| settings.format = FORMATS.get(chosen).copied().unwrap_or(settings.format),
        }),
        ..ChoiceKind::ROW
    }),
    ..Parameter::ROW
};

/// The operation that changes the format in which weights are stored.
pub(crate) static QUANTISE: Operation = Operation {
    id: "quantise",
    label: "Quantise weights",
    tool: "Round",
    icon: "HASH",
    group: Group::Clean,
    place: 3,
    help: "Store all weights as u8, u16 or f32; integers sum exactly to 255 or 65535, the largest remainders are rounded up",
    argument: "TYPE",
    parameters: &[&FORMAT],
    by_result: true,
    rounds: true,
    run: quantise,
    ..Operation::ROW
};

fn quantise(sheet: &mut Sheet, settings: &Settings) {
    for table in &mut sheet.tables {
        table.formats.fill(settings.format);
        if settings.format != WeightFormat::F32 {
            table.touched.fill(true);
        }
    }
}

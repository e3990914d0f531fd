//! The operation that changes the format in which weights are stored.

use skinscope_model::WeightFormat;

use super::{Group, Operation, Setting, Settings, Sheet};

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
    settings: &[Setting::Format],
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

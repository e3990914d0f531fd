//! The operation that changes the format in which weights are stored.

use skinscope_model::WeightFormat;

use super::{Operation, Settings, Sheet};

/// The operation that changes the format in which weights are stored.
pub static QUANTISE: Operation = Operation {
    id: "quantise",
    label: "Quantise weights",
    tool: "Round",
    help: "Store all weights as u8, u16 or f32; integers sum exactly to 255 or 65535, the largest remainders are rounded up",
    argument: "TYPE",
    repairs: &[],
    run: quantise,
};

fn quantise(sheet: &mut Sheet, settings: &Settings) {
    for table in &mut sheet.tables {
        table.formats.fill(settings.format);
        if settings.format != WeightFormat::F32 {
            table.touched.fill(true);
        }
    }
}

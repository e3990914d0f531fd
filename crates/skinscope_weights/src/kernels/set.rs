//! The weight of one joint, as it is typed or painted.

use crate::{Amount, Arguments, Kernel, Reads, Write, shares_given};

/// Gives a joint a weight; the others follow. The settings are those of [`set_arguments`].
pub static SET: Kernel = Kernel {
    id: "set",
    reads: Reads::Row,
    write: Write::AsGiven,
    run: |around, out| {
        let [key, kind, number, follow] = around.arguments;
        let amount = match kind as u8 {
            0 => Amount::To(number),
            1 => Amount::Add(number),
            _ => Amount::Times(number),
        };
        shares_given(around, &[(key as u32, amount)], follow != 0.0, out)
    },
};

/// Returns the settings of [`SET`]: the key of the joint, its weight, and whether the other joints of a vertex follow.
#[must_use]
pub fn set_arguments(key: u32, amount: Amount, follow: bool) -> Arguments {
    let (kind, number) = match amount {
        Amount::To(number) => (0.0, number),
        Amount::Add(number) => (1.0, number),
        Amount::Times(number) => (2.0, number),
    };
    [f64::from(key), kind, number, f64::from(u8::from(follow))]
}

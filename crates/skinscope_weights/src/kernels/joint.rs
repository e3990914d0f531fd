//! The weight of one joint, taken off.

use crate::{Change, Kernel, Reads, Wish, Write};

/// Takes the joint of the first setting off a vertex. The joint that the vertex is given takes its weight; with the second setting, 1, or where
/// none is given, the others share it in their proportions, and the given one takes it where there is no other. A vertex that nothing else can
/// move keeps the joint.
pub static TAKE: Kernel = Kernel {
    id: "take",
    reads: Reads::Row,
    write: Write::Keep,
    run: |around, out| {
        let [key, spread, ..] = around.arguments;
        out.extend(around.own.iter().filter(|(own, _)| f64::from(*own) != key));
        let Some((_, weight)) = around.own.iter().find(|(own, _)| f64::from(*own) == key) else { return Wish::SAME };
        let heir = around.given.shares.first().filter(|_| spread == 0.0 || out.is_empty());
        match heir {
            Some((heir, _)) => match out.iter_mut().find(|(own, _)| own == heir) {
                Some((_, sum)) => *sum += weight,
                None => out.push((*heir, *weight)),
            },
            None if out.is_empty() => {
                out.extend_from_slice(around.own);
                return Wish { change: Change::Stuck, ..Wish::SAME };
            }
            None => {}
        }
        Wish::CHANGED
    },
};

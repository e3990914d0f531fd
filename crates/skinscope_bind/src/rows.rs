//! The shares of all places while they are worked on.

/// For each place joints and shares, largest first.
pub type Rows = Vec<Vec<(u32, f64)>>;

/// Shares below this part of the whole are left out.
const NOTHING: f64 = 1e-6;

/// Sorts a row by share, of equal ones by joint, and leaves out what is nothing or no number. Each joint has one share.
pub fn sort(row: &mut Vec<(u32, f64)>) {
    row.retain(|(_, share)| *share > 0.0 && share.is_finite());
    row.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
}

/// Keeps the `most` largest shares and divides them by their sum. Returns false where there are none.
pub fn finish(row: &mut Vec<(u32, f64)>, most: usize) -> bool {
    sort(row);
    let whole: f64 = row.iter().map(|(_, share)| share).sum();
    row.truncate(most);
    row.retain(|(_, share)| *share > NOTHING * whole);
    let sum: f64 = row.iter().map(|(_, share)| share).sum();
    if !(sum > 0.0 && sum.is_finite()) {
        row.clear();
        return false;
    }
    row.iter_mut().for_each(|(_, share)| *share /= sum);
    true
}

/// Returns the sum of rows, each times its factor, sorted.
pub fn sum<'r>(parts: impl Iterator<Item = (&'r [(u32, f64)], f64)>) -> Vec<(u32, f64)> {
    let mut out: Vec<(u32, f64)> = Vec::new();
    for (row, factor) in parts {
        for (joint, share) in row {
            match out.iter_mut().find(|(other, _)| other == joint) {
                Some((_, sum)) => *sum += share * factor,
                None => out.push((*joint, share * factor)),
            }
        }
    }
    sort(&mut out);
    out
}

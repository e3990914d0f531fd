//! The shares of all places while they are worked on.

/// For each place joints and shares, largest first.
pub type Rows = Vec<Vec<(u32, f64)>>;

/// Shares below the first become nothing, and from the second on they stay.
const PRUNED: [f64; 2] = [0.025, 0.05];
/// Shares that differ by no more are equal.
const TIE: f64 = 1e-9;

/// Sorts a row by share, of equal ones by joint, and leaves out what is nothing or no number. Each joint has one share.
pub fn sort(row: &mut Vec<(u32, f64)>) {
    row.retain(|(_, share)| *share > 0.0 && share.is_finite());
    row.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
}

/// Divides the shares by their sum and sorts them. Returns false where there are none.
pub fn normalise(row: &mut Vec<(u32, f64)>) -> bool {
    sort(row);
    // From the smallest on, so that the sum does not depend on which joint comes first.
    let sum: f64 = row.iter().rev().map(|(_, share)| share).sum();
    if !(sum > 0.0 && sum.is_finite()) {
        row.clear();
        return false;
    }
    row.iter_mut().for_each(|(_, share)| *share /= sum);
    true
}

/// Takes away shares that are hardly seen, gradually, so that a row that is nearly the same becomes nearly the same.
pub fn prune(row: &mut Vec<(u32, f64)>) {
    let [none, all] = PRUNED;
    let pruned = |share: f64| if share < all { (share - none).max(0.0) * all / (all - none) } else { share };
    if row.iter().any(|(_, share)| *share >= all) {
        row.iter_mut().for_each(|(_, share)| *share = pruned(*share));
        normalise(row);
    }
}

/// Keeps the `most` largest shares of a row that is sorted. Those that tie with what is left out are left out too, unless nothing would stay,
/// so that left and right are treated alike.
pub fn limit(row: &mut Vec<(u32, f64)>, most: usize) {
    if let Some((_, next)) = row.get(most).copied() {
        row.truncate(most);
        let ties = row.iter().rev().take_while(|(_, share)| *share <= next + TIE).count();
        if ties < row.len() {
            row.truncate(row.len() - ties);
        }
        normalise(row);
    }
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

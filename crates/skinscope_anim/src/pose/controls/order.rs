//! The order in which controls are computed, and the cycles among them.

use std::collections::BTreeSet;

/// The order in which controls are computed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Order {
    /// The controls that act, each after those that it reads.
    pub acting: Vec<usize>,
    /// For each control that is part of a cycle: the cycle that begins and ends with it, each control before the one
    /// that reads it.
    pub cycles: Vec<Option<Vec<usize>>>,
}

/// Orders controls; `needs` has for each the controls whose values it reads. Those of a cycle do not act; those that
/// only read one of a cycle do.
pub(super) fn order(needs: &[Vec<usize>]) -> Order {
    let cycles: Vec<Option<Vec<usize>>> = {
        let open = possible(needs);
        (0..needs.len()).map(|i| open[i].then(|| cycle(needs, &open, i)).flatten()).collect()
    };
    let mut missing: Vec<usize> = vec![0; needs.len()];
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
    let acts = |i: &usize| cycles[*i].is_none();
    for i in (0..needs.len()).filter(acts) {
        for needed in needs[i].iter().filter(|needed| acts(needed)) {
            readers[*needed].push(i);
            missing[i] += 1;
        }
    }
    let mut ready: BTreeSet<usize> = (0..needs.len()).filter(|i| acts(i) && missing[*i] == 0).collect();
    let mut acting = Vec::new();
    while let Some(next) = ready.pop_first() {
        acting.push(next);
        for reader in &readers[next] {
            missing[*reader] -= 1;
            if missing[*reader] == 0 {
                ready.insert(*reader);
            }
        }
    }
    Order { acting, cycles }
}

/// Returns for each control whether it may be part of a cycle: what is left once those are taken away, again and again, that read
/// nothing of the rest.
fn possible(needs: &[Vec<usize>]) -> Vec<bool> {
    let mut open = vec![true; needs.len()];
    loop {
        let done: Vec<usize> =
            (0..needs.len()).filter(|i| open[*i] && !needs[*i].iter().any(|needed| open[*needed])).collect();
        if done.is_empty() {
            return open;
        }
        done.iter().for_each(|i| open[*i] = false);
    }
}

/// Returns the shortest cycle through a control, each before the one that reads it; `None` where it is part of none.
fn cycle(needs: &[Vec<usize>], open: &[bool], start: usize) -> Option<Vec<usize>> {
    let mut read_by: Vec<Option<usize>> = vec![None; needs.len()];
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(i) = queue.pop_front() {
        for needed in needs[i].iter().copied().filter(|needed| open[*needed]) {
            if read_by[needed].is_some() {
                continue;
            }
            read_by[needed] = Some(i);
            if needed == start {
                // From the start to the one that reads it, and on.
                let mut out = vec![start];
                let mut at = read_by[start]?;
                while at != start {
                    out.push(at);
                    at = read_by[at]?;
                }
                out.push(start);
                return Some(out);
            }
            queue.push_back(needed);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_comes_after_those_that_it_reads() {
        let found = order(&[vec![2], vec![], vec![1, 3], vec![1]]);
        assert_eq!(found, Order { acting: vec![1, 3, 2, 0], cycles: vec![None; 4] });
    }

    /// Control 4 lies between two cycles, 5 reads one of them, and 6 reads itself.
    #[test]
    fn cycles_are_named_and_what_reads_them_acts() {
        let found = order(&[vec![1], vec![0], vec![3], vec![2, 4], vec![0], vec![3], vec![6]]);
        assert_eq!(found.acting, [4, 5]);
        let named = |i: usize| found.cycles[i].clone();
        assert_eq!(named(0), Some(vec![0, 1, 0]));
        assert_eq!(named(3), Some(vec![3, 2, 3]));
        assert_eq!(named(6), Some(vec![6, 6]));
        assert_eq!([4, 5].map(named), [None, None]);
        // 0 reads 2, which reads 1, which reads 0: 0 goes to 1, 1 to 2, 2 to 0.
        assert_eq!(order(&[vec![2], vec![0], vec![1]]).cycles[0], Some(vec![0, 1, 2, 0]));
    }
}

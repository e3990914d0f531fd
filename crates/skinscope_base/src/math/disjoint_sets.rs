//! Disjoint sets of indices that are merged step by step (union–find).

/// Disjoint sets of the indices 0 to `count` − 1 (union–find: union by the lower root, with path halving).
#[derive(Clone, Debug)]
pub struct DisjointSets(Vec<u32>);

impl DisjointSets {
    /// Makes `count` sets of one index each.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    /// Returns the least index of the set that contains `at`.
    pub fn root(&mut self, mut at: u32) -> u32 {
        while self.0[at as usize] != at {
            let above = self.0[self.0[at as usize] as usize];
            self.0[at as usize] = above;
            at = above;
        }
        at
    }

    /// Merges the set that contains `a` with the set that contains `b`.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// Returns for each index the number of its set, and how many sets there are. Sets are numbered in the order of
    /// their least indices.
    #[must_use]
    pub fn numbered(mut self) -> (Vec<u32>, usize) {
        let mut count = 0;
        let mut out = vec![0; self.0.len()];
        for i in 0..self.0.len() as u32 {
            // The root is the lowest number of its set, so it has been numbered already.
            let root = self.root(i);
            if root == i {
                out[i as usize] = count;
                count += 1;
            } else {
                out[i as usize] = out[root as usize];
            }
        }
        (out, count as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_numbers_are_one_set_in_the_order_of_the_least() {
        let mut sets = DisjointSets::new(7);
        for (a, b) in [(5, 1), (6, 5), (4, 2), (1, 6)] {
            sets.join(a, b);
        }
        assert_eq!(sets.numbered(), (vec![0, 1, 2, 3, 2, 1, 1], 4));
        assert_eq!(DisjointSets::new(0).numbered(), (Vec::new(), 0));
    }
}

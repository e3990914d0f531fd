//! A binary tree of boxes (bounding volume hierarchy) around items in space, such as points or triangles.

use glam::{DVec3, Vec3};

/// So many items are not divided any further.
const LEAF: u32 = 4;

/// A box by its least and its greatest corner.
type Bounds = [DVec3; 2];

/// A bounding volume hierarchy over items that are named by their indices. Items can be removed.
#[derive(Clone, Debug, Default)]
pub struct BoxTree {
    /// The numbers of the items: those of a leaf stand together.
    order: Vec<u32>,
    /// The nodes, the root first; there are none where there is no item.
    nodes: Vec<Node>,
}

/// A box around some items: a leaf, which lists them, or a node with two children.
#[derive(Clone, Debug)]
struct Node {
    bounds: Bounds,
    is_leaf: bool,
    /// The first item of a leaf in [`BoxTree::order`], or the first child in [`BoxTree::nodes`], after which the other follows.
    first: u32,
    /// How many items are in it.
    count: u32,
}

impl BoxTree {
    /// Makes a tree of the items with these boxes; item `i` has `boxes[i]`. Items whose boxes are not finite are never
    /// found.
    #[must_use]
    pub fn new(boxes: &[Bounds]) -> Self {
        let is_finite = |i: &u32| boxes[*i as usize].iter().all(|p| p.is_finite());
        let order: Vec<u32> = (0..boxes.len() as u32).filter(is_finite).collect();
        let mut out = Self { order, nodes: Vec::new() };
        if !out.order.is_empty() {
            let all = out.leaf(boxes, 0, out.order.len() as u32);
            out.nodes.push(all);
            out.divide(boxes, 0);
        }
        out
    }

    /// Makes a tree of points; item `i` is the `i`-th point.
    #[must_use]
    pub fn of_points(points: impl Iterator<Item = Vec3>) -> Self {
        Self::new(&points.map(|p| [p.as_dvec3(); 2]).collect::<Vec<_>>())
    }

    /// Returns a leaf of `count` items of the order.
    fn leaf(&self, boxes: &[Bounds], first: u32, count: u32) -> Node {
        let all = self.order[first as usize..(first + count) as usize].iter().map(|i| boxes[*i as usize]);
        let start = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let bounds = all.fold(start, |[low, high], [min, max]| [low.min(min), high.max(max)]);
        Node { bounds, is_leaf: true, first, count }
    }

    /// Divides a leaf by the middle item along its longest side, and both halves likewise. Half of the items are in each, so that this
    /// goes no deeper than their count has bits.
    fn divide(&mut self, boxes: &[Bounds], node: u32) {
        let Node { bounds: [low, high], first, count, .. } = self.nodes[node as usize];
        if count <= LEAF {
            return;
        }
        let axis = (high - low).max_position();
        let middle = |i: &u32| boxes[*i as usize].iter().map(|p| p[axis]).sum::<f64>();
        let by_middle = |a: &u32, b: &u32| middle(a).total_cmp(&middle(b)).then(a.cmp(b));
        let half = count / 2;
        self.order[first as usize..(first + count) as usize].select_nth_unstable_by(half as usize, by_middle);
        let children =
            [(first, half), (first + half, count - half)].map(|(first, count)| self.leaf(boxes, first, count));
        let start = self.nodes.len() as u32;
        self.nodes.extend(children);
        let divided = &mut self.nodes[node as usize];
        (divided.is_leaf, divided.first) = (false, start);
        self.divide(boxes, start);
        self.divide(boxes, start + 1);
    }

    /// Visits items by their indices, those in nearer boxes first, as long as their boxes are no farther from `point`
    /// than the distance that `visit` returned last. To find the nearest item, `visit` returns the least distance so
    /// far; to find all items within a distance, it always returns that one. Distances are in the unit of the boxes.
    /// None is visited where `point` is not finite.
    pub fn nearest(&self, point: DVec3, mut visit: impl FnMut(u32) -> f64) {
        let mut least = f64::INFINITY;
        let mut open: Vec<(f64, u32)> = Vec::new();
        let distance = |node: u32| {
            let [low, high] = self.nodes[node as usize].bounds;
            point.clamp(low, high).distance(point)
        };
        if point.is_finite() && !self.nodes.is_empty() {
            open.push((distance(0), 0));
        }
        while let Some((near, node)) = open.pop() {
            let Node { is_leaf, first, count, .. } = self.nodes[node as usize];
            if near > least || count == 0 {
                continue;
            }
            if is_leaf {
                for item in &self.order[first as usize..(first + count) as usize] {
                    least = visit(*item);
                }
            } else {
                let [a, b] = [first, first + 1].map(|child| (distance(child), child));
                // The nearer one is looked at first.
                open.extend(if a.0 >= b.0 { [a, b] } else { [b, a] });
            }
        }
    }

    /// Whether `found` returns true for an item in one of those boxes that `meets` accepts. It ends with the first such item. `meets` has to
    /// accept every box that contains a box that it accepts.
    pub fn any(&self, meets: &impl Fn(Bounds) -> bool, found: &mut impl FnMut(u32) -> bool) -> bool {
        // The depth is the logarithm of the number of items, and each step down leaves one node open.
        let mut open = [0_u32; 64];
        let mut count = usize::from(!self.nodes.is_empty());
        while count > 0 {
            count -= 1;
            let node = &self.nodes[open[count] as usize];
            if node.count == 0 || !meets(node.bounds) {
                continue;
            }
            if !node.is_leaf {
                open[count..count + 2].copy_from_slice(&[node.first + 1, node.first]);
                count += 2;
            } else if self.order[node.first as usize..(node.first + node.count) as usize].iter().any(|i| found(*i)) {
                return true;
            }
        }
        false
    }

    /// Visits the indices of all items in those boxes that `meets` accepts, and removes each item for which `keep`
    /// returns false. `meets` has to accept every box that contains a box that it accepts.
    pub fn retain(&mut self, meets: &impl Fn(Bounds) -> bool, keep: &mut impl FnMut(u32) -> bool) {
        if !self.nodes.is_empty() {
            self.descend(0, meets, keep);
        }
    }

    /// Does the search below one node; returns how many items were removed. The depth is the logarithm of the number of items.
    fn descend(&mut self, node: u32, meets: &impl Fn(Bounds) -> bool, keep: &mut impl FnMut(u32) -> bool) -> u32 {
        let Node { bounds, is_leaf, first, count } = self.nodes[node as usize];
        if count == 0 || !meets(bounds) {
            return 0;
        }
        let mut removed = 0;
        if is_leaf {
            for at in (first..first + count).rev() {
                if !keep(self.order[at as usize]) {
                    removed += 1;
                    self.order.swap(at as usize, (first + count - removed) as usize);
                }
            }
        } else {
            removed = self.descend(first, meets, keep) + self.descend(first + 1, meets, keep);
        }
        self.nodes[node as usize].count -= removed;
        removed
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_random::Random;
    use super::*;

    /// Makes boxes in the cube from -1 to 1, of different sizes; one is nowhere.
    fn boxes(random: &mut Random, count: usize) -> Vec<Bounds> {
        let mut one = || {
            let (low, size) = (random.vector().as_dvec3(), 0.1 * f64::from(random.unit()));
            [low, low + size]
        };
        let mut out: Vec<Bounds> = (0..count).map(|_| one()).collect();
        out[count / 2][1].y = f64::NAN;
        out
    }

    fn distance([low, high]: Bounds, point: DVec3) -> f64 {
        point.clamp(low, high).distance(point)
    }

    #[test]
    fn the_nearest_item_and_all_within_a_distance_are_found() {
        let mut random = Random(3);
        let boxes = boxes(&mut random, 500);
        let tree = BoxTree::new(&boxes);
        let finite = || (0..500).filter(|i| *i != 250);
        for _ in 0..200 {
            let point = random.vector().as_dvec3() * 1.2;
            let (mut least, mut visits) = (f64::INFINITY, 0);
            tree.nearest(point, |i| {
                visits += 1;
                least = least.min(distance(boxes[i as usize], point));
                least
            });
            assert_eq!(least, finite().map(|i| distance(boxes[i], point)).fold(f64::INFINITY, f64::min));
            assert!(visits < 100, "{visits} of 500 items were visited");
            let mut within = Vec::new();
            tree.nearest(point, |i| {
                within.extend(Some(i as usize).filter(|i| distance(boxes[*i], point) <= 0.2));
                0.2
            });
            within.sort_unstable();
            assert_eq!(within, finite().filter(|i| distance(boxes[*i], point) <= 0.2).collect::<Vec<_>>());
        }
        tree.nearest(DVec3::NAN, |_| panic!("nothing is near nowhere"));
        BoxTree::new(&[]).nearest(DVec3::ZERO, |_| panic!("there are none"));
    }

    #[test]
    fn whether_any_item_is_in_some_boxes_is_found_without_visiting_all() {
        let mut random = Random(7);
        let boxes = boxes(&mut random, 400);
        let tree = BoxTree::new(&boxes);
        for _ in 0..100 {
            let point = random.vector().as_dvec3();
            let meets = |bounds: Bounds| distance(bounds, point) <= 0.2;
            let mut all: Vec<usize> = Vec::new();
            let none = tree.any(&meets, &mut |i| {
                all.extend(Some(i as usize).filter(|i| meets(boxes[*i])));
                false
            });
            all.sort_unstable();
            assert_eq!(all, (0..400).filter(|i| *i != 200 && meets(boxes[*i])).collect::<Vec<_>>());
            assert!(!none && tree.any(&meets, &mut |i| meets(boxes[i as usize])) != all.is_empty());
        }
        assert!(!BoxTree::default().any(&|_| true, &mut |_| true));
    }

    #[test]
    fn items_in_some_boxes_are_visited_until_they_are_removed() {
        let mut random = Random(5);
        let boxes = boxes(&mut random, 300);
        let mut tree = BoxTree::new(&boxes);
        let mut gone = vec![false; 300];
        for _ in 0..100 {
            let point = random.vector().as_dvec3();
            let meets = |bounds: Bounds| distance(bounds, point) <= 0.5;
            let mut visited = vec![false; 300];
            tree.retain(&meets, &mut |i| {
                assert!(!gone[i as usize] && !std::mem::replace(&mut visited[i as usize], true));
                i % 7 != 0 || !meets(boxes[i as usize])
            });
            for (i, bounds) in boxes.iter().enumerate().filter(|(i, b)| *i != 150 && meets(**b)) {
                assert!(visited[i] || gone[i], "{i}");
                gone[i] |= i % 7 == 0;
                assert!(bounds[0].is_finite());
            }
        }
        assert!(gone.iter().any(|g| *g));
        tree.nearest(DVec3::ZERO, |i| {
            assert!(!gone[i as usize]);
            9.0
        });
        BoxTree::default().retain(&|_| true, &mut |_| panic!("there are none"));
    }
}

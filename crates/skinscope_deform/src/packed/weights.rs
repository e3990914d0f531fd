//! Packs weights into 8 or 16 bits where that is exact or nearly so: their sum stays the same, none of them becomes
//! zero, and little weight moves from one joint to another.

use glam::{BVec4A, Vec4, Vec4Swizzles};
use skinscope_model::{InfluencesRef, WeightFormat};

/// The packed form of the weights of a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WeightBits {
    /// Normalised integers of 8 bits; exact.
    Eight,
    /// Normalised integers of 16 bits; exact, or within [`MOST_MOVED`].
    Sixteen,
    /// Floats, as the file has them.
    Float,
}

/// The largest share of a vertex's weight that 16 bits may move to other joints: two steps. The vertex then moves by at
/// most this share of the size of the box around the positions to which its joints alone would move it.
pub const MOST_MOVED: f32 = 2.0 / ONE;

/// The integer that stands for a weight of one.
const ONE: f32 = 65_535.0;
/// By how many steps a sum of weights may differ from a whole number of steps; adding floats leaves such errors.
const SUM_TOLERANCE: f32 = 0.02;
/// How far (in steps) below a whole number of steps a weight still counts as that number.
const WHOLE: f32 = 1.0 / 64.0;

/// Returns the bits that the weights need, and the largest share of weight that one vertex then moves to other joints.
/// `vertices` are the vertices of the primitive.
pub fn needed(influences: &InfluencesRef<'_>, vertices: std::ops::Range<usize>) -> (WeightBits, f32) {
    let mut bits = if stored_in_8_bits(influences) { WeightBits::Eight } else { WeightBits::Sixteen };
    let mut most = 0.0_f32;
    for vertex in vertices {
        let weights = used(influences, vertex).map(|(_, weight)| weight);
        if bits == WeightBits::Eight && weights.clone().all(is_8_bit) {
            continue;
        }
        bits = WeightBits::Sixteen;
        let mut four = [0.0; 4];
        four.iter_mut().zip(weights).for_each(|(to, weight)| *to = weight);
        match in_steps(four) {
            Some((_, moved)) => most = most.max(moved),
            None => return (WeightBits::Float, 0.0),
        }
    }
    (bits, most)
}

/// Returns the pairs of a vertex with a weight, in stored order.
pub fn used(influences: &InfluencesRef<'_>, vertex: usize) -> impl Iterator<Item = (u16, f32)> + Clone {
    let (joints, weights) = influences.of(vertex);
    joints.iter().copied().zip(weights.iter().copied()).filter(|(_, weight)| *weight != 0.0)
}

/// Adds up the weights that belong to one joint; the joints are then rising.
pub fn merged(mut all: Vec<(u16, f32)>) -> Vec<(u16, f32)> {
    all.sort_by_key(|(joint, _)| *joint);
    all.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0.0 };
        same
    });
    all
}

/// Does the same as [`used`], but lists all pairs of one joint together, where the first of them is, so that a shader
/// that reads them one by one can add up the weight of a joint. Few files name a joint twice.
pub(crate) fn used_by_joint(influences: &InfluencesRef<'_>, vertex: usize) -> impl Iterator<Item = (u16, f32)> + Clone {
    let (joints, weights) = influences.of(vertex);
    let is_repeated = move |i: usize| weights[i] != 0.0 && (0..i).any(|k| joints[k] == joints[i] && weights[k] != 0.0);
    let repeats = (1..joints.len()).any(is_repeated);
    let firsts = (0..joints.len()).filter(move |i| weights[*i] != 0.0 && !(repeats && is_repeated(*i)));
    firsts.flat_map(move |first| {
        let end = if repeats { joints.len() } else { first + 1 };
        let same = (first..end).filter(move |i| joints[*i] == joints[first] && weights[*i] != 0.0);
        same.map(move |i| (joints[i], weights[i]))
    })
}

/// The pairs of a vertex that has four at most, in the order of [`used_by_joint`]. Beyond `count` joints and weights are zero,
/// and slots are any.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FourInfluences {
    /// The slot of the vertex in which each pair stands.
    pub slots: [usize; 4],
    pub joints: [u16; 4],
    pub weights: [f32; 4],
    pub count: usize,
}

/// Does the same as [`used_by_joint`] for four pairs at most. Packing calls this for every vertex, so it is written
/// without the general iterator.
#[inline]
pub(crate) fn four_by_joint(influences: &InfluencesRef<'_>, vertex: usize) -> FourInfluences {
    let (joints, weights) = influences.of(vertex);
    let four = <[u16; 4]>::try_from(joints).ok().zip(<[f32; 4]>::try_from(weights).ok());
    four.and_then(|(joints, weights)| in_order(joints, weights)).unwrap_or_else(|| ordered(joints, weights))
}

/// Returns four stored pairs as they are, if their order is that of [`used_by_joint`] and those without weight are the
/// last; nearly all vertices are stored so.
#[inline]
fn in_order([a, b, c, d]: [u16; 4], weights: [f32; 4]) -> Option<FourInfluences> {
    let has = weights.map(|weight| weight != 0.0);
    let gap = !has[0] & has[1] | !has[1] & has[2] | !has[2] & has[3];
    // A joint comes again after another one.
    let again = has[2] & (a == c) & (b != c) | has[3] & ((a == d) | (b == d)) & (c != d);
    let kept = |i: usize, joint: u16| if has[i] { joint } else { 0 };
    (!(gap | again)).then(|| FourInfluences {
        slots: [0, 1, 2, 3],
        joints: [kept(0, a), kept(1, b), kept(2, c), kept(3, d)],
        // −0 becomes 0.
        weights: weights.map(|weight| weight + 0.0),
        count: has.iter().map(|has| usize::from(*has)).sum(),
    })
}

#[cold]
fn ordered(joints: &[u16], weights: &[f32]) -> FourInfluences {
    let mut out = FourInfluences::default();
    for (slot, (joint, weight)) in joints.iter().zip(weights).enumerate() {
        if *weight != 0.0 && out.count < 4 {
            let i = out.count;
            (out.slots[i], out.joints[i], out.weights[i]) = (slot, *joint, *weight);
            out.count += 1;
        }
    }
    for i in 2..out.count {
        // A pair goes behind the last one before it that has the same joint; those between move up.
        if let Some(same) = (0..i - 1).rfind(|k| out.joints[*k] == out.joints[i] && out.joints[i - 1] != out.joints[i])
        {
            out.slots[same + 1..=i].rotate_right(1);
            out.joints[same + 1..=i].rotate_right(1);
            out.weights[same + 1..=i].rotate_right(1);
        }
    }
    out
}

/// Writes the weights of a vertex, at most four of which are not zero, as 16 bits represent them, each to its slot.
pub fn rounded(influences: &InfluencesRef<'_>, vertex: usize, out: &mut [f32]) {
    let four = four_by_joint(influences, vertex);
    let steps = in_steps(four.weights).map_or([0; 4], |(steps, _)| steps);
    for i in 0..four.count {
        out[four.slots[i]] = f32::from(steps[i]) / ONE;
    }
}

/// Returns whether all weights are stored as integers of 8 bits.
pub(crate) fn stored_in_8_bits(influences: &InfluencesRef<'_>) -> bool {
    influences.format == WeightFormat::U8 && influences.formats.iter().all(|f| *f == WeightFormat::U8)
}

fn is_8_bit(weight: f32) -> bool {
    (0.0..=1.0).contains(&weight) && f32::from(in_8_bits(weight)) / 255.0 == weight
}

/// Rounds a weight that needs no more than 8 bits.
pub(crate) fn in_8_bits(weight: f32) -> u8 {
    (weight * 255.0 + 0.5) as u8
}

/// Rounds four weights to steps of 1/65535, and also returns the share that moved to other joints. `None` where that is
/// too much, or the sum is no whole number of steps. Every weight loses its fraction of a step, and those with the
/// largest fractions get the steps that the sum then lacks.
///
/// Packing calls this several times for every vertex of a large mesh, so it works on all four weights at once.
pub(crate) fn in_steps(weights: [f32; 4]) -> Option<([u16; 4], f32)> {
    let weights = Vec4::from_array(weights);
    if !(weights.cmpge(Vec4::ZERO) & weights.cmple(Vec4::ONE)).all() {
        return None;
    }
    let exact = weights * ONE;
    let sum = sum_of(exact);
    // No weight is negative, so that truncating rounds down; the conversion is an instruction where `trunc` is a call.
    let whole = (sum + 0.5) as i32 as f32;
    if (sum - whole).abs() > SUM_TOLERANCE {
        return None;
    }
    // A weight that is there does not vanish, however small it is. Steps are whole numbers, which floats add exactly.
    let least = one_where(weights.cmpgt(Vec4::ZERO));
    let mut steps = (exact + WHOLE).trunc().max(least);
    let mut lost = exact - steps;
    let lacks = whole - sum_of(steps);
    if lacks > 0.0 {
        // Each lost less than one step, so none gets two back, and none without weight lost anything.
        let gains = one_where(ranks(lost).cmplt(Vec4::splat(lacks)));
        steps += gains;
        lost -= gains;
    } else if lacks < 0.0 {
        (steps, lost) = taken_back(steps, lost, -lacks as u32)?;
    }
    let gained = sum_of((-lost).max(Vec4::ZERO));
    (gained <= 2.0).then(|| (steps.to_array().map(|w| w as u16), gained / ONE))
}

/// Takes steps away again, one by one, each from the weight that then has gained least.
#[cold]
fn taken_back(steps: Vec4, lost: Vec4, count: u32) -> Option<(Vec4, Vec4)> {
    let (mut steps, mut lost) = (steps.to_array(), lost.to_array());
    for _ in 0..count {
        let least = (0..4).filter(|i| steps[*i] > 1.0).min_by(|a, b| lost[*a].total_cmp(&lost[*b]))?;
        steps[least] -= 1.0;
        lost[least] += 1.0;
    }
    Some((Vec4::from_array(steps), Vec4::from_array(lost)))
}

/// Returns for each number how many of the others come before it in descending order; of equal ones the first comes first.
fn ranks(numbers: Vec4) -> Vec4 {
    let before = |others: Vec4, is_first: [bool; 4]| {
        let equal = others.cmpeq(numbers) & BVec4A::from_array(is_first);
        one_where(others.cmpgt(numbers) | equal)
    };
    before(numbers.yzwx(), [false, false, false, true])
        + before(numbers.zwxy(), [false, false, true, true])
        + before(numbers.wxyz(), [false, true, true, true])
}

fn one_where(mask: BVec4A) -> Vec4 {
    Vec4::select(mask, Vec4::ONE, Vec4::ZERO)
}

/// Adds the numbers from the first to the last.
fn sum_of(numbers: Vec4) -> f32 {
    numbers.x + numbers.y + numbers.z + numbers.w
}

#[cfg(test)]
mod tests {
    use skinscope_model::Influences;

    use super::*;

    fn influences(weights: &[[f32; 4]], format: WeightFormat) -> Influences {
        let joints = vec![0; weights.len() * 4];
        Influences { per_vertex: 4, joints, weights: weights.as_flattened().to_vec(), format, ..Influences::default() }
    }

    fn needs(weights: &[[f32; 4]], format: WeightFormat) -> WeightBits {
        needed(&influences(weights, format).as_stored(), 0..weights.len()).0
    }

    #[test]
    fn normalised_integers_are_exact() {
        let eighth = |parts: [u8; 4]| parts.map(|p| f32::from(p) / 255.0);
        let rows = [eighth([255, 0, 0, 0]), eighth([100, 100, 54, 1]), eighth([1, 2, 3, 249])];
        assert_eq!(needed(&influences(&rows, WeightFormat::U8).as_stored(), 0..3), (WeightBits::Eight, 0.0));
        assert_eq!(rows.map(|row| row.map(in_8_bits))[1], [100, 100, 54, 1]);
        // A sum of 254 is what the file has, and stays.
        assert_eq!(needs(&[eighth([254, 0, 0, 0])], WeightFormat::U8), WeightBits::Eight);
        // The same weights in a file of floats take 16 bits: 65535 = 257 · 255, so they are exact there too.
        assert_eq!(needed(&influences(&rows, WeightFormat::F32).as_stored(), 0..3).0, WeightBits::Sixteen);
        for steps in [[65_535_u16, 0, 0, 0], [1, 65_534, 0, 0], [20_000, 20_001, 20_002, 5_532], [65_000, 0, 0, 1]] {
            let (read, moved) = in_steps(steps.map(|s| f32::from(s) / ONE)).unwrap();
            assert_eq!(read, steps);
            assert!(moved < 1e-7, "{moved:e}");
        }
    }

    #[test]
    fn the_sum_is_kept_and_the_largest_fractions_are_rounded_up() {
        // Thirds are 21845 each.
        assert_eq!(in_steps([1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0]).unwrap().0, [21_845, 21_845, 21_845, 0]);
        // 65535/4 = 16383.75: four times a quarter lack three steps.
        let (quarters, moved) = in_steps([0.25; 4]).unwrap();
        assert_eq!(quarters.iter().map(|q| u32::from(*q)).sum::<u32>(), 65_535);
        assert_eq!(quarters.iter().filter(|q| **q == 16_384).count(), 3);
        // Three weights got a quarter of a step each from the fourth.
        assert!((moved - 0.75 / ONE).abs() < 1e-7, "{moved:e}");
        let mut seed = 1_u32;
        for _ in 0..20_000 {
            let mut next = || {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 8) as f32 / 16_777_216.0
            };
            let raw = [next(), next(), next() * next(), next() * 0.001];
            let sum: f32 = raw.iter().sum();
            let weights = raw.map(|w| w / sum);
            let (steps, moved) = in_steps(weights).unwrap();
            assert_eq!(steps.iter().map(|s| u32::from(*s)).sum::<u32>(), 65_535, "{weights:?}");
            let off: f64 =
                weights.iter().zip(steps).map(|(w, s)| (f64::from(*w) - f64::from(s) / 65_535.0).abs()).sum();
            assert!(off / 2.0 <= f64::from(moved) + 2e-7 && moved <= MOST_MOVED, "{weights:?}: {off:e} {moved:e}");
        }
    }

    /// The same as [`in_steps`], weight by weight.
    fn one_by_one(weights: [f32; 4]) -> Option<([u16; 4], f32)> {
        if !weights.iter().all(|w| (0.0..=1.0).contains(w)) {
            return None;
        }
        let exact = weights.map(|w| w * ONE);
        let sum: f32 = exact.iter().sum();
        // No weight is negative, so casting rounds down.
        let whole = (sum + 0.5) as i32;
        if (sum - whole as f32).abs() > SUM_TOLERANCE {
            return None;
        }
        // A weight that is there does not vanish, however small it is.
        let mut steps = exact.map(|w| if w > 0.0 { ((w + WHOLE) as i32).max(1) } else { 0 });
        let mut lost: [f32; 4] = std::array::from_fn(|i| exact[i] - steps[i] as f32);
        let mut lacks = whole - steps.iter().sum::<i32>();
        if lacks > 0 {
            // Each lost less than one step, so none gets two back, and none without weight lost anything.
            let before =
                |i: usize| (0..4).filter(|j| lost[*j] > lost[i] || lost[*j] == lost[i] && *j < i).count() as i32;
            let gains: [i32; 4] = std::array::from_fn(|i| i32::from(before(i) < lacks));
            for (i, gain) in gains.into_iter().enumerate() {
                steps[i] += gain;
                lost[i] -= gain as f32;
            }
        }
        while lacks < 0 {
            let least = (0..4).filter(|i| steps[*i] > 1).min_by(|a, b| lost[*a].total_cmp(&lost[*b]))?;
            steps[least] -= 1;
            lost[least] += 1.0;
            lacks += 1;
        }
        let gained: f32 = lost.iter().map(|lost| (-lost).max(0.0)).sum();
        (gained <= 2.0).then(|| (steps.map(|w| w as u16), gained / ONE))
    }

    #[test]
    fn four_weights_at_once_are_rounded_as_one_by_one() {
        let mut seed = 7_u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed >> 8
        };
        for round in 0..200_000 {
            let raw: [f32; 4] = std::array::from_fn(|_| match next() % 6 {
                0 => 0.0,
                1 => 1e-7 * (next() % 100) as f32,
                2 => (next() % 256) as f32 / 255.0,
                3 => 0.25,
                _ => next() as f32 / 16_777_216.0,
            });
            let sum: f32 = raw.iter().sum();
            // Some sums are not one, and some weights are none.
            let weights = match round % 10 {
                0 => raw,
                1 => [raw[0], -raw[1], f32::NAN, 2.0 * raw[3]],
                _ => raw.map(|w| w / sum),
            };
            assert_eq!(in_steps(weights), one_by_one(weights), "{weights:?}");
        }
    }

    #[test]
    fn what_counts_goes_on_counting() {
        let (steps, moved) = in_steps([0.5, 0.499_999, 1e-6, 0.0]).unwrap();
        assert_eq!((steps[2], steps[3]), (1, 0), "a weight does not vanish, and none comes about");
        assert_eq!(steps.iter().map(|s| u32::from(*s)).sum::<u32>(), 65_535);
        assert!(moved <= MOST_MOVED);
    }

    #[test]
    fn pairs_of_one_joint_come_one_after_the_other() {
        let joints = vec![3, 7, 3, 7, 3, 0, 9, 3];
        let weights = vec![0.0, 0.1, 0.2, 0.3, 0.05, 0.0, 0.25, 0.1];
        let influences = Influences { per_vertex: 8, joints, weights, ..Influences::default() };
        let in_order: Vec<_> = used_by_joint(&influences.as_stored(), 0).collect();
        assert_eq!(in_order, [(7, 0.1), (7, 0.3), (3, 0.2), (3, 0.05), (3, 0.1), (9, 0.25)]);
        let plain =
            Influences { per_vertex: 4, joints: vec![2, 1, 0, 0], weights: vec![0.5, 0.4, 0.1, 0.0], ..influences };
        assert!(used_by_joint(&plain.as_stored(), 0).eq(used(&plain.as_stored(), 0)));
    }

    /// All ways to spread three joints and no weight over four and five slots, as far as four of them count.
    #[test]
    fn four_pairs_are_in_the_same_order_as_any_number() {
        for (per_vertex, code) in [4_u32, 5].into_iter().flat_map(|n| (0..4_usize.pow(n)).map(move |code| (n, code))) {
            let digits: Vec<usize> = (0..per_vertex).map(|i| code / 4_usize.pow(i) % 4).collect();
            let joints = digits.iter().map(|d| *d as u16).collect();
            // Both zeros are no weight.
            let weights: Vec<f32> =
                (1..).zip(&digits).map(|(i, d)| if *d == 0 { -0.0 } else { 0.01 * i as f32 }).collect();
            if digits.iter().filter(|d| **d != 0).count() > 4 {
                continue;
            }
            let per_vertex = per_vertex as usize;
            let influences = Influences { per_vertex, joints, weights, ..Influences::default() };
            let four = four_by_joint(&influences.as_stored(), 0);
            let pairs = || four.joints.into_iter().zip(four.weights).take(four.count);
            assert!(pairs().eq(used_by_joint(&influences.as_stored(), 0)), "{digits:?}: {four:?}");
            let beyond = four.joints.into_iter().zip(four.weights.map(f32::to_bits)).skip(four.count);
            assert!(beyond.eq(vec![(0, 0); 4 - four.count]), "{digits:?}: {four:?}");
            let (joints, weights) = influences.of(0);
            let stored = four.slots.iter().take(four.count).map(|slot| (joints[*slot], weights[*slot]));
            assert!(pairs().eq(stored), "{digits:?}: {four:?}");
        }
    }

    #[test]
    fn what_16_bits_cannot_hold_stays_floats() {
        for odd in [[-0.25, 1.25, 0.0, 0.0], [1.5, 0.0, 0.0, 0.0], [0.3, 0.3, 0.300_02, 0.0], [f32::NAN, 0.0, 0.0, 0.0]]
        {
            assert_eq!(needs(&[[1.0, 0.0, 0.0, 0.0], odd], WeightFormat::F32), WeightBits::Float, "{odd:?}");
        }
        // Three of them would each grow by a whole step.
        assert_eq!(needs(&[[0.999_997, 1e-6, 1e-6, 1e-6]], WeightFormat::F32), WeightBits::Float);
        // A vertex without any weight is accepted.
        assert_eq!(needs(&[[0.0; 4]], WeightFormat::F32), WeightBits::Sixteen);
        assert_eq!(needs(&[], WeightFormat::U8), WeightBits::Eight);
    }
}

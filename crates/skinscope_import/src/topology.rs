//! Turns every primitive mode into a list of points, lines or triangles.

use gltf::json::mesh::Mode;
use skinscope_model::{SourceMode, Topology};

/// Returns the mode's name in the model and the kind of list that it unrolls to.
pub(super) fn of_mode(mode: Mode) -> (SourceMode, Topology) {
    match mode {
        Mode::Points => (SourceMode::Points, Topology::Points),
        Mode::Lines => (SourceMode::Lines, Topology::Lines),
        Mode::LineLoop => (SourceMode::LineLoop, Topology::Lines),
        Mode::LineStrip => (SourceMode::LineStrip, Topology::Lines),
        Mode::Triangles => (SourceMode::Triangles, Topology::Triangles),
        Mode::TriangleStrip => (SourceMode::TriangleStrip, Topology::Triangles),
        Mode::TriangleFan => (SourceMode::TriangleFan, Topology::Triangles),
    }
}

/// Returns how many indices are left over at the end of the list, which no point, line or triangle uses.
pub(super) fn left_over(mode: SourceMode, count: usize) -> usize {
    let short = |least: usize| if count < least { count } else { 0 };
    match mode {
        SourceMode::Points => 0,
        SourceMode::Lines => count % 2,
        SourceMode::Triangles => count % 3,
        SourceMode::LineLoop | SourceMode::LineStrip => short(2),
        SourceMode::TriangleStrip | SourceMode::TriangleFan => short(3),
    }
}

/// Returns the list of points, lines or triangles that `indices` describe in `mode`, with the winding of glTF 2.0
/// (3.7.2.1). Triangles of a strip that use one vertex twice only connect strips and are left out.
pub(super) fn unroll(mode: SourceMode, mut indices: Vec<u32>) -> Vec<u32> {
    let whole = indices.len() - left_over(mode, indices.len());
    indices.truncate(whole);
    match mode {
        SourceMode::Points | SourceMode::Lines | SourceMode::Triangles => indices,
        SourceMode::LineStrip => indices.windows(2).flatten().copied().collect(),
        SourceMode::LineLoop => {
            let close = match indices[..] {
                [first, .., last] => vec![last, first],
                _ => Vec::new(),
            };
            indices.windows(2).flatten().copied().chain(close).collect()
        }
        SourceMode::TriangleStrip => {
            let turned = |(i, t): (usize, &[u32])| if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[0], t[2], t[1]] };
            let real = |t: &[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
            indices.windows(3).enumerate().map(turned).filter(real).flatten().collect()
        }
        SourceMode::TriangleFan => {
            let Some((center, rim)) = indices.split_first() else { return Vec::new() };
            rim.windows(2).flat_map(|edge| [edge[0], edge[1], *center]).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ```text
    /// 1 - 3 - 5
    /// | \ | \ |
    /// 0 - 2 - 4
    /// ```
    #[test]
    fn strips_keep_their_winding_and_drop_stitches() {
        let strip = |i: &[u32]| unroll(SourceMode::TriangleStrip, i.to_vec());
        assert_eq!(strip(&[0, 1, 2, 3, 4]), [0, 1, 2, 1, 3, 2, 2, 3, 4]);
        assert_eq!(strip(&[0, 1, 2, 2, 3, 3, 4, 5]), [0, 1, 2, 3, 5, 4]);
        assert!(strip(&[0, 1]).is_empty());
    }

    #[test]
    fn fans_and_lines_unroll() {
        assert_eq!(unroll(SourceMode::TriangleFan, vec![9, 1, 2, 3]), [1, 2, 9, 2, 3, 9]);
        assert_eq!(unroll(SourceMode::LineStrip, vec![4, 5, 6]), [4, 5, 5, 6]);
        assert_eq!(unroll(SourceMode::LineLoop, vec![4, 5, 6]), [4, 5, 5, 6, 6, 4]);
        assert!(unroll(SourceMode::LineLoop, vec![]).is_empty());
        assert_eq!(unroll(SourceMode::Triangles, (0..8).collect()), [0, 1, 2, 3, 4, 5]);
        assert!(unroll(SourceMode::TriangleFan, vec![1]).is_empty());
    }
}

//! The part of a picture that differs from the one before it.

/// A rectangle of a picture, pixels from its top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChangedPart {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

impl ChangedPart {
    /// The whole of a picture.
    pub fn whole([width, height]: [u32; 2]) -> Self {
        Self { x: 0, y: 0, width, height }
    }

    /// Returns the smallest rectangle outside of which two RGBA pictures of this size are the same, with its corner at
    /// multiples of `step`. Where nothing differs it is one pixel, since no file has an empty picture.
    pub fn changed(size: [u32; 2], now: &[u8], before: &[u8], step: u32) -> Self {
        let row = size[0] as usize * 4;
        let rows = || now.chunks_exact(row).zip(before.chunks_exact(row)).enumerate().filter(|(_, (a, b))| a != b);
        let (Some((top, _)), Some((bottom, _))) = (rows().next(), rows().next_back()) else {
            return Self { x: 0, y: 0, width: 1, height: 1 };
        };
        let (mut left, mut right) = (row, 0);
        for (_, (a, b)) in rows() {
            let differs = |i: usize| a[i..i + 4] != b[i..i + 4];
            left = (0..left).step_by(4).find(|i| differs(*i)).unwrap_or(left);
            right = (right..row).step_by(4).rev().find(|i| differs(*i)).unwrap_or(right);
        }
        let (x, y) = (left as u32 / 4 / step * step, top as u32 / step * step);
        Self { x, y, width: right as u32 / 4 + 1 - x, height: bottom as u32 + 1 - y }
    }

    /// Returns the pixels of this part of an RGBA picture of this width.
    pub fn of(self, rgba: &[u8], width: u32) -> Vec<u8> {
        let rows = rgba.chunks_exact(width as usize * 4).skip(self.y as usize).take(self.height as usize);
        let (from, to) = (self.x as usize * 4, (self.x + self.width) as usize * 4);
        rows.flat_map(|row| &row[from..to]).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_differs_is_as_small_as_it_can_be() {
        let before = vec![7_u8; 10 * 8 * 4];
        let size = [10, 8];
        assert_eq!(ChangedPart::changed(size, &before, &before, 2), ChangedPart { x: 0, y: 0, width: 1, height: 1 });
        let mut now = before.clone();
        for (x, y, channel) in [(3, 5, 3), (7, 2, 0)] {
            now[(y * 10 + x) * 4 + channel] = 9;
        }
        let part = ChangedPart::changed(size, &now, &before, 1);
        assert_eq!(part, ChangedPart { x: 3, y: 2, width: 5, height: 4 });
        assert_eq!(ChangedPart::changed(size, &now, &before, 2), ChangedPart { x: 2, y: 2, width: 6, height: 4 });
        let pixels = part.of(&now, 10);
        assert_eq!((pixels.len(), pixels[4 * 4], pixels[(3 * 5) * 4 + 3]), (5 * 4 * 4, 9, 9));
        // The last pixel alone.
        let mut now = before.clone();
        now[10 * 8 * 4 - 1] = 0;
        assert_eq!(ChangedPart::changed(size, &now, &before, 1), ChangedPart { x: 9, y: 7, width: 1, height: 1 });
    }
}

//! Decides how many bytes of textures an adapter is asked to hold, and which textures are shown smaller so that all of
//! them fit. It only computes with numbers and uses no device.

use std::collections::BinaryHeap;

use skinscope_base::words::counted;

const GIB: u64 = 1 << 30;

/// Why something is not drawn as it should be.
pub(super) const NO_MEMORY: &str = "because this graphics adapter has no memory left";

/// How many bytes the textures of a model may take. Adapters do not tell how much they can spare, so this is 4 GiB for
/// an adapter with memory of its own, and 1 GiB where the adapter shares the machine's memory, or where that is not
/// known.
pub(super) fn texture_memory(kind: wgpu::DeviceType) -> u64 {
    match kind {
        wgpu::DeviceType::DiscreteGpu => 4 * GIB,
        wgpu::DeviceType::IntegratedGpu
        | wgpu::DeviceType::VirtualGpu
        | wgpu::DeviceType::Cpu
        | wgpu::DeviceType::Other => GIB,
    }
}

/// To save memory no texture is made smaller than this, in pixels along its longer side.
const SMALLEST: u32 = 64;

/// The memory that a texture asks for.
#[derive(Clone, Debug)]
pub(super) struct TextureDemand {
    /// Bytes of each level, the largest first.
    pub levels: Vec<u64>,
    /// How many of its largest levels may be left out.
    pub spare: usize,
}

impl TextureDemand {
    /// The demand of a texture of `size` pixels with `levels` levels. `bytes` gives the bytes of a level of a given
    /// size; `fits` says whether a texture may begin with a level of that size.
    pub fn new(size: [u32; 2], levels: u32, bytes: impl Fn([u32; 2]) -> u64, fits: impl Fn([u32; 2]) -> bool) -> Self {
        let size = |level: u32| size.map(|side| (side >> level).max(1));
        let is_spare = |level: &u32| {
            let [width, height] = size(*level);
            width.max(height) >= SMALLEST && fits([width, height])
        };
        Self {
            levels: (0..levels).map(|level| bytes(size(level))).collect(),
            spare: (1..levels).take_while(is_spare).count(),
        }
    }

    /// The bytes of all levels but the `dropped` largest.
    pub fn bytes(&self, dropped: usize) -> u64 {
        self.levels[dropped..].iter().sum()
    }
}

/// Decides how many of its largest levels each texture goes without, so that all textures together take at most
/// `budget` bytes. The largest level of all goes first; of equal ones, that of the last texture. Where every texture is
/// as small as it may be, the result can still be too large.
pub(super) fn plan(wanted: &[TextureDemand], budget: u64) -> Vec<usize> {
    let mut dropped = vec![0; wanted.len()];
    let mut total: u64 = wanted.iter().map(|w| w.bytes(0)).sum();
    let mut largest: BinaryHeap<(u64, usize)> =
        wanted.iter().enumerate().filter(|(_, w)| w.spare > 0).map(|(i, w)| (w.levels[0], i)).collect();
    while total > budget
        && let Some((bytes, i)) = largest.pop()
    {
        total -= bytes;
        dropped[i] += 1;
        if dropped[i] < wanted[i].spare {
            largest.push((wanted[i].levels[dropped[i]], i));
        }
    }
    dropped
}

/// One line that says how many of the textures are shown smaller than they are, and by how much; `None` where all are
/// shown whole. `budget`: the bytes that they had to fit into, where that was the reason.
pub(super) fn notice(wanted: &[TextureDemand], dropped: &[usize], budget: Option<u64>) -> Option<String> {
    let most = dropped.iter().max().copied().filter(|most| *most > 0)?;
    let size = |bytes: u64| match bytes as f64 / GIB as f64 {
        gib if gib >= 0.95 => format!("{gib:.1} GiB"),
        gib => format!("{:.1} MiB", gib * 1024.0),
    };
    let count = |levels: usize| dropped.iter().filter(|d| **d == levels).count();
    let groups = (1..=most).filter(|levels| count(*levels) > 0).map(|levels| match levels {
        1 => format!("{} at half size", count(1)),
        2 => format!("{} at a quarter", count(2)),
        _ => format!("{} at 1/{} of their size", count(levels), 1_u64 << levels),
    });
    let groups: Vec<String> = groups.collect();
    let whole: u64 = wanted.iter().map(|w| w.bytes(0)).sum();
    let why = match budget {
        Some(bytes) => {
            format!("to fit the {} that this graphics adapter is asked for (--texture-memory)", size(bytes))
        }
        None => NO_MEMORY.into(),
    };
    let textures = counted(wanted.len(), "texture", "textures");
    let are = if wanted.len() == 1 { "is" } else { "are" };
    Some(format!("of {textures} ({}) {are} shown {}, {why}", size(whole), groups.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The demand of a square RGBA texture with all its levels.
    fn square(side: u32) -> TextureDemand {
        let levels = 32 - side.leading_zeros();
        TextureDemand::new([side, side], levels, |[w, h]| u64::from(w) * u64::from(h) * 4, |_| true)
    }

    fn total(wanted: &[TextureDemand], dropped: &[usize]) -> u64 {
        wanted.iter().zip(dropped).map(|(w, d)| w.bytes(*d)).sum()
    }

    #[test]
    fn a_set_that_fits_is_left_alone_and_a_larger_one_is_halved() {
        // The levels of n² pixels are a geometric series: 4 (4 n² − 1) / 3 bytes.
        let whole = square(4096);
        assert_eq!((whole.bytes(0), whole.bytes(1)), (4 * (4 * 4096 * 4096 - 1) / 3, 4 * (4 * 2048 * 2048 - 1) / 3));
        let set = vec![whole; 48];
        assert_eq!(plan(&set, 48 * set[0].bytes(0)), [0; 48]);
        assert_eq!(notice(&set, &[0; 48], Some(GIB)), None);
        // 48 · 4 (4 · 2048² − 1) / 3 = 2³⁰ − 64.
        let halved = plan(&set, GIB);
        assert_eq!((&halved[..], total(&set, &halved)), (&[1; 48][..], GIB - 64));
        let said = notice(&set, &halved, Some(GIB)).unwrap();
        assert!(said.starts_with("of 48 textures (4.0 GiB) are shown 48 at half size, to fit the 1.0 GiB"), "{said}");
    }

    #[test]
    fn the_largest_give_first_and_no_more_than_needed() {
        let set = [square(1024), square(4096), square(2048), square(4096)];
        let whole: u64 = total(&set, &[0; 4]);
        assert_eq!(plan(&set, whole - 1), [0, 0, 0, 1]);
        assert_eq!(plan(&set, whole - set[1].levels[0] - 1), [0, 1, 0, 1]);
        // A texture of 1024² pixels takes 5.33 MiB with its levels.
        let dropped = plan(&set, 22 << 20);
        assert_eq!(dropped, [0, 2, 1, 2], "all are 1024² then");
        let said = notice(&set, &dropped, Some(22 << 20)).unwrap();
        assert!(said.contains("1 at half size, 2 at a quarter, to fit the 22.0 MiB"), "{said}");
        assert!(
            notice(&set, &dropped, None)
                .unwrap()
                .ends_with("2 at a quarter, because this graphics adapter has no memory left")
        );
    }

    #[test]
    fn nothing_is_made_smaller_than_it_may_be() {
        assert_eq!(plan(&[square(256), square(32)], 0), [2, 0]);
        // A side of 40 pixels is ten blocks, one of 20 is five, and one of 10 is no whole number of blocks.
        let in_blocks = |[w, h]: [u32; 2]| w.is_multiple_of(4) && h.is_multiple_of(4);
        let blocks =
            TextureDemand::new([40 * 64, 1024], 8, |[w, h]| u64::from(w.div_ceil(4) * h.div_ceil(4)) * 16, in_blocks);
        assert_eq!((blocks.spare, blocks.levels[7]), (5, 5 * 2 * 16));
        let single = TextureDemand::new([4096, 4096], 1, |_| 1 << 24, |_| true);
        assert_eq!(plan(&[single, blocks], 0), [0, 5]);
        assert_eq!(plan(&[], 0), [0; 0]);
    }
}

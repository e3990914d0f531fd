//! `check --shard I/N`: one of the N parts of a list of files. Which part a file is in depends on its path alone, so that every machine
//! splits a list in the same way, whatever the order of the list and whatever else is in it.

use std::path::Path;

/// One part of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cli) struct Shard {
    /// How many parts there are.
    pub(in crate::cli) count: u32,
    /// Which of them it is, from 1 on.
    pub(in crate::cli) index: u32,
}

impl Shard {
    /// Reads `I/N`.
    pub(in crate::cli) fn parse(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match parsed {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Self { count, index }),
            _ => Err("expected I/N, the part I of N from 1 to N, such as 3/16".to_owned()),
        }
    }

    /// Returns whether a file is in this part. An archive is one file.
    pub(super) fn has(self, path: &Path) -> bool {
        mixed(path.as_os_str().as_encoded_bytes()) % u64::from(self.count) + 1 == u64::from(self.index)
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// Fowler, Noll and Vo's hash 1a of 64 bits, which is the same on every machine.
pub(super) fn fnv(bytes: &[u8]) -> u64 {
    let add = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, add)
}

/// The same hash, with its bits mixed by the last steps of MurmurHash 3: the lowest bits of the hash alone follow those of the bytes, so
/// that of files with even numbers all would be in one of two parts.
fn mixed(bytes: &[u8]) -> u64 {
    let step = |hash: u64, by: u64| (hash ^ (hash >> 33)).wrapping_mul(by);
    let hash = step(step(fnv(bytes), 0xff51_afd7_ed55_8ccd), 0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_from_1_to_their_number() {
        assert_eq!(Shard::parse("3/16"), Ok(Shard { count: 16, index: 3 }));
        assert_eq!(Shard { count: 16, index: 3 }.to_string(), "3/16");
        for wrong in ["", "3", "/", "0/4", "5/4", "1/0", "-1/4", "1/4/2", "a/b"] {
            assert!(Shard::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_file_is_in_one_part_and_the_parts_are_about_equal() {
        for count in [1, 2, 3, 16] {
            // Even numbers alone, as of an export of every other frame.
            let files = (0..4000).map(|i| format!("models/{:05}.glb", 2 * i));
            let mut sizes = vec![0; count as usize];
            for file in files {
                let holds = |index: &u32| Shard { count, index: *index }.has(Path::new(&file));
                let parts: Vec<u32> = (1..=count).filter(holds).collect();
                assert_eq!(parts.len(), 1, "{file} of {count}");
                sizes[parts[0] as usize - 1] += 1;
            }
            let fair = 4000 / count;
            assert!(sizes.iter().all(|size| (fair * 3 / 4..=fair * 5 / 4).contains(size)), "{count}: {sizes:?}");
        }
    }

    /// A list is split on several machines, perhaps by several versions of the program.
    #[test]
    fn a_hash_stays_what_it_is() {
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(mixed(b""), 0xefd0_1f60_ba99_2926);
    }
}

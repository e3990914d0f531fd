//! The folders in which something may happen to a file, wherever its path leads.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// The most links that are followed on the way to a file; Linux follows as many.
const MOST_LINKS: usize = 40;

/// Returns the folders in which something may happen to files: that of each file, and those of all links on the way to it, any of which may
/// be led elsewhere. A file that is replaced by another of the same name is a change of its folder and not of the file.
pub(super) fn folders<'f>(files: impl Iterator<Item = &'f Path>) -> BTreeSet<PathBuf> {
    let mut out = BTreeSet::new();
    for file in files {
        add_folders(file, &mut out);
    }
    out
}

/// Adds the folders of one file, and of the links on the way to it.
fn add_folders(file: &Path, out: &mut BTreeSet<PathBuf>) {
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    // What is still to be walked, the next part last.
    let mut rest: Vec<PathBuf> = absolute.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect();
    // The part of the way that was walked, which has no links.
    let (mut at, mut links) = (PathBuf::new(), 0);
    while let Some(part) = rest.pop() {
        match part.components().next() {
            Some(Component::ParentDir) => {
                at.pop();
                continue;
            }
            Some(Component::CurDir) | None => continue,
            Some(_) => {}
        }
        let next = at.join(&part);
        let leads_to = if links < MOST_LINKS { std::fs::read_link(&next).ok() } else { None };
        if leads_to.is_some() || rest.is_empty() {
            out.insert(at.clone());
        }
        match leads_to {
            Some(target) => {
                links += 1;
                if target.has_root() {
                    at = PathBuf::new();
                }
                rest.extend(target.components().rev().map(|part| PathBuf::from(part.as_os_str())));
            }
            None => at = next,
        }
    }
}

/// Returns whether a folder may be changed by another machine without this system's knowledge.
#[cfg(target_os = "linux")]
pub(super) fn is_remote(folder: &Path) -> bool {
    // The numbers of network and user-space file systems, from <linux/magic.h> and the file systems' own sources.
    const AFS: i64 = 0x5346_414f;
    const CEPH: i64 = 0x00c3_6400;
    const CIFS: i64 = 0xff53_4d42;
    const CODA: i64 = 0x7375_7245;
    const FUSE: i64 = 0x6573_5546;
    const NCP: i64 = 0x564c;
    const NFS: i64 = 0x6969;
    const PLAN_9: i64 = 0x0102_1997;
    const SMB: i64 = 0x517b;
    const SMB_2: i64 = 0xfe53_4d42;
    const VBOX: i64 = 0x786f_4256;
    const REMOTE: [i64; 11] = [AFS, CEPH, CIFS, CODA, FUSE, NCP, NFS, PLAN_9, SMB, SMB_2, VBOX];
    // The field is narrower on some processors, so that only 32 bits count.
    rustix::fs::statfs(folder).is_ok_and(|facts| REMOTE.iter().any(|known| *known as u32 == facts.f_type as u32))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_remote(_: &Path) -> bool {
    false
}

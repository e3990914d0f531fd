//! Archives whose members are models: tar, gzipped tar and zip. Nothing is unpacked to a disk: a member of a tar is read where it lies in
//! the archive, and so is one of a zip that is not compressed. An archive is as untrusted as a model: no name in it is ever a path of the file system, and
//! nothing is unpacked beyond the limits, whatever the archive says about itself.

use std::collections::HashMap;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use tar::{Entry, EntryType};

use super::bytes::{Owner, SharedStream};
use super::error::{guarded, quoted};
use super::foreign;
use super::zip_members::{self, CUT_OFF, DAMAGED, Packed, ZipMember, is_zip};
use super::{ImportError, Limits, opened};

/// The endings of the names of archives.
const ARCHIVE_ENDINGS: [&str; 4] = [".tar", ".tar.gz", ".tgz", ".zip"];

/// The endings of the names of models, without the dot.
pub const MODEL_ENDINGS: [&str; 3] = ["glb", "gltf", "vrm"];

const PACK_AGAIN: &str = "pack it again, stored or deflated and without a password";
const WHOLE: &str = "the archive is cut off or damaged; copy or download it again";
const UNPACK: &str = "unpack it, and check what is in it";
const NO_ARCHIVE: &str = "pack the models as .tar, .tar.gz or .zip, or name them one by one";
const SPLIT: &str = "pack the models into several archives";
const JOIN: &str = "join archives by `tar --concatenate`, or check each of them";

/// Returns whether a file is an archive by its name: `.tar`, `.tar.gz`, `.tgz` or `.zip`.
#[must_use]
pub fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    ARCHIVE_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// An archive that is open, with a list of what is in it.
#[derive(Debug)]
pub struct Archive {
    /// Its name as given.
    name: String,
    /// The file that it is; `None` for one in memory.
    file: Option<PathBuf>,
    bytes: Arc<Owner>,
    members: Vec<Member>,
    /// The number of each member by its path; of two with one path the later one, as when it is unpacked.
    places: HashMap<String, usize>,
    /// Why the list of members ends before that of the archive does, and what the user can do about it.
    fault: Option<(String, &'static str)>,
}

#[derive(Debug)]
struct Member {
    /// Its path within the archive, with `/` between its parts and nothing before the first.
    path: String,
    data: Data,
}

/// Where the bytes of a member are.
#[derive(Clone, Debug)]
enum Data {
    /// In the archive as they are.
    Plain(Range<u64>),
    /// In a zip, perhaps compressed.
    Packed(Packed),
    /// They cannot be read, since they are so.
    Unreadable(String),
}

impl Archive {
    /// Opens an archive and lists its members; what kind it is, its first bytes say.
    ///
    /// # Errors
    /// The file cannot be read, is no archive, or needs more than the limits allow.
    pub fn open(path: &Path, limits: &Limits) -> Result<Self, ImportError> {
        let name = path.display().to_string().replace(char::is_control, "�");
        // An archive may be larger than any model: a tar is never read as a whole.
        let (owner, _folder) = opened(path, &name, &Limits { file_bytes: u64::MAX, ..limits.clone() })?;
        Self::of_owner(name, Some(path.to_owned()), owner, limits)
    }

    /// Lists the members of an archive in memory, which errors and reports call `name`.
    ///
    /// # Errors
    /// The same as those of [`Archive::open`].
    pub fn of_bytes(name: &str, bytes: Vec<u8>, limits: &Limits) -> Result<Self, ImportError> {
        Self::of_owner(name.to_owned(), None, Owner::Memory(bytes), limits)
    }

    /// Returns whether bytes begin as an archive does.
    #[must_use]
    pub fn begins(bytes: &[u8]) -> bool {
        is_zip(bytes) || is_gzip(bytes) || is_tar(bytes)
    }

    fn of_owner(name: String, file: Option<PathBuf>, owner: Owner, limits: &Limits) -> Result<Self, ImportError> {
        let start = match owner.bytes().part(0, owner.bytes().len().min(4)) {
            Some(start) => start.read()?.into_owned(),
            None => Vec::new(),
        };
        let is_gzip = is_gzip(&start);
        let owner = if is_gzip { Owner::Memory(gunzipped(&name, owner, limits)?) } else { owner };
        let mut out =
            Self { name, file, bytes: Arc::new(owner), members: Vec::new(), places: HashMap::new(), fault: None };
        // Decoders of others may panic on bad data.
        let listed = guarded(|| if is_zip(&start) { out.list_zip(limits) } else { out.list_tar(is_gzip, limits) });
        listed.unwrap_or(Err(ImportError::Internal))?;
        Ok(out)
    }

    /// Returns the file that it is; `None` for one in memory.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Returns the members that are models by their names, as folders are searched for them. Names that begin with a dot are left out:
    /// archives made on macOS have one beside each file.
    pub fn models(&self) -> impl Iterator<Item = usize> {
        let is_model = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or_default();
            let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty() && !stem.starts_with('.'));
            ending.is_some_and(|(_, ending)| MODEL_ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
        };
        (0..self.members.len()).filter(move |member| {
            let path = &self.members[*member].path;
            // Of two members with one path the first would be overwritten if they were unpacked.
            is_model(path) && self.places.get(path) == Some(member)
        })
    }

    /// Returns the path of a member for people and reports: `shard.tar/path/model.glb`.
    #[must_use]
    pub fn path_of(&self, member: usize) -> String {
        let path = self.members.get(member).map_or("", |member| &member.path);
        format!("{}/{path}", self.name)
    }

    /// Returns why not everything is listed that is in the archive, or why there is nothing to check; `None` where all is fine.
    #[must_use]
    pub fn fault(&self) -> Option<ImportError> {
        if let Some((fault, advice)) = self.fault.clone() {
            return Some(ImportError::invalid(&self.name, "a whole archive", fault).advise(advice));
        }
        let advice = "pack .glb or .gltf files with what they refer to";
        let none = || ImportError::invalid(&self.name, "a model in the archive", "none").advise(advice);
        self.models().next().is_none().then(none)
    }

    fn push(&mut self, path: String, data: Data) {
        self.places.insert(path.clone(), self.members.len());
        self.members.push(Member { path, data });
    }

    fn list_tar(&mut self, was_gzip: bool, limits: &Limits) -> Result<(), ImportError> {
        let mut archive = tar::Archive::new(Headers { stream: SharedStream::new(&self.bytes), read: 0 });
        let failed = |source| ImportError::Read { path: self.name.clone(), source };
        let mut is_first = true;
        for entry in archive.entries_with_seek().map_err(failed)? {
            let mut entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    if let Some(error) = self.no_tar(was_gzip)?.filter(|_| is_first) {
                        return Err(error);
                    }
                    self.fault = Some((error.to_string(), WHOLE));
                    return Ok(());
                }
            };
            is_first = false;
            let named = name_of_sparse(&mut entry);
            if let Some(data) = self.data_of(&entry, named.is_some()) {
                let name = named.flatten();
                self.push(plain(&text(name.as_deref().unwrap_or(&entry.path_bytes()))), data);
            }
            if self.members.len() > limits.json_values {
                self.fault = Some((format!("more than {} members", limits.json_values), SPLIT));
                return Ok(());
            }
        }
        if goes_on(archive.into_inner().stream) {
            self.fault = Some(("another archive behind its end".to_owned(), JOIN));
        }
        Ok(())
    }

    /// Returns where the bytes of a member of a tar are; `None` for what has none, such as folders and symbolic links.
    fn data_of(&self, entry: &Entry<Headers>, is_sparse: bool) -> Option<Data> {
        let (start, length) = (entry.raw_file_position(), self.bytes.bytes().len());
        let end = start.checked_add(entry.size()).filter(|end| *end <= length);
        match (entry.header().entry_type(), end) {
            (EntryType::GNUSparse, _) => Some(Data::Unreadable(SPARSE.to_owned())),
            (EntryType::Regular | EntryType::Continuous, _) if is_sparse => Some(Data::Unreadable(SPARSE.to_owned())),
            (EntryType::Regular | EntryType::Continuous, Some(end)) => Some(Data::Plain(start..end)),
            (EntryType::Regular | EntryType::Continuous, None) => Some(Data::Unreadable(CUT_OFF.to_owned())),
            // A hard link is another name of a file that comes before it.
            (EntryType::Link, _) => {
                let path = plain(&text(&entry.link_name_bytes().unwrap_or_default()));
                let before = self.places.get(&path).map(|place| self.members[*place].data.clone());
                let missing =
                    || Data::Unreadable(format!("a link to \"{path}\", which is not before it in the archive"));
                Some(before.unwrap_or_else(missing))
            }
            _ => None,
        }
    }

    /// Returns the error about a file that does not begin as a tar does; `None` where it does.
    fn no_tar(&self, was_gzip: bool) -> Result<Option<ImportError>, ImportError> {
        let bytes = self.bytes.bytes();
        let start = bytes.part(0, bytes.len().min(TAR_START)).map(|part| part.read()).transpose()?;
        if start.is_some_and(|start| is_tar(&start)) {
            return Ok(None);
        }
        let found = foreign::kind(bytes)?;
        let (found, advice) = found.map_or(("something else".to_owned(), NO_ARCHIVE), |of| (of.name, of.advice));
        let (found, advice) = if was_gzip { (format!("a gzip archive of {found}"), UNPACK) } else { (found, advice) };
        Ok(Some(ImportError::invalid(&self.name, "an archive (.tar, .tar.gz or .zip)", found).advise(advice)))
    }

    fn list_zip(&mut self, limits: &Limits) -> Result<(), ImportError> {
        let wrong = |why: String| ImportError::invalid(&self.name, "a whole archive", why).advise(WHOLE);
        let all = zip_members::list(self.bytes.bytes(), limits).map_err(wrong)?;
        for ZipMember { path, data } in all {
            self.push(plain(&text(&path)), data.map_or_else(Data::Unreadable, Data::Packed));
        }
        Ok(())
    }

    /// Opens a member. `allow` is asked before the memory for so many bytes is taken; `said` is its name in errors.
    fn read(
        &self,
        member: usize,
        said: &str,
        allow: &dyn Fn(u64) -> Result<(), ImportError>,
    ) -> Result<Owner, ImportError> {
        let unreadable = |why: &str| {
            let is_broken = [CUT_OFF, DAMAGED].iter().any(|word| why.starts_with(*word));
            let advice = if is_broken { WHOLE } else { PACK_AGAIN };
            ImportError::invalid(said, "a member that can be read", why).advise(advice)
        };
        match self.members.get(member).map(|member| &member.data) {
            Some(Data::Plain(range)) => {
                allow(range.end - range.start)?;
                Ok(Owner::Part(Arc::clone(&self.bytes), range.clone()))
            }
            Some(Data::Packed(packed)) => {
                allow(packed.length)?;
                let opened = guarded(|| packed.open(&self.bytes)).unwrap_or(Err(DAMAGED.to_owned()));
                opened.map_err(|why| unreadable(&why))
            }
            Some(Data::Unreadable(why)) => Err(unreadable(why)),
            None => Err(ImportError::Internal),
        }
    }

    /// Opens the model that a member is.
    pub(super) fn model(&self, member: usize, limits: &Limits) -> Result<Owner, ImportError> {
        let said = self.path_of(member);
        self.read(member, &said, &|length| Limits::check(&said, "its length in bytes", length, limits.file_bytes))
    }

    /// Returns the number of the member at a path that a model names, and `None` where there is none. `named` is relative to the folder of
    /// the model, and leads out of that only where `outside` allows it; out of the archive it never leads.
    pub(super) fn find(&self, model: usize, named: &str, outside: bool) -> Result<Option<usize>, LeadsOut> {
        let own = self.members.get(model).map_or("", |member| &member.path);
        let mut parts: Vec<&str> = own.split('/').collect();
        parts.pop();
        for part in named.split(['/', '\\']) {
            match part {
                "" | "." => {}
                ".." if outside => _ = parts.pop().ok_or(LeadsOut)?,
                ".." => return Err(LeadsOut),
                part => parts.push(part),
            }
        }
        Ok(self.places.get(&parts.join("/")).copied())
    }

    /// Opens a file that a model names, found by [`Archive::find`].
    pub(super) fn beside(
        &self,
        member: usize,
        uri: &str,
        location: &dyn Fn() -> String,
        allow: &dyn Fn(u64) -> Result<(), ImportError>,
    ) -> Result<Owner, ImportError> {
        self.read(member, &format!("{}, {}", location(), quoted(uri)), allow)
    }

    /// Returns the name of a member without its folders, for titles.
    pub(super) fn title(&self, member: usize) -> String {
        let path = self.members.get(member).map_or("", |member| &member.path);
        path.rsplit('/').next().unwrap_or_default().to_owned()
    }
}

/// A path leads to where no model may look.
#[derive(Debug)]
pub(super) struct LeadsOut;

fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(b"\x1F\x8B")
}

/// How many bytes at the start of a tar say what it is.
const TAR_START: u64 = 512;

/// Returns whether a header of a tar begins here. Those of before 1988 have no word that says so.
fn is_tar(start: &[u8]) -> bool {
    start.get(257..262) == Some(&b"ustar"[..])
}

const SPARSE: &str = "stored with holes (sparse)";

/// Returns the name that an extended header has beside the words that the member of a tar has holes, if there is one; `None` where it says no
/// such thing. The data of a member with holes is not that of the file.
fn name_of_sparse(entry: &mut Entry<Headers>) -> Option<Option<Vec<u8>>> {
    let (mut is_sparse, mut name) = (false, None);
    for field in entry.pax_extensions().ok().flatten().into_iter().flatten().flatten() {
        is_sparse |= field.key_bytes().starts_with(b"GNU.sparse.");
        if field.key_bytes() == b"GNU.sparse.name" {
            name = Some(field.value_bytes().to_vec());
        }
    }
    is_sparse.then_some(name)
}

/// Returns whether another tar follows in the stream of one that has ended, behind the zeros that fill its last record.
fn goes_on(mut stream: SharedStream) -> bool {
    let mut block = [0_u8; TAR_START as usize];
    for _ in 0..MOST_HEADERS / block.len() {
        if stream.read_exact(&mut block).is_err() {
            return false;
        }
        if block.iter().any(|byte| *byte != 0) {
            return is_tar(&block);
        }
    }
    false
}

/// Unpacks a gzipped tar into memory, where its members can be read in any order.
fn gunzipped(name: &str, owner: Owner, limits: &Limits) -> Result<Vec<u8>, ImportError> {
    let most = limits.file_bytes;
    let reader = BufReader::new(SharedStream::new(&Arc::new(owner)));
    let mut out = Vec::new();
    let read = guarded(|| MultiGzDecoder::new(reader).take(most.saturating_add(1)).read_to_end(&mut out));
    match read {
        None => return Err(ImportError::Internal),
        Some(Err(error)) => {
            return Err(ImportError::invalid(name, "a whole archive", error.to_string()).advise(WHOLE));
        }
        Some(Ok(_)) => {}
    }
    Limits::check(name, "its unpacked length in bytes", out.len() as u64, most)?;
    Ok(out)
}

/// Returns a name as text. Bytes that are no UTF-8 are written as `%XX`, so that different names stay different.
fn text(name: &[u8]) -> String {
    let mut out = String::new();
    for chunk in name.utf8_chunks() {
        out += chunk.valid();
        chunk.invalid().iter().for_each(|byte| out += &format!("%{byte:02X}"));
    }
    out
}

/// Returns a path as members are found by: with `/` between its parts, without empty ones and those that are a dot. It names nothing
/// outside of the archive, whatever it looks like.
fn plain(path: &str) -> String {
    path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>().join("/")
}

/// How many bytes headers and long names may have from one member to the next.
const MOST_HEADERS: usize = 1 << 20;

/// The stream of a tar whose members are skipped. The decoder keeps long names and their like in memory, and would keep one of gigabytes.
struct Headers {
    stream: SharedStream,
    /// How many bytes were read since it was last moved.
    read: usize,
}

impl Read for Headers {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.read > MOST_HEADERS {
            return Err(io::Error::other(format!("a header of more than {MOST_HEADERS} bytes")));
        }
        let count = self.stream.read(out)?;
        self.read += count;
        Ok(count)
    }
}

impl Seek for Headers {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.read = 0;
        self.stream.seek(to)
    }
}

//! Reads images: they are listed first, then read and decoded on other threads while the geometry is read.
//!
//! This module chooses the images that textures show and sets their pixels in the model: an image is pending until a
//! thread has decoded it. An image that cannot be decoded causes a warning, and the model is drawn without it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use gltf::json;
use skinscope_model::{BlockFormats, DecodeAgain, Image, ImageId, Pixels};

use super::bytes::Bytes;
use super::decode::decode;
use super::error::{Warnings, guarded};
use super::limits::Budget;
use super::materials::texture_sources;
use super::uri::{MOST_OPEN, Resolver};
use super::{AskFormats, ImportError, Limits, Options, Progress, Reader};

/// The location of an image's encoded bytes.
enum Source<'a> {
    View(Bytes<'a>),
    Uri(&'a str),
    /// In this buffer, which has neither a URI nor data.
    Missing(usize),
    Nowhere,
}

/// An image of the model, and the file's images that can be shown for it: the first that can be read is taken.
struct Job<'a> {
    image: Image,
    /// The locations of the file's images, with their numbers in the file.
    sources: Vec<(usize, Source<'a>)>,
}

/// The images of a model while they are decoded, shared by all threads that decode.
pub(super) struct PendingImages<'a> {
    jobs: Vec<Job<'a>>,
    by_texture: Vec<Option<ImageId>>,
    limits: &'a Limits,
    formats: Option<&'a AskFormats>,
    /// Whether images are to be decoded again once their pixels were freed.
    frees_pixels: bool,
    /// How many files of images stay open for that.
    open: AtomicUsize,
    budget: &'a Budget,
    resolver: &'a Resolver<'a>,
    progress: Progress<'a>,
    next: AtomicUsize,
    done: AtomicUsize,
    /// Set where the model cannot be read, so that decoding is in vain.
    given_up: AtomicBool,
    /// Set once the geometry is read: from then on progress is that of the images.
    is_reported: AtomicBool,
    /// For each job: the number of an image, and what was wrong with it.
    problems: Mutex<BTreeMap<usize, Vec<(usize, String)>>>,
}

/// The share of an import, 0…1, after which everything except the images is read.
pub(super) const GEOMETRY_DONE: f32 = 0.7;

impl<'a> PendingImages<'a> {
    /// Finds the images that textures show. It does not read them yet.
    pub(super) fn plan(
        reader: &Reader<'a>,
        resolver: &'a Resolver<'a>,
        options: &'a Options,
    ) -> Result<Self, ImportError> {
        let root = reader.root;
        let wanted: Vec<Vec<usize>> =
            (0..root.textures.len()).map(|t| texture_sources(root, t)).collect::<Result<_, _>>()?;
        let distinct: BTreeSet<&Vec<usize>> = wanted.iter().filter(|w| !w.is_empty()).collect();
        let mut jobs = Vec::with_capacity(distinct.len());
        for numbers in &distinct {
            let mut sources = Vec::with_capacity(numbers.len());
            for number in *numbers {
                sources.push((*number, source(reader, *number)?));
            }
            let name = numbers.first().map(|n| name(&root.images[*n])).unwrap_or_default();
            jobs.push(Job { image: Image::pending(name), sources });
        }
        let index_of: BTreeMap<_, _> = distinct.iter().enumerate().map(|(i, w)| (*w, ImageId::from_index(i))).collect();
        let by_texture = wanted.iter().map(|w| index_of.get(w).copied()).collect();
        Ok(Self {
            jobs,
            by_texture,
            limits: reader.limits,
            formats: options.block_formats.as_ref(),
            frees_pixels: options.frees_pixels,
            open: AtomicUsize::new(0),
            budget: reader.decoded,
            resolver,
            progress: reader.progress,
            next: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            given_up: AtomicBool::new(false),
            is_reported: AtomicBool::new(false),
            problems: Mutex::default(),
        })
    }

    /// Returns the model's images, in the file's order of the images that they prefer.
    pub(super) fn images(&self) -> Vec<Image> {
        self.jobs.iter().map(|job| job.image.clone()).collect()
    }

    /// Returns the image of each texture; `None` where the file names no image.
    pub(super) fn by_texture(&self) -> &[Option<ImageId>] {
        &self.by_texture
    }

    /// Returns how many threads have work in addition to the one that reads the geometry.
    pub(super) fn helpers(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.len().min(cores - 1)
    }

    /// Decodes one image after another until none is left, or nobody wants them.
    pub(super) fn work(&self) {
        while !self.given_up.load(Ordering::Relaxed) && !self.progress.is_cancelled() {
            let turn = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = self.jobs.get(turn) else { return };
            let (pixels, problems) = self.read(job);
            job.image.arrive(pixels);
            if !problems.is_empty() {
                self.problems.lock().unwrap_or_else(PoisonError::into_inner).insert(turn, problems);
            }
            self.done.fetch_add(1, Ordering::Relaxed);
            if self.is_reported.load(Ordering::SeqCst) {
                self.tell();
            }
        }
    }

    /// Ends the work of all threads after the image each is at.
    pub(super) fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// Says that the geometry is read: from now on progress is that of the images. Images that are already decoded are
    /// reported at once.
    pub(super) fn announce(&self) {
        self.is_reported.store(true, Ordering::SeqCst);
        self.tell();
    }

    fn tell(&self) {
        let (done, all) = (self.done.load(Ordering::Relaxed), self.jobs.len());
        if all > 0 {
            let fraction = GEOMETRY_DONE + (1.0 - GEOMETRY_DONE) * done as f32 / all as f32;
            (self.progress.report)(fraction, &format!("Decoding images {done} of {all}"));
        }
    }

    /// Warns of what was wrong, in the order of the images, once no thread works any more. Images that no thread has
    /// reached are left out: they get no pixels.
    pub(super) fn finish(&self, warnings: &Warnings) {
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        for (number, what) in std::mem::take(&mut *problems).into_values().flatten() {
            warnings.add(format!("image {number}"), what);
        }
        let missing = self.jobs.iter().filter(|job| job.image.is_pending());
        let missing = missing.map(|job| job.image.arrive(None)).count();
        if missing > 0 {
            let all = self.jobs.len();
            let were = if missing == 1 { "was" } else { "were" };
            warnings.add("images", format!("{missing} of {all} {were} left out, because loading was stopped"));
        }
    }

    /// Returns the pixels of the first source that can be read, and what was wrong with those before it.
    fn read(&self, job: &Job) -> (Option<Pixels>, Vec<(usize, String)>) {
        let mut problems = Vec::new();
        let mut rest = job.sources.iter().peekable();
        while let Some((number, source)) = rest.next() {
            match self.read_one(*number, source, &job.image) {
                Ok(pixels) => return (Some(pixels), problems),
                Err(what) => {
                    let instead = rest.peek().map_or(String::new(), |(n, _)| format!("; image {n} is taken instead"));
                    problems.push((*number, format!("was left out ({what}){instead}")));
                }
            }
        }
        (None, problems)
    }

    /// Returns the pixels of a source, and notes in `image` how they are decoded again.
    fn read_one(&self, number: usize, source: &Source, image: &Image) -> Result<Pixels, String> {
        let location = || format!("image {number}");
        let owner;
        let bytes = match source {
            Source::View(bytes) => *bytes,
            Source::Uri(uri) => {
                owner = self.resolver.open(uri, false, &location).map_err(|e| e.after(&location()))?;
                owner.bytes()
            }
            Source::Missing(buffer) => return Err(format!("its buffer {buffer} has neither a URI nor data")),
            Source::Nowhere => return Err("it has neither a buffer view nor a URI".to_owned()),
        };
        self.budget.earn(bytes.len(), self.resolver.budget.used());
        let room = |bytes: u64| self.budget.charge(&location, bytes, 1).map_err(|e| e.after(&location()));
        let formats = || self.formats.map_or(BlockFormats::default(), |ask| ask());
        let decoded = guarded(|| decode(bytes, self.limits, &room, &formats));
        let pixels = decoded.unwrap_or_else(|| Err("the decoder failed".to_owned()))?;
        if self.frees_pixels && self.may_stay_open(source) {
            self.again(bytes).into_iter().for_each(|again| image.decode_again_by(again));
        }
        Ok(pixels)
    }

    /// Returns whether the file of a source may stay open. Systems allow a few hundred files, and the buffers of a model share theirs.
    fn may_stay_open(&self, source: &Source) -> bool {
        !matches!(source, Source::Uri(_)) || self.open.fetch_add(1, Ordering::Relaxed) < MOST_OPEN
    }

    /// Returns how these bytes are decoded again; `None` where they are no part of a file.
    fn again(&self, bytes: Bytes) -> Option<DecodeAgain> {
        let Bytes::File { file, start, length } = bytes else { return None };
        let (file, limits, ask) = (file.clone(), self.limits.clone(), self.formats.cloned());
        Some(Box::new(move || {
            let bytes = Bytes::File { file: &file, start, length };
            let formats = || ask.as_ref().map_or(BlockFormats::default(), |ask| ask());
            // The import has charged this memory.
            guarded(|| decode(bytes, &limits, &|_| Ok(()), &formats))?.ok()
        }))
    }
}

fn source<'a>(reader: &Reader<'a>, number: usize) -> Result<Source<'a>, ImportError> {
    let image = &reader.root.images[number];
    Ok(match (image.buffer_view, image.uri.as_deref()) {
        (Some(view), _) => match reader.store.missing(view) {
            Some(buffer) => Source::Missing(buffer),
            None => Source::View(reader.store.view(view, &|| format!("image {number}"))?),
        },
        (None, Some(uri)) => Source::Uri(uri),
        (None, None) => Source::Nowhere,
    })
}

fn name(image: &json::Image) -> String {
    let file = image.uri.as_deref().filter(|u| !u.starts_with("data:"));
    image.name.clone().or(file.map(str::to_owned)).unwrap_or_default()
}

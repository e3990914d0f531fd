//! Small pictures of the files that were opened last, beside the settings in the folder for what can be made again.
//!
//! A file of a picture is named after the path of the model, its length and the time of its last change, so that the picture of a file that
//! has changed is no longer found. A picture that is missing, cannot be read or cannot be written is no picture, and nothing is said.

use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use winit::event_loop::ActiveEventLoop;

use super::exports::export_job;
use crate::app::App;
use crate::app::jobs::{Kind, ResultHandler};
use crate::app::settings::Settings;
use crate::app::ui::RecentPicture;
use crate::export::picture::encode_png;
use crate::output;
use crate::session::{BesideCommand, CameraCommand, ExportKind, ExportSettings, Toggle, ViewCommand};

/// How long a model stands still before its picture is drawn, so that nothing that was asked for waits.
const STANDS_STILL: Duration = Duration::from_secs(2);
/// How long a clip plays before the picture of its model is drawn nevertheless.
const PLAYS: Duration = Duration::from_secs(10);
/// The most bytes of a picture that is read.
const MOST_BYTES: u64 = 1 << 18;
/// The most memory for the textures of a picture, bytes.
const TEXTURES: u64 = 64 << 20;

/// When the next picture is due.
#[derive(Debug, Default)]
pub(crate) struct NextPicture {
    /// The file that is shown and has no picture yet, and since when it is shown.
    shown: Option<(PathBuf, Instant)>,
    /// Since when nothing plays.
    still: Option<Instant>,
}

impl NextPicture {
    /// Notes that another file is shown now; `None`: one without a path.
    pub(crate) fn show(&mut self, path: Option<&Path>, now: Instant) {
        let path = path.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        (self.shown, self.still) = (path.map(|path| (path, now)), None);
    }

    /// Returns the file whose picture is due, once. `is_busy`: something is read or checked, or a clip plays.
    fn take(&mut self, now: Instant, is_playing: bool, is_busy: bool) -> Option<PathBuf> {
        let (_, since) = self.shown.as_ref()?;
        self.still = self.still.or(Some(now)).filter(|_| !is_playing && !is_busy);
        let is_due = self.due(*since).is_some_and(|at| now >= at);
        self.shown.take_if(|_| is_due && !is_busy).map(|(path, _)| path)
    }

    /// Returns when the picture of a file that is shown since `since` is due, as things stand.
    fn due(&self, since: Instant) -> Option<Instant> {
        let still = self.still.map(|still| still + STANDS_STILL);
        Some(still.map_or(since + PLAYS, |still| still.min(since + PLAYS)))
    }

    /// Returns when to look again; `None`: nothing is due.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.shown.as_ref().and_then(|(_, since)| self.due(*since))
    }
}

/// The folder of the pictures.
#[derive(Clone, Debug)]
pub(crate) struct PictureFolder(PathBuf);

impl PictureFolder {
    /// Returns the folder of the user; `None`: there is none here.
    pub(crate) fn of_user() -> Option<Self> {
        let dirs = directories::ProjectDirs::from("", "", "skinscope")?;
        Some(Self(dirs.cache_dir().join("recent")))
    }

    /// Returns the picture of a file as it is now.
    fn read(&self, path: &Path) -> Option<RecentPicture> {
        let file = self.0.join(name_of(path)?);
        let is_small = fs::metadata(&file).is_ok_and(|there| there.is_file() && there.len() <= MOST_BYTES);
        RecentPicture::from_png(&is_small.then(|| fs::read(&file))?.ok()?)
    }

    /// Writes the picture of a file, and removes those of files that are not among `recent` or have changed since. A failure is ignored.
    fn write(&self, path: &Path, png: &[u8], recent: &[PathBuf]) {
        let Some(name) = name_of(path) else { return };
        if fs::create_dir_all(&self.0).is_err() || output::write(&self.0.join(name), png).is_err() {
            return;
        }
        self.remove_others(recent);
    }

    /// Removes the pictures that are of no file of `recent` as it is now. Those of files that are not there now stay.
    fn remove_others(&self, recent: &[PathBuf]) {
        let names: Vec<String> = recent.iter().filter_map(|path| name_of(path)).collect();
        let away: Vec<String> =
            recent.iter().filter(|path| name_of(path).is_none()).map(|path| start_of(path)).collect();
        let Ok(entries) = fs::read_dir(&self.0) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_ours = name.ends_with(".png") && !names.contains(&name);
            if is_ours && !away.iter().any(|start| name.starts_with(start)) {
                output::take_back(&entry.path());
            }
        }
    }
}

/// Returns the first part of the names of the pictures of a file.
fn start_of(path: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    format!("{:016x}-", hasher.finish())
}

/// Returns the name of the picture of a file as it is now; `None`: it is not there.
fn name_of(path: &Path) -> Option<String> {
    let there = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let changed = there.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Some(format!("{}{:x}-{:x}.png", start_of(path), there.len(), changed.as_nanos()))
}

impl App {
    /// Reads the pictures of the files that were opened last.
    pub(crate) fn read_recent_pictures(&mut self) {
        let (Some(folder), recent) = (PictureFolder::of_user(), self.ui.saved().recent) else { return };
        if recent.is_empty() || self.pace.is_benchmark() {
            return;
        }
        self.jobs.start(Kind::RecentPicture, move |_| {
            let read = |path: &PathBuf| Some((path.clone(), Arc::new(folder.read(path)?)));
            let pictures: HashMap<PathBuf, Arc<RecentPicture>> = recent.iter().filter_map(read).collect();
            Some(Box::new(move |app: &mut App, _: &ActiveEventLoop| app.ui.add_recent_pictures(pictures))
                as ResultHandler)
        });
    }

    /// Begins to draw the picture of the file that is shown, where that is due. Returns when to look again.
    pub(crate) fn draw_recent_picture(&mut self, now: Instant) -> Option<Instant> {
        let is_busy =
            self.status.loading.is_some() || self.status.checking || self.jobs.is_running(Kind::RecentPicture);
        let due = self.next_picture.take(now, self.session.playback().playing, is_busy);
        if let (Some(path), Some(folder), false) = (due, PictureFolder::of_user(), self.pace.is_benchmark()) {
            self.start_recent_picture(path, folder);
        }
        self.next_picture.next().map(|at| at.max(now + Duration::from_millis(100)))
    }

    fn start_recent_picture(&mut self, path: PathBuf, folder: PictureFolder) {
        if let Some(picture) = folder.read(&path) {
            self.ui.add_recent_pictures([(path, Arc::new(picture))].into());
            return;
        }
        let size = RecentPicture::SIZE;
        let settings = ExportSettings { size, transparent: true, legend: false, ..ExportSettings::default() };
        let mut job = export_job(&self.session, &self.ui, &self.options, ExportKind::Picture, settings);
        // The whole model, and nothing but the model.
        let session = &mut job.session;
        if session.beside().is_some() {
            let is_of_other = |own: &Path| std::path::absolute(own).is_ok_and(|own| own != path);
            if session.document().and_then(|document| document.path.as_deref()).is_some_and(is_of_other) {
                session.apply(BesideCommand::Activate);
            }
            session.apply(BesideCommand::Close);
        }
        session.apply(ViewCommand::SetOverlay(None));
        for toggle in [Toggle::Bones, Toggle::Axes, Toggle::Names, Toggle::Grid, Toggle::Ground] {
            session.apply(ViewCommand::Set(toggle, false));
        }
        session.apply(CameraCommand::SetViewport(glam::Vec2::from(size.map(|side| side as f32))));
        session.update_pose();
        session.apply(CameraCommand::FrameAll);
        job.texture_memory = Some(job.texture_memory.unwrap_or(TEXTURES).min(TEXTURES));
        let mut recent = self.ui.saved().recent;
        self.jobs.start(Kind::RecentPicture, move |_| {
            let rgba = job.picture().ok()?;
            let png = encode_png(RecentPicture::SIZE, |take| {
                take(&rgba);
                Ok::<(), std::convert::Infallible>(())
            });
            if let Ok(Ok(png)) = png {
                // Another run may know other files.
                recent.extend(Settings::load().settings.ui.recent);
                folder.write(&path, &png, &recent);
            }
            let picture = RecentPicture::new(rgba)?;
            Some(Box::new(move |app: &mut App, _: &ActiveEventLoop| {
                app.ui.add_recent_pictures([(path, Arc::new(picture))].into())
            }) as ResultHandler)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("skinscope_recent_{}_{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        path
    }

    fn png(red: u8) -> Vec<u8> {
        let [width, height] = RecentPicture::SIZE;
        let rgba = [red, 0, 0, 255].repeat((width * height) as usize);
        encode_png(RecentPicture::SIZE, |take| {
            take(&rgba);
            Ok::<(), std::convert::Infallible>(())
        })
        .unwrap()
        .unwrap()
    }

    #[test]
    fn a_picture_is_of_a_file_as_it_is_and_goes_with_its_entry() {
        let place = folder("entries");
        let pictures = PictureFolder(place.join("pictures"));
        let files: Vec<PathBuf> = ["a.glb", "b.glb"].map(|name| place.join(name)).to_vec();
        files.iter().for_each(|file| fs::write(file, b"model").unwrap());
        for (file, red) in files.iter().zip([10, 20]) {
            pictures.write(file, &png(red), &files);
        }
        let red = |file: &Path| pictures.read(file).map(|picture| picture.rgba()[0]);
        assert_eq!((red(&files[0]), red(&files[1])), (Some(10), Some(20)));
        // A file that has changed has no picture until it is drawn again, and then the former one is gone.
        fs::write(&files[0], b"another model").unwrap();
        assert_eq!(red(&files[0]), None);
        pictures.write(&files[0], &png(30), &files);
        let count = || fs::read_dir(&pictures.0).unwrap().count();
        assert_eq!((red(&files[0]), count()), (Some(30), 2));
        // What is broken is no picture.
        fs::write(pictures.0.join(name_of(&files[1]).unwrap()), b"no picture").unwrap();
        assert_eq!(red(&files[1]), None);
        // So is a file that is far too large for one.
        let padded = [png(40), vec![0; MOST_BYTES as usize]].concat();
        fs::write(pictures.0.join(name_of(&files[1]).unwrap()), padded).unwrap();
        assert_eq!(red(&files[1]), None);
        // That of a file which is away stays, and that of an entry which is gone goes.
        fs::remove_file(&files[1]).unwrap();
        pictures.remove_others(&files);
        assert_eq!(count(), 2);
        pictures.remove_others(&files[..1]);
        assert_eq!((red(&files[0]), count()), (Some(30), 1));
        fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn nothing_is_said_where_no_picture_can_be_written() {
        let place = folder("read-only");
        let file = place.join("a.glb");
        fs::write(&file, b"model").unwrap();
        // A file stands where the folder would be.
        let pictures = PictureFolder(file.join("pictures"));
        pictures.write(&file, &png(1), std::slice::from_ref(&file));
        assert!(pictures.read(&file).is_none());
        fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn a_picture_is_drawn_once_nothing_has_moved_for_a_while_or_a_clip_has_played_for_long() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut next = NextPicture::default();
        assert_eq!((next.take(start, false, false), next.next()), (None, None));
        next.show(Some(Path::new("/a.glb")), start);
        assert_eq!(next.take(at(100), false, true), None, "it is still being read");
        assert_eq!(next.take(at(3000), false, false), None, "it stands still from now on");
        assert_eq!(next.take(at(4000), true, false), None, "it plays");
        assert_eq!(next.take(at(6000), false, false), None);
        assert_eq!(next.take(at(8100), false, false).as_deref(), Some(Path::new("/a.glb")));
        assert_eq!(next.take(at(9000), false, false), None, "once");
        next.show(Some(Path::new("/b.glb")), at(10_000));
        assert_eq!(next.take(at(19_000), true, false), None);
        assert_eq!(next.next(), Some(at(20_000)));
        assert_eq!(next.take(at(20_000), true, false).as_deref(), Some(Path::new("/b.glb")));
        next.show(None, at(30_000));
        assert_eq!(next.next(), None, "the built-in character is no file");
    }
}

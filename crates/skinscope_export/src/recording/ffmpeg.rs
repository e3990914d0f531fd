//! Films that `ffmpeg` encodes: it is started as a program of its own, is given the pixels of all pictures through a pipe, and
//! writes into the temporary file of the film.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

use super::target::Video;
use crate::film::Film;

/// What is said where it is not installed.
pub(super) const MISSING: &str = "MP4 and WebM are encoded by ffmpeg, which was not found. Install it (apt install ffmpeg, brew install \
                                  ffmpeg, winget install ffmpeg), or write a .gif, .webp, .apng or frames/%04d.png, which need no other program";

/// Returns the path of the program, if it is installed.
pub(super) fn installed() -> Option<PathBuf> {
    let name = format!("ffmpeg{}", std::env::consts::EXE_SUFFIX);
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(&name)).find(|program| program.is_file())
}

/// The program while it encodes. Dropping it ends it.
pub(super) struct Encoder {
    child: Child,
    /// The thread that reads the messages of `ffmpeg`.
    said: Option<JoinHandle<String>>,
}

impl Encoder {
    /// Starts `ffmpeg` for a film that it writes to `path`.
    ///
    /// # Errors
    /// It cannot be started, and why.
    pub fn start(program: &Path, video: Video, film: &Film, path: &Path) -> Result<Self, String> {
        let mut command = Command::new(program);
        command.args(arguments(video, film)).arg(path);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("{} could not be started: {error}", program.display()))?;
        let stderr = child.stderr.take();
        let read = move || {
            let mut text = Vec::new();
            let _cut = stderr.map(|mut from| from.read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        };
        let said = std::thread::Builder::new().name("ffmpeg".into()).spawn(read).ok();
        Ok(Self { child, said })
    }

    /// Gives `ffmpeg` the pixels of the next picture; returns false where it takes no more, since it has ended.
    pub fn add(&mut self, rgba: &[u8]) -> bool {
        self.child.stdin.as_mut().is_some_and(|pipe| pipe.write_all(rgba).is_ok())
    }

    /// Closes the pipe, and waits until `ffmpeg` has finished the file.
    ///
    /// # Errors
    /// It has failed; its own last words.
    pub fn end(mut self) -> Result<(), String> {
        drop(self.child.stdin.take());
        let status = self.child.wait().map_err(|error| error.to_string())?;
        let said = self.said.take().and_then(|said| said.join().ok()).unwrap_or_default();
        if status.success() {
            return Ok(());
        }
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        Err(format!("ffmpeg ended with {status}: {}", last.trim()))
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        // Where it has ended by itself there is nothing to end.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// Returns its arguments but for the last one, the output.
fn arguments(video: Video, film: &Film) -> Vec<String> {
    let [width, height] = film.size;
    let input = ["-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pixel_format", "rgba"];
    let mut out: Vec<String> = input.map(str::to_owned).to_vec();
    let mut add = |words: &[&str]| out.extend(words.iter().map(|word| (*word).to_owned()));
    add(&["-video_size", &format!("{width}x{height}"), "-framerate", &film.fps.to_string(), "-i", "pipe:0"]);
    // Colours are halved in number, so that sides are even; what is added lies at the right and below. The matrix is said,
    // as players guess it by the size otherwise.
    let pixels = if video == Video::Webm && film.transparent { "yuva420p" } else { "yuv420p" };
    let filter = format!(
        "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=black@0,scale=out_color_matrix=bt709:out_range=tv,format={pixels}"
    );
    add(&["-vf", &filter, "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]);
    match video {
        Video::Mp4 => add(&["-c:v", "libx264", "-crf", "18", "-movflags", "+faststart", "-f", "mp4"]),
        Video::Webm => add(&["-c:v", "libvpx-vp9", "-b:v", "0", "-crf", "24", "-row-mt", "1", "-f", "webm"]),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_even_and_only_webm_is_transparent() {
        let film = Film { size: [33, 20], count: 2, fps: 12.5, transparent: true };
        let said = |video| arguments(video, &film).join(" ");
        for video in [Video::Mp4, Video::Webm] {
            assert!(
                said(video).contains("-video_size 33x20 -framerate 12.5 -i pipe:0 -vf pad=ceil(iw/2)*2"),
                "{video:?}"
            );
        }
        assert!(said(Video::Webm).contains("format=yuva420p") && said(Video::Mp4).contains("format=yuv420p"));
        assert!(said(Video::Mp4).ends_with("-f mp4") && said(Video::Webm).ends_with("-f webm"));
    }
}

//! Draws a picture of every finding, without a window.

use std::sync::{Mutex, PoisonError};

use glam::Vec2;

use crate::export::picture::encode_png;
use crate::frame::{Background, Frame, SceneColors};
use crate::inspect::Inspection;
use crate::inspect::check::Report;
use crate::render::{Backend, Gpu, GpuError, on_device, render_rows};
use crate::session::{CameraCommand, Document, FindingCommand, Session, Toggle, ViewCommand};

/// The size of a picture in pixels: twice what the page shows, for high-density screens.
const SIZE: [u32; 2] = [720, 540];
/// The greatest number of pictures for each file; the worst findings come first.
const MOST: usize = 60;

/// Draws the pictures of one file after the other, with one device.
pub(super) struct Painter {
    gpu: Mutex<Option<Result<Gpu, GpuError>>>,
}

/// The pictures of a file's findings.
pub(super) struct Pictures {
    /// A PNG for each finding; `None` where there is no picture.
    pub(super) of_findings: Vec<Option<Vec<u8>>>,
    /// The reason why some are missing.
    pub(super) note: Option<String>,
}

impl Painter {
    pub(super) fn new() -> Self {
        Self { gpu: Mutex::new(None) }
    }

    /// Draws each finding as the window shows it: posed, marked, coloured and framed.
    pub(super) fn draw(&self, document: Document, report: &Report) -> Pictures {
        if report.findings.is_empty() {
            return Pictures { of_findings: Vec::new(), note: None };
        }
        let mut gpu = self.gpu.lock().unwrap_or_else(PoisonError::into_inner);
        let drawn = match gpu.get_or_insert_with(open) {
            Ok(gpu) => draw(gpu, document, report),
            Err(error) => Err(error.clone()),
        };
        let count = report.findings.len();
        match drawn {
            Ok(of_findings) => {
                let note = (count > MOST).then(|| format!("The first {MOST} of {count} findings have pictures."));
                Pictures { of_findings, note }
            }
            Err(error) => Pictures { of_findings: Vec::new(), note: Some(format!("There are no pictures: {error}")) },
        }
    }
}

fn open() -> Result<Gpu, GpuError> {
    Gpu::headless(Backend::Auto)
}

fn draw(gpu: &Gpu, document: Document, report: &Report) -> Result<Vec<Option<Vec<u8>>>, GpuError> {
    let mut session = Session::default();
    session.open(document);
    let Some(model) = session.document().map(|d| d.stored().clone()) else { return Ok(Vec::new()) };
    session.inspected(&model, Inspection { report: report.clone(), ..Inspection::default() });
    session.apply(CameraCommand::SetViewport(Vec2::new(SIZE[0] as f32, SIZE[1] as f32)));
    session.apply(ViewCommand::Set(Toggle::Grid, false));
    let mut frame = Frame::default();
    on_device(Some(gpu), open, |gpu, renderer| {
        let mut out = Vec::new();
        for index in 0..report.findings.len().min(MOST) {
            session.apply(FindingCommand::ShowFinding(index));
            session.update_pose();
            session.build_frame(&mut frame, &SceneColors::DARK);
            // A background of one colour makes small files.
            frame.display.background = Background::Solid([0.13, 0.14, 0.17]);
            out.push(encode_png(SIZE, |take| render_rows(gpu, renderer, &frame, SIZE, take))?.ok());
        }
        Ok(out)
    })
}

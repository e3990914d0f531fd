//! The files that were opened last: in the menu, and where nothing is open.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::accesskit::Role;
use egui::{
    Color32, ColorImage, CornerRadius, Id, Rect, RichText, Sense, Stroke, StrokeKind, TextureHandle, TextureOptions,
    Ui, Vec2, WidgetInfo, pos2, vec2,
};
use skinscope_frame::Background;
use skinscope_session::frame::SceneColors;
use skinscope_session::{Command, FileCommand};

use super::theme::{self, BODY, RADIUS, colors};
use super::widgets::{focus_ring, link, paint_line, section, shortened};
use super::{UiState, focus};

/// How many files are remembered.
const MOST: usize = 10;
/// How many of them are shown where nothing is open.
const SHOWN: usize = 5;
/// The size of a picture where nothing is open, and in the menu, points.
const ON_START: Vec2 = vec2(96.0, 60.0);
const IN_MENU: Vec2 = vec2(64.0, 40.0);

/// The pictures of files that were opened last, as far as there are any.
pub(super) type RecentPictures = HashMap<PathBuf, Arc<RecentPicture>>;

/// A small picture of a file.
#[derive(PartialEq, Eq)]
pub struct RecentPicture {
    /// RGBA of 8 bits, sRGB, straight alpha, rows from the top.
    rgba: Vec<u8>,
}

impl std::fmt::Debug for RecentPicture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a picture")
    }
}

impl RecentPicture {
    /// The width and height, pixels.
    pub const SIZE: [u32; 2] = [160, 100];

    /// Takes the pixels of a picture: RGBA of 8 bits, sRGB, straight alpha, rows from the top. `None` where they are of another size.
    #[must_use]
    pub fn new(rgba: Vec<u8>) -> Option<Self> {
        let [width, height] = Self::SIZE.map(|side| side as usize);
        (rgba.len() == 4 * width * height).then_some(Self { rgba })
    }

    /// Reads a PNG; `None` where it is none, or of another size.
    #[must_use]
    pub fn from_png(bytes: &[u8]) -> Option<Self> {
        let mut reader = image::ImageReader::with_format(std::io::Cursor::new(bytes), image::ImageFormat::Png);
        let mut limits = image::Limits::default();
        (limits.max_image_width, limits.max_image_height) = (Some(Self::SIZE[0]), Some(Self::SIZE[1]));
        reader.limits(limits);
        Self::new(reader.decode().ok()?.into_rgba8().into_raw())
    }

    /// Returns the pixels.
    #[must_use]
    pub fn rgba(&self) -> &[u8] {
        &self.rgba
    }
}

impl UiState {
    /// Takes pictures of files that were opened last, by their paths.
    pub fn add_recent_pictures(&mut self, pictures: HashMap<PathBuf, Arc<RecentPicture>>) {
        self.recent_pictures.extend(pictures);
        self.recent_pictures.retain(|path, _| self.saved.recent.contains(path));
    }
}

/// Returns the texture of the picture of a file, where there is one.
fn texture(ui: &Ui, pictures: &RecentPictures, path: &Path) -> Option<TextureHandle> {
    let picture = pictures.get(path)?;
    let id = Id::unique("recent picture").with(path);
    let known: Option<(usize, TextureHandle)> = ui.data(|data| data.get_temp(id));
    let address = Arc::as_ptr(picture) as usize;
    if let Some((_, texture)) = known.filter(|(of, _)| *of == address) {
        return Some(texture);
    }
    let image = ColorImage::from_rgba_unmultiplied(RecentPicture::SIZE.map(|side| side as usize), &picture.rgba);
    let texture = ui.ctx().load_texture("recent", image, TextureOptions::LINEAR);
    ui.data_mut(|data| data.insert_temp(id, (address, texture.clone())));
    Some(texture)
}

/// Returns the ground of a picture: that of the middle of the large picture, on which white figures are seen too.
fn ground(is_dark: bool) -> Color32 {
    let scene = if is_dark { SceneColors::DARK } else { SceneColors::LIGHT };
    let inner = match scene.background {
        Background::Solid(color) | Background::Studio { inner: color, .. } => color,
        Background::Transparent => [0.0; 3],
    };
    let [r, g, b] = inner.map(|channel| (255.0 * channel).round() as u8);
    Color32::from_rgb(r, g, b)
}

/// Paints a picture on a ground of its own.
fn paint(ui: &Ui, rect: Rect, texture: &TextureHandle) {
    let c = colors(ui);
    let ground = ground(ui.visuals().dark_mode);
    ui.painter().rect(rect, CornerRadius::same(RADIUS), ground, Stroke::new(1.0, c.line), StrokeKind::Inside);
    let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
    ui.painter().image(texture.id(), rect.shrink(1.0), whole, Color32::WHITE);
}

/// Shows the files in the menu: each by its picture, where there is one, and its name.
pub(super) fn show_in_menu(ui: &mut Ui, files: &[PathBuf], pictures: &RecentPictures, commands: &mut Vec<Command>) {
    for path in files {
        let name = name(files, path);
        let size = vec2(ui.available_width(), IN_MENU.y + 6.0);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::MenuItem, true, &name));
        let c = colors(ui);
        if response.hovered() {
            ui.painter().rect_filled(rect, CornerRadius::same(4), c.hovered);
        }
        let picture = Rect::from_min_size(rect.min + vec2(6.0, 3.0), IN_MENU);
        if let Some(texture) = texture(ui, pictures, path) {
            paint(ui, picture, &texture);
        }
        let left = picture.right() + 10.0;
        let (galley, _) = shortened(ui, &name, theme::regular(BODY), c.text, rect.right() - left - 8.0);
        paint_line(ui, galley, left, rect.center().y, c.text);
        focus_ring(ui, rect, &response);
        if response.on_hover_text(path.display().to_string()).clicked() {
            commands.push(FileCommand::Open(path.clone()).into());
        }
    }
}

/// Puts a file at the head of the list.
pub(super) fn remember(recent: &mut Vec<PathBuf>, path: &Path) {
    // A path that depends on where the program was started means nothing the next time.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    recent.retain(|known| *known != path);
    recent.insert(0, path);
    recent.truncate(MOST);
}

/// Returns the name of a file, with its folder where another one of the list has the same name.
pub(super) fn name(recent: &[PathBuf], path: &Path) -> String {
    let last = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let own = last(path);
    let folder = path.parent().map(last).unwrap_or_default();
    let is_alone = recent.iter().filter(|other| last(other) == own).count() < 2;
    if is_alone || folder.is_empty() { own } else { format!("{own} ({folder})") }
}

/// Shows the last of them as links, where nothing is open.
pub(super) fn show_on_start(ui: &mut Ui, recent: &[PathBuf], pictures: &RecentPictures, commands: &mut Vec<Command>) {
    if recent.is_empty() {
        return;
    }
    ui.add_space(10.0);
    section(ui, "Opened last", |_| {});
    for path in recent.iter().take(SHOWN) {
        let name = name(recent, path);
        let folder = path.parent().unwrap_or(Path::new("")).display().to_string();
        let texture = texture(ui, pictures, path);
        let words = |ui: &mut Ui| {
            let opened = link(ui, &name, &format!("Open {name}")).on_hover_text(path.display().to_string()).clicked();
            let text = RichText::new(folder).font(theme::regular(12.0)).color(colors(ui).dim);
            ui.add(egui::Label::new(text).truncate());
            opened
        };
        let opened = ui.horizontal(|ui| match texture {
            Some(texture) => {
                // The name beside it is what the keyboard and screen readers press.
                let (rect, response) = ui.allocate_exact_size(ON_START, Sense::click());
                focus::pass_over(ui, response.id);
                paint(ui, rect, &texture);
                ui.vertical(words).inner | response.clicked()
            }
            None => words(ui),
        });
        if opened.inner {
            commands.push(FileCommand::Open(path.clone()).into());
        }
    }
}

/// Returns how high the list is where nothing is open, points.
pub(super) fn height_on_start(recent: &[PathBuf], pictures: &RecentPictures) -> f32 {
    let rows = recent.iter().take(SHOWN);
    let height = |path: &PathBuf| if pictures.contains_key(path) { ON_START.y + 4.0 } else { 24.0 };
    if recent.is_empty() { 0.0 } else { 40.0 + rows.map(height).sum::<f32>() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_have_the_ground_of_the_large_picture_of_their_theme() {
        // In the light theme it is lighter than the lines of the panels, and darker than a white figure.
        let [light, dark] = [false, true].map(|is_dark| ground(is_dark).to_array());
        assert!(light[..3].iter().all(|channel| (230..250).contains(channel)), "{light:?}");
        assert!(dark[..3].iter().all(|channel| (40..90).contains(channel)), "{dark:?}");
    }

    #[test]
    fn files_that_were_opened_last_come_first_and_once() {
        let mut recent = Vec::new();
        for i in 0..MOST + 2 {
            remember(&mut recent, Path::new(&format!("/models/{i}.glb")));
        }
        remember(&mut recent, Path::new("/models/5.glb"));
        assert_eq!(
            (recent.len(), recent[0].as_path(), recent[1].as_path()),
            (MOST, Path::new("/models/5.glb"), Path::new("/models/11.glb"))
        );
        assert_eq!(recent.iter().filter(|path| path.ends_with("5.glb")).count(), 1);
        remember(&mut recent, Path::new("/others/5.glb"));
        assert_eq!(name(&recent, &recent[0]), "5.glb (others)");
        assert_eq!(name(&recent, &recent[2]), "11.glb");
    }
}

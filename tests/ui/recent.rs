//! The files that were opened last, with their pictures: where nothing is open, and in the menu.

use std::path::PathBuf;

use skinscope::app::ui::RecentPicture;

use super::*;

/// A window without a model that knows two files, of which the first has a picture.
fn knowing_two() -> Harness<'static, App> {
    let recent: Vec<PathBuf> = vec!["/models/hand.glb".into(), "/models/tail.glb".into()];
    let mut state = UiState::new(Saved { recent: recent.clone(), ..Saved::default() });
    let [width, height] = RecentPicture::SIZE;
    let red = RecentPicture::new([200, 30, 30, 255].repeat((width * height) as usize)).unwrap();
    let unknown: PathBuf = "/models/gone.glb".into();
    let picture = Arc::new(red);
    state.add_recent_pictures([(recent[0].clone(), Arc::clone(&picture)), (unknown, picture)].into());
    window(Session::default(), state, Status::default())
}

/// Returns the rectangles of what is painted from textures other than letters.
fn pictures(harness: &Harness<'_, App>) -> Vec<egui::Rect> {
    fn add(shape: &egui::Shape, out: &mut Vec<egui::Rect>) {
        let letters = egui::TextureId::default();
        match shape {
            egui::Shape::Rect(rect) if rect.brush.as_ref().is_some_and(|brush| brush.fill_texture_id != letters) => {
                out.push(rect.rect);
            }
            egui::Shape::Mesh(mesh) if mesh.texture_id != letters => out.push(mesh.calc_bounds()),
            egui::Shape::Vec(shapes) => shapes.iter().for_each(|shape| add(shape, out)),
            _ => {}
        }
    }
    let mut out = Vec::new();
    harness.output().shapes.iter().for_each(|clipped| add(&clipped.shape, &mut out));
    out
}

#[test]
fn the_empty_start_shows_pictures_of_files_and_opens_them_by_a_click_on_either() {
    let mut harness = knowing_two();
    let [picture] = pictures(&harness)[..] else { panic!("{:?}", pictures(&harness)) };
    let name = harness.get_by_label("Open hand.glb").rect();
    assert!(picture.right() < name.left() && picture.y_range().contains(name.center().y), "{picture:?} {name:?}");
    assert!(harness.get_by_label("Open tail.glb").rect().top() >= picture.bottom(), "the next one stands below it");
    let open = Command::File(FileCommand::Open("/models/hand.glb".into()));
    harness.hover_at(picture.center());
    harness.run();
    harness.drag_at(picture.center());
    harness.drop_at(picture.center());
    harness.run();
    assert_eq!(harness.state().commands.iter().filter(|command| **command == open).count(), 1);
    click(&mut harness, "Open hand.glb");
    assert_eq!(harness.state().commands.iter().filter(|command| **command == open).count(), 2);
}

#[test]
fn the_menu_shows_them_too() {
    let mut harness = knowing_two();
    click(&mut harness, "File");
    harness.get_by_role_and_label(Role::MenuItem, "Open recent").click();
    harness.run();
    let row = harness.get_by_role_and_label(Role::MenuItem, "hand.glb").rect();
    assert_eq!(pictures(&harness).iter().filter(|picture| row.contains(picture.center())).count(), 1);
    let other = harness.get_by_role_and_label(Role::MenuItem, "tail.glb").rect();
    assert!(pictures(&harness).iter().all(|picture| !other.contains(picture.center())));
    harness.get_by_role_and_label(Role::MenuItem, "tail.glb").click();
    harness.run();
    assert!(harness.state().commands.contains(&FileCommand::Open("/models/tail.glb".into()).into()));
}

#[test]
fn a_broken_picture_is_no_picture() {
    assert!(RecentPicture::from_png(b"no png").is_none());
    assert!(RecentPicture::new(vec![0; 16]).is_none(), "another size");
}

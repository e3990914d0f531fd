//! Settings that the window remembers from one run to the next: preferences and what was shown last. No settings file prevents the start: a
//! missing file means the defaults, a field of the wrong type means its own default, and numbers are clamped. A file that cannot be used
//! as it is stays as a copy beside the one that is written in its place, and an error says why.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ui::{self, AtStart, Saved};
use crate::output::{self, overwritten, say};
use crate::session::Source;

/// All settings that are remembered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Settings {
    /// The inner size of the window in points; zero: the default.
    pub size: [f32; 2],
    /// The settings of the panels, the theme and the like.
    pub ui: Saved,
}

/// Settings as they were read, and what is to be said about their file.
#[derive(Debug, Default)]
pub(super) struct ReadSettings {
    pub settings: Settings,
    /// Why the file, or a part of it, could not be used, and where it stays.
    pub complaint: Option<String>,
}

/// The greatest size of a settings file that is read, bytes; a file has a few hundred.
const MOST_BYTES: u64 = 1 << 20;

/// The most copies of settings files that could not be used.
const MOST_COPIES: usize = 100;

/// The largest length in the settings, points: no window system has larger windows.
const LARGEST: f64 = 32_767.0;

/// The most bytes of a path; systems allow some four thousand.
const LONGEST_PATH: usize = 4096;

impl Settings {
    pub(super) fn load() -> ReadSettings {
        path().map_or_else(ReadSettings::default, |path| Self::load_at(&path))
    }

    fn load_at(path: &Path) -> ReadSettings {
        let Some(bytes) = bytes_of(path) else { return ReadSettings::default() };
        let (settings, unusable) = match std::str::from_utf8(&bytes) {
            Ok(text) => Self::read(text),
            Err(error) => (Self::default(), Some(error.to_string())),
        };
        let complaint = unusable.map(|why| {
            let said = format!("Not all settings could be read.\n{}: {why}", path.display());
            match keep_copy(path, &bytes) {
                Ok(copy) => {
                    format!("{said}\nThe file stays as {}; others take the place of its settings.", copy.display())
                }
                Err(error) => {
                    format!("{said}\nIt could not be copied ({error}), and is overwritten when the window closes.")
                }
            }
        });
        ReadSettings { settings, complaint }
    }

    /// Reads the fields of `text` that can be used; with why others cannot.
    fn read(text: &str) -> (Self, Option<String>) {
        let mut file: Value = match serde_json::from_str(text) {
            Ok(file) => file,
            Err(error) => return (Self::default(), Some(error.to_string())),
        };
        clamp_numbers(&mut file);
        let mut unusable = Vec::new();
        let size = file.get("size").map(|size| serde_json::from_value(size.clone()));
        if !file.is_object() || matches!(size, Some(Err(_))) {
            unusable.push(if file.is_object() { "size" } else { "the whole" });
        }
        let size = size.and_then(Result::ok);
        let mut ui: Saved = file.get("ui").map_or_else(Saved::default, |ui| usable_fields(ui, &mut unusable));
        let why = (!unusable.is_empty()).then(|| format!("no value that can be used for {}", unusable.join(", ")));
        let is_path = |path: &PathBuf| path.as_os_str().len() <= LONGEST_PATH && !path.to_string_lossy().contains('\0');
        ui.last_folder = ui.last_folder.filter(is_path);
        ui.recent.retain(is_path);
        (Self { size: size.unwrap_or_default(), ui }, why)
    }

    /// Returns what a start without a file opens: a source, or nothing. A last file that is gone is left out.
    pub(super) fn first_source(&self) -> Option<Source> {
        match self.ui.at_start {
            AtStart::BuiltIn => Some(Source::BuiltIn),
            AtStart::Last => {
                let last = self.ui.recent.first().filter(|path| path.is_file());
                Some(last.map_or(Source::BuiltIn, |path| Source::of_named(path.clone())))
            }
            AtStart::Nothing => None,
        }
    }

    /// Sets the preferences that `changes` name (word and value), and writes the file. Nothing is written where one is not known.
    ///
    /// # Errors
    /// The message says which word or value is not known and which there are, or why the file could not be written.
    pub(super) fn set_preferences(&mut self, changes: &[(String, String)]) -> Result<(), String> {
        for (id, choice) in changes {
            if id == "layout" {
                if !ui::choose_layout(&mut self.ui, choice) {
                    let known = ui::layout_names(&self.ui).join(", ");
                    return Err(format!("there is no layout {choice}; there are {known}"));
                }
                continue;
            }
            let Some(preference) = ui::preference(id) else {
                let known = ui::PREFERENCES.iter().map(|p| p.id).collect::<Vec<_>>().join(", ");
                return Err(format!("there is no preference {id}; there are {known}, layout"));
            };
            if !preference.choose(&mut self.ui, choice) {
                let known = preference.choices().iter().map(|c| c.id).collect::<Vec<_>>().join(", ");
                return Err(format!("{id} cannot be {choice}; it can be {known}"));
            }
        }
        if changes.is_empty() {
            return Ok(());
        }
        let path = path().ok_or("there is no folder for settings here")?;
        self.save_at(&path).map_err(|error| format!("could not write {}: {error}", path.display()))
    }

    /// Writes the settings. An error does not disturb the user; it is written to standard error. `read` are the files
    /// that the program has open, which are never overwritten.
    pub(super) fn save<'a>(&self, read: impl IntoIterator<Item = &'a Path>) {
        let Some(path) = path() else { return };
        if let Err(error) = overwritten(&path, read) {
            say(error);
        } else if let Err(error) = self.save_at(&path) {
            say(format_args!("could not write {}: {error}", path.display()));
        }
    }

    fn save_at(&self, path: &Path) -> std::io::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        // Only a regular file is replaced: a pipe would be waited for, and a device remembers nothing.
        if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return Err(std::io::Error::other("it is a folder or something else that is no file"));
        }
        // It was not read, so that what it has would be lost.
        if std::fs::metadata(path).is_ok_and(|there| there.len() > MOST_BYTES) {
            return Err(std::io::Error::other("it is too long for a file of settings"));
        }
        output::write(path, text.as_bytes())
    }
}

fn path() -> Option<PathBuf> {
    let dirs = directories::ProjectDirs::from("", "", "skinscope")?;
    Some(dirs.config_dir().join("settings.json"))
}

/// Returns the bytes of a regular file that is not too long. Anything else of that name is not waited for.
fn bytes_of(path: &Path) -> Option<Vec<u8>> {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    let read = File::open(path).ok()?.take(MOST_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (read as u64 <= MOST_BYTES).then_some(bytes)
}

/// Writes the bytes of a settings file that cannot be used into a new file beside it, unless one has it already. Returns the path of that.
fn keep_copy(path: &Path, bytes: &[u8]) -> std::io::Result<PathBuf> {
    let names = (1..).map(|number| path.with_file_name(format!("settings-unread-{number}.json")));
    for copy in names.take(MOST_COPIES) {
        match std::fs::symlink_metadata(&copy) {
            Ok(_) if bytes_of(&copy).as_deref() == Some(bytes) => return Ok(copy),
            Ok(_) => {}
            Err(_) => return output::write(&copy, bytes).map(|()| copy),
        }
    }
    Err(std::io::Error::other("there are too many such files"))
}

fn clamp_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(size) = number.as_f64().filter(|size| size.abs() > LARGEST) {
                *value = Value::from(size.clamp(-LARGEST, LARGEST));
            }
        }
        Value::Array(list) => list.iter_mut().for_each(clamp_numbers),
        Value::Object(fields) => fields.values_mut().for_each(clamp_numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Returns the default with those fields of `file` that fit its type: a field that does not fit affects none of the
/// others.
///
/// `unusable` receives the names of those that do not fit.
fn usable_fields<'f, T: Default + Serialize + DeserializeOwned>(file: &'f Value, unusable: &mut Vec<&'f str>) -> T {
    let (Some(file), Ok(Value::Object(mut usable))) = (file.as_object(), serde_json::to_value(T::default())) else {
        unusable.push("ui");
        return T::default();
    };
    for (name, value) in file {
        let Some(default) = usable.insert(name.clone(), value.clone()) else {
            usable.remove(name);
            continue;
        };
        if serde_json::from_value::<T>(Value::Object(usable.clone())).is_err() {
            usable.insert(name.clone(), default);
            unusable.push(name);
        }
    }
    serde_json::from_value(Value::Object(usable)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    fn remembered() -> Settings {
        let ui = Saved { light: true, tables: true, outliner_width: 300.0, ..Saved::default() };
        Settings { size: [1500.0, 800.0], ui: Saved { last_folder: Some("/models".into()), ..ui } }
    }

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("skinscope_settings_{}_{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    /// The state of a xorshift generator moves on.
    fn random(state: &mut u64, below: usize) -> usize {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state % below as u64) as usize
    }

    fn assert_sane(value: &Value, from: &str) {
        match value {
            Value::Number(n) => assert!(n.as_f64().is_some_and(|n| n.abs() <= LARGEST), "{n} from {from}"),
            Value::Array(list) => list.iter().for_each(|v| assert_sane(v, from)),
            Value::Object(fields) => fields.values().for_each(|v| assert_sane(v, from)),
            // A number that is not finite is written as null.
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }

    #[test]
    fn what_is_saved_is_read_again() {
        let text = serde_json::to_string_pretty(&remembered()).unwrap();
        assert_eq!(Settings::read(&text), (remembered(), None));
        assert_eq!(Settings::read("{}"), (Settings::default(), None));
    }

    #[test]
    fn a_field_of_the_wrong_type_costs_only_itself() {
        let whole = serde_json::to_value(remembered()).unwrap();
        let defaults = serde_json::to_value(Settings::default()).unwrap();
        let nested = (0..100).fold(json!(1e30), |inner, _| json!([inner]));
        let hostile =
            [json!(null), json!("text"), json!([]), json!({ "x": [] }), json!([1e30, -7, "y"]), json!("\0"), nested];
        for name in whole["ui"].as_object().unwrap().keys() {
            for value in &hostile {
                let mut file = whole.clone();
                file["ui"][name] = value.clone();
                let read = serde_json::to_value(Settings::read(&file.to_string()).0).unwrap();
                for (other, was) in whole["ui"].as_object().unwrap() {
                    let wanted = if other == name { &defaults["ui"][name] } else { was };
                    // Any text may be a path or a name; its reader ignores names that do not exist.
                    let is_text = ["last_folder", "pose_folder"].contains(&other.as_str())
                        || (was.is_string() && value.is_string());
                    if other != name || !is_text {
                        assert_eq!(&read["ui"][other], wanted, "{other} after {name} became {value}");
                    }
                }
                assert_eq!(read["size"], whole["size"]);
            }
        }
        let mut file = whole.clone();
        file["size"] = json!("large");
        assert_eq!(Settings::read(&file.to_string()).0, Settings { size: [0.0; 2], ..remembered() });
        file["ui"] = json!(7);
        assert_eq!(Settings::read(&file.to_string()).0, Settings::default());
    }

    /// Fields that are added later are handled by the same code, so the test names none.
    #[test]
    fn whatever_stands_in_the_file_every_number_has_bounds() {
        let whole = serde_json::to_value(remembered()).unwrap();
        let numbers = [1e308, -1e308, 1e39, 1e30, -1e30, 70_000.0, -0.0, 5e-324];
        let mut state = 0x9E37_79B9_7F4A_7C15;
        for _ in 0..2000 {
            let mut file = whole.clone();
            for _ in 0..=random(&mut state, 3) {
                let fields = file["ui"].as_object().unwrap();
                let name = fields.keys().nth(random(&mut state, fields.len())).unwrap().clone();
                let number = numbers[random(&mut state, numbers.len())];
                file["ui"][name] = json!(number);
                file["size"][random(&mut state, 2)] = json!(numbers[random(&mut state, numbers.len())]);
            }
            let text = file.to_string();
            let read = Settings::read(&text).0;
            assert!(read.size.iter().all(|s| s.is_finite()), "{text}");
            assert_sane(&serde_json::to_value(&read).unwrap(), &text);
        }
    }

    #[test]
    fn bytes_that_are_changed_or_cut_off_never_stop_the_start() {
        let text = serde_json::to_string_pretty(&remembered()).unwrap();
        let mut state = 0x2545_F491_4F6C_DD1D;
        let put_in = ["1e999", "NaN", "-", "[", "{", "\"", "\\u0000", "99999999999999999999", "null", "\u{fffd}"];
        for _ in 0..5000 {
            let mut changed = text.clone();
            for _ in 0..=random(&mut state, 4) {
                let at = random(&mut state, changed.len() + 1);
                let to = (at + random(&mut state, 6)).min(changed.len());
                if changed.is_char_boundary(at) && changed.is_char_boundary(to) {
                    changed.replace_range(at..to, put_in[random(&mut state, put_in.len())]);
                }
            }
            assert_sane(&serde_json::to_value(Settings::read(&changed).0).unwrap(), &changed);
        }
        for deep in ["[", "{\"ui\":"] {
            assert_eq!(Settings::read(&deep.repeat(200_000)).0, Settings::default());
        }
    }

    #[test]
    fn the_preferences_say_what_a_start_without_a_file_opens_and_words_that_are_not_known_change_nothing() {
        let folder = folder("start");
        let model = folder.join("model.glb");
        std::fs::write(&model, "").unwrap();
        let mut settings = Settings::default();
        settings.ui.recent = vec![model.clone()];
        assert_eq!(settings.first_source(), Some(Source::BuiltIn));
        for (choice, opens) in [("last", Some(Source::File(model.clone()))), ("nothing", None)] {
            assert!(ui::preference("start").unwrap().choose(&mut settings.ui, choice));
            assert_eq!(settings.first_source(), opens);
        }
        std::fs::remove_file(&model).unwrap();
        assert!(ui::preference("start").unwrap().choose(&mut settings.ui, "last"));
        assert_eq!(settings.first_source(), Some(Source::BuiltIn), "it is gone");
        let pair = |a: &str, b: &str| [(a.to_owned(), b.to_owned())];
        let error = settings.set_preferences(&pair("colour", "red")).unwrap_err();
        assert!(error.contains("no preference colour; there are theme, scale"), "{error}");
        let error = settings.set_preferences(&pair("theme", "red")).unwrap_err();
        assert!(error.contains("theme cannot be red; it can be system, dark, light"), "{error}");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_arrangement_of_panels_that_cannot_be_read_is_replaced_by_the_usual_one_and_named() {
        let mut settings = remembered();
        assert!(ui::choose_layout(&mut settings.ui, "Weighting"));
        let text = serde_json::to_string(&settings).unwrap();
        assert_eq!(Settings::read(&text), (settings.clone(), None));
        for broken in ["left inspektor", "float@1,2 outliner", "nonsense"] {
            let mut file = serde_json::to_value(&settings).unwrap();
            file["ui"]["layout"] = json!(broken);
            let (read, why) = Settings::read(&file.to_string());
            assert_eq!(why.as_deref(), Some("no value that can be used for layout"), "{broken}");
            assert_eq!(read.ui.layout, ui::Arrangement::default());
            assert_eq!(read.ui.outliner_width, 256.0, "that of the layout: all else is read");
        }
        // An older file names no layout; one of a newer program may have panels that this one lacks.
        assert_eq!(Settings::read("{\"ui\":{\"tables\":true}}").0.ui.layout, ui::Arrangement::default());
        let mut own = serde_json::to_value(&settings).unwrap();
        let layout = json!({ "name": "Mine", "arrangement": "left graph", "shown": [], "sizes": [1.0, 2.0, 3.0] });
        own["ui"]["layouts"] = json!([layout]);
        assert_eq!(Settings::read(&own.to_string()).1.as_deref(), Some("no value that can be used for layouts"));
        let pair = |a: &str, b: &str| [(a.to_owned(), b.to_owned())];
        let error = settings.set_preferences(&pair("layout", "none")).unwrap_err();
        assert_eq!(error, "there is no layout none; there are Default, Weighting, Measuring");
    }

    #[test]
    fn a_file_that_cannot_be_used_is_said_and_stays_as_a_copy() {
        let folder = folder("unread");
        let path = folder.join("settings.json");
        let copy = |number: usize| std::fs::read_to_string(folder.join(format!("settings-unread-{number}.json"))).ok();
        let broken = "{\"ui\":{\"light\":true,";
        let partly = "{\"ui\":{\"light\":\"very\",\"tables\":true,\"scale\":[]}}";
        std::fs::write(&path, broken).unwrap();
        for _ in 0..2 {
            let read = Settings::load_at(&path);
            let said = read.complaint.unwrap();
            assert!(said.contains("EOF while parsing") && said.contains("settings-unread-1.json"), "{said}");
            assert_eq!(read.settings, Settings::default());
        }
        assert_eq!((copy(1).as_deref(), copy(2)), (Some(broken), None), "it is copied once");
        std::fs::write(&path, partly).unwrap();
        let read = Settings::load_at(&path);
        let said = read.complaint.unwrap();
        assert!(said.contains("no value that can be used for light, scale"), "{said}");
        assert!(read.settings.ui.tables && read.settings.ui.scale == 100);
        read.settings.save_at(&path).unwrap();
        assert!(Settings::load_at(&path).complaint.is_none(), "what is written then is right");
        assert_eq!((copy(1).as_deref(), copy(2).as_deref(), copy(3)), (Some(broken), Some(partly), None));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_no_settings_file_is_not_read() {
        let folder = folder("odd");
        assert_eq!(bytes_of(&folder), None, "a folder");
        assert_eq!(bytes_of(&folder.join("none")), None);
        let large = folder.join("large");
        std::fs::write(&large, " ".repeat(MOST_BYTES as usize + 1)).unwrap();
        assert_eq!(bytes_of(&large), None);
        assert!(remembered().save_at(&large).is_err(), "what is too long to be read is not overwritten");
        std::fs::write(&large, [0xff, 0xfe, 0]).unwrap();
        let read = Settings::load_at(&large);
        assert!(
            read.complaint.is_some_and(|said| said.contains("invalid utf-8")) && read.settings == Settings::default()
        );
        std::fs::write(&large, "{}").unwrap();
        assert_eq!(bytes_of(&large).as_deref(), Some(&b"{}"[..]));
        #[cfg(unix)]
        {
            let pipe = folder.join("pipe");
            assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            assert_eq!(bytes_of(&pipe), None, "a pipe is not waited for");
            assert!(remembered().save_at(&pipe).is_err(), "a pipe is not replaced");
        }
        assert!(remembered().save_at(&folder).is_err(), "a folder is not replaced");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    /// Saves over and over where [`saving_that_is_killed_leaves_a_whole_file`] starts it; else nothing.
    #[test]
    fn saves_until_it_is_killed() {
        let Some(path) = std::env::var_os("SKINSCOPE_TEST_SAVES") else { return };
        let (a, b) = (remembered(), Settings::default());
        loop {
            a.save_at(Path::new(&path)).unwrap();
            b.save_at(Path::new(&path)).unwrap();
        }
    }

    #[test]
    fn saving_that_is_killed_leaves_a_whole_file() {
        let folder = folder("killed");
        let path = folder.join("settings.json");
        let mut state = 0xD1B5_4A32_D192_ED03;
        for _ in 0..50 {
            remembered().save_at(&path).unwrap();
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "app::settings::tests::saves_until_it_is_killed"])
                .env("SKINSCOPE_TEST_SAVES", &path)
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            let before = remembered();
            // It is killed while it is saving.
            while std::fs::read_to_string(&path).is_ok_and(|text| Settings::read(&text).0 == before) {
                assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            }
            std::thread::sleep(Duration::from_micros(random(&mut state, 3000) as u64));
            child.kill().unwrap();
            child.wait().unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(
                [remembered(), Settings::default()].iter().any(|s| serde_json::to_string_pretty(s).unwrap() == text)
            );
        }
        // At most the last one has left a temporary file; the next save removes it.
        remembered().save_at(&path).unwrap();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

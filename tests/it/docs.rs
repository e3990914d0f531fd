//! What README.md and the pages in `docs/` say is true: their tables are the program's, their commands parse, their
//! links lead somewhere, and every page is in the contents.
//!
//! A table that the program can write stands between `<!-- table: NAME -->` and `<!-- end of table -->`, where NAME is
//! a row of [`TABLES`]. `SKINSCOPE_WRITE_DOCS=1 cargo test --test it docs` writes all of them into the pages.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

mod weights;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use skinscope::app::ui::PREFERENCES;
use skinscope::deform::{Deformer, METHODS, NORMAL_MODES, PASSES, Parameter};
use skinscope::edit::{OPERATIONS, REPAIRED, RUNTIMES};
use skinscope::examples::{self, Argument};
use skinscope::frame::{LOOKS, TONE_MAPS};
use skinscope::import::{EXTENSIONS, Support};
use skinscope::inspect::check::{GATES, RULES};
use skinscope::inspect::measure::MEASURES;
use skinscope::inspect::rom::ROM_RULES;
use skinscope::inspect::{OVERLAYS, Scale, overlay_of_rule};
use skinscope::pose::controls::Preset;
use skinscope::render::software::SWITCHES;
use skinscope::session::{COMMANDS, Keymap, Menu, Shortcut};

use crate::markdown::{anchors, code_spans, command_lines, links};

/// What stands before the name of a table.
const BEGIN: &str = "<!-- table: ";
/// What stands after a table.
const END: &str = "<!-- end of table -->";

/// Options that every command has which opens a file, or every command at all. The table of options leaves them out.
const OF_ALL: [&str; 4] = ["--allow-external", "--max-memory", "--help", "--version"];
/// Options in the text that are none of the program's.
const OF_OTHERS: [&str; 7] =
    ["--command", "--dependency", "--full", "--ignored", "--my-parameter", "--sshlogin", "--workdir"];

/// Writes a table anew; the argument is the table as it is.
type Maker = fn(&str) -> String;

/// Every table that the program can write, by the name in the pages.
static TABLES: &[(&str, Maker)] = &[
    ("commands", |_| commands()),
    ("options", |_| options()),
    ("keys", |_| keys()),
    ("keys as in maya", |_| keys_as_in_maya()),
    ("overlays", |_| overlays()),
    ("looks", |_| looks()),
    ("tone maps", |_| tone_maps()),
    ("preferences", |_| preferences()),
    ("methods", |_| methods()),
    ("parameters", |_| parameters()),
    ("normals", |_| normals()),
    ("runtimes", |_| runtimes()),
    ("measures", |_| measures()),
    ("presets", |_| presets()),
    ("rules", |_| rules()),
    ("gates", |_| gates()),
    ("range of motion", |_| range_of_motion()),
    ("operations", |_| weights::operations()),
    ("brushes", |_| weights::brushes()),
    ("binders", |_| weights::binders()),
    ("numbers of binders", |_| weights::numbers_of_binders()),
    ("rules of binding", |_| weights::rules_of_binding()),
    ("examples", |_| examples()),
    ("functions of pages", |_| functions_of_pages()),
    ("extensions that are shown", |old| extensions(old, "what is shown of it", true)),
    ("extensions that only open", |old| extensions(old, "what becomes of it", false)),
    ("deformers", |_| deformers()),
    ("software", |_| software()),
];

/// A page of the manual.
struct Page {
    /// The path in the repository, such as `docs/window.md`.
    name: String,
    /// The text of the file.
    text: String,
    /// The text with the tables that the program writes.
    wanted: String,
}

/// README.md and all pages of `docs/`. Where `SKINSCOPE_WRITE_DOCS` is set their tables are written first.
static PAGES: LazyLock<Vec<Page>> = LazyLock::new(|| {
    let writes = std::env::var_os("SKINSCOPE_WRITE_DOCS").is_some();
    let entries = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = entries.filter(|path| path.extension().is_some_and(|e| e == "md"));
    let names = pages.map(|path| format!("docs/{}", path.file_name().unwrap().to_str().unwrap()));
    let mut names: Vec<String> = names.chain(["README.md".to_owned()]).collect();
    names.sort();
    let read = |name: String| {
        let path = root().join(&name);
        let text = std::fs::read_to_string(&path).unwrap();
        let wanted = with_tables(&name, &text);
        if writes && text != wanted {
            std::fs::write(&path, &wanted).unwrap();
        }
        Page { name, text: if writes { wanted.clone() } else { text }, wanted }
    };
    names.into_iter().map(read).collect()
});

/// The subcommands of the program, each with its help.
static SUBCOMMANDS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let (_, help) = parsed(&["--help"]);
    let (_, list) = help.split_once("\nCommands:\n").unwrap();
    // Lines that go on from the line before are indented further.
    let rows = list.lines().take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let names = rows.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(|name| (name.to_owned(), parsed(&["help", name]).1)).collect()
});

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn page(name: &str) -> &'static Page {
    PAGES.iter().find(|page| page.name == name).unwrap()
}

/// Gives arguments to the program's command line, in this process. Returns the exit code, and what was printed: on
/// standard output where that is 0, else on standard error.
fn parsed(arguments: &[&str]) -> (u8, String) {
    let mut all = vec![OsString::from("skinscope")];
    all.extend(arguments.iter().map(OsString::from));
    let (code, captured) = skinscope::cli::captured(all);
    let text = if code == 0 { captured.stdout } else { captured.stderr };
    (code, String::from_utf8(text).unwrap())
}

/// Returns a page in which every table between markers is the program's.
fn with_tables(name: &str, text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (table, after) = after.split_once(" -->\n").unwrap();
        let (old, after) = after.split_once(END).unwrap();
        let make = TABLES.iter().find(|row| row.0 == table).map(|row| row.1);
        assert!(make.is_some(), "{name}: no table is called \"{table}\"");
        out += &format!("{before}{BEGIN}{table} -->\n{}{END}", make.unwrap()(old));
        rest = after;
    }
    out + rest
}

/// Writes a table in Markdown.
fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let mut out = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(N));
    for row in rows {
        out += &format!("| {} |\n", row.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
    out
}

/// The cells of the rows of a table that begin with code.
fn rows_of(text: &str) -> Vec<Vec<&str>> {
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// The first sentence of each subcommand's help.
fn commands() -> String {
    let about = |help: &str| help.split("\n\n").next().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    let rows = SUBCOMMANDS.iter().map(|(name, help)| [code(&format!("skinscope {name}")), about(help)]);
    table(["command", "what it does"], rows)
}

/// The long options that the help of a subcommand explains.
fn options_of(help: &str) -> Vec<&str> {
    let lines = help.lines().filter(|line| line.starts_with("  -") || line.starts_with("      --"));
    let named = lines.filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")));
    named.map(|word| word.split(['[', '=']).next().unwrap_or(word)).collect()
}

fn options() -> String {
    let rows = SUBCOMMANDS.iter().map(|(name, help)| {
        let own: Vec<&str> = options_of(help).into_iter().filter(|option| !OF_ALL.contains(option)).collect();
        [code(name), code(&own.join(" "))]
    });
    table(["command", "options"], rows)
}

fn keys() -> String {
    let menus = [
        Menu::File,
        Menu::Edit,
        Menu::Pose,
        Menu::View,
        Menu::Look,
        Menu::Overlay,
        Menu::Tools,
        Menu::Playback,
        Menu::Help,
    ];
    let rows = menus.into_iter().flat_map(|menu| COMMANDS.iter().filter(move |row| row.menu == menu));
    let with_key = rows.filter_map(|row| Some([row.shortcut?.to_string(), row.label.to_owned(), row.help.to_owned()]));
    table(["key", "command", "what it does"], with_key)
}

fn keys_as_in_maya() -> String {
    let key = |key: Option<Shortcut>| key.map_or_else(|| "none".to_owned(), |key| key.to_string());
    let others = COMMANDS.iter().filter(|row| Keymap::Maya.keys(row) != row.shortcut);
    let rows = others.map(|row| [row.label.to_owned(), key(row.shortcut), key(Keymap::Maya.keys(row))]);
    table(["command", "key", "key as in Maya"], rows)
}

fn preferences() -> String {
    let rows = PREFERENCES.iter().map(|preference| {
        let choices = preference.choices();
        // The overlays have a page of their own.
        let words = match preference.id {
            "overlay" => "none, or an overlay".to_owned(),
            _ => choices.iter().map(|choice| choice.id).collect::<Vec<_>>().join(", "),
        };
        [preference.label.to_owned(), code(preference.id), words, preference.help.to_owned()]
    });
    table(["preference", "word", "values", "what it does"], rows)
}

fn overlays() -> String {
    let rows = OVERLAYS.iter().map(|overlay| {
        let key = overlay.key.map_or_else(String::new, |key| format!(" ({})", key.to_uppercase()));
        [format!("{}{key}", overlay.label), code(overlay.id), overlay.help.to_owned(), scale(&overlay.scale)]
    });
    table(["overlay", "`--overlay`", "what it shows", "scale"], rows)
}

fn looks() -> String {
    let rows = LOOKS.iter().map(|look| [look.label.to_owned(), code(look.id), look.help.to_owned()]);
    table(["look", "`--look`", "what it does"], rows)
}

fn tone_maps() -> String {
    let rows = TONE_MAPS.iter().map(|map| [map.label.to_owned(), code(map.id), map.help.to_owned()]);
    table(["tone map", "`--tone-map`", "what it does"], rows)
}

/// The labels of a scale, as its legend has them.
fn scale(scale: &Scale) -> String {
    match scale {
        Scale::Ramp { ticks, none, .. } => {
            let labels: Vec<&str> = ticks.iter().map(|(_, label)| *label).collect();
            let none = none.as_ref().map_or_else(String::new, |step| format!("; else: {}", step.label));
            format!("{}{none}", labels.join(", "))
        }
        Scale::Steps(steps) => steps.iter().map(|step| step.label).collect::<Vec<_>>().join(", "),
        Scale::Joints => "a colour for each joint".to_owned(),
    }
}

fn methods() -> String {
    let rows = METHODS.iter().map(|method| [method.label.to_owned(), code(method.id), method.help.to_owned()]);
    table(["method", "`--method`", "what it does"], rows)
}

/// The parameters of all methods and passes.
fn parameters() -> String {
    let of_methods = METHODS.iter().flat_map(|method| {
        let option = |parameter: &Parameter| format!("--{} VALUE", parameter.id);
        method.parameters.iter().map(move |parameter| (method.label, option(parameter), parameter))
    });
    let of_passes = PASSES.iter().flat_map(|pass| {
        let option = format!("--{} {}", pass.id, pass.usage);
        pass.parameters.iter().map(move |parameter| (pass.label, option.clone(), parameter))
    });
    let rows = of_methods.chain(of_passes).map(|(of, option, parameter)| {
        let [least, most] = parameter.range;
        let range = format!("{least} to {most}, {} by default", parameter.default);
        [of.to_owned(), parameter.label.to_owned(), code(&option), range, parameter.help.to_owned()]
    });
    table(["of", "parameter", "option", "range", "what it does"], rows)
}

fn normals() -> String {
    let rows = NORMAL_MODES.iter().map(|mode| {
        let after = if mode.fits_all { "every method" } else { "linear blend" };
        [mode.label.to_owned(), code(mode.id), mode.help.to_owned(), after.to_owned()]
    });
    table(["normals", "`--normals`", "what carries the normal", "after"], rows)
}

fn runtimes() -> String {
    let rows = RUNTIMES.iter().map(|runtime| [runtime.label.to_owned(), code(runtime.id), runtime.help.to_owned()]);
    table(["runtime", "`--runtime`", "what it does to weights"], rows)
}

fn measures() -> String {
    let rows = MEASURES.iter().map(|measure| [measure.label.to_owned(), code(measure.id), measure.help.to_owned()]);
    table(["measure", "in JSON", "what it is"], rows)
}

fn presets() -> String {
    let rows = Preset::ALL.map(|preset| [preset.label().to_owned(), preset.help().to_owned()]);
    table(["purpose", "what the lines do"], rows)
}

/// The rules of the checker. What `fix --rules` cannot repair has the operation that comes nearest, if there is one.
fn rules() -> String {
    let rows = RULES.iter().map(|rule| {
        let nearest = OPERATIONS.iter().find(|operation| operation.repairs.contains(&rule.id));
        let by = if REPAIRED.contains(&rule.id) { Some("rules") } else { nearest.map(|operation| operation.id) };
        let repair = by.map_or_else(|| "none".to_owned(), |id| code(&format!("fix --{id}")));
        [code(rule.id), rule.help.to_owned(), rule.severity.id().to_owned(), repair]
    });
    table(["rule", "what it looks for", "severity", "repair"], rows)
}

/// The shares of the surface that a pipeline limits, with the rules that each reads.
fn gates() -> String {
    let rows = GATES.iter().map(|gate| {
        let rules: Vec<String> = gate.rules.iter().map(|rule| code(rule.id)).collect();
        let rules = if rules.is_empty() { "none".to_owned() } else { rules.join(", ") };
        [code(gate.id), gate.help.to_owned(), rules]
    });
    table(["share", "what is measured", "rules that it reads"], rows)
}

fn range_of_motion() -> String {
    let rows = ROM_RULES.iter().map(|rule| {
        let overlay = overlay_of_rule(rule.id).map(code).unwrap_or_default();
        [code(rule.id), rule.label.to_owned(), overlay, rule.help.to_owned()]
    });
    table(["rule", "name", "overlay", "what it lists"], rows)
}

fn functions_of_pages() -> String {
    let row = |measured: &examples::Measured| {
        let mut joints = ["\"A\"", "\"B\"", "\"C\""].into_iter();
        let given = measured.takes.iter().map(|argument| match argument {
            Argument::Node => joints.next().unwrap(),
            Argument::Vertex => "12",
            Argument::Method => "\"linear\"",
        });
        let call = format!("{}({})", measured.name, given.collect::<Vec<_>>().join(", "));
        [code(&call), measured.help.to_owned()]
    };
    table(["function", "what it is"], examples::MEASURES.iter().map(row))
}

fn examples() -> String {
    let rows = examples::examples().map(|e| [e.title.to_owned(), code(e.id), e.question.to_owned()]);
    table(["example", "`--example`", "the question"], rows)
}

/// The extensions that are shown, or those that are not. What becomes of each, and the test that shows it, are words
/// of the page; an extension that is new there gets question marks, to be replaced by hand.
fn extensions(old: &str, head: &str, is_shown: bool) -> String {
    let known = rows_of(old);
    let named = EXTENSIONS.iter().filter(|extension| (extension.support == Support::Shown) == is_shown);
    let rows = named.map(|extension| {
        let name = code(extension.name);
        let row = known.iter().find(|row| row.len() == 3 && row[0] == name);
        let [words, test] = [1, 2].map(|i| row.map_or("?", |row| row[i]).to_owned());
        [name, words, test]
    });
    table(["extension", head, "shown by the test"], rows)
}

fn deformers() -> String {
    let rows = Deformer::ALL.map(|by| [by.label().to_owned(), code(by.id()), by.help().to_owned()]);
    table(["deformed by", "`--deform`", "how"], rows)
}

/// What only a software device needs.
fn software() -> String {
    let rows = SWITCHES.iter().map(|switch| [code(switch.name), switch.help.trim().to_owned()]);
    table(["switch", "what it does, and what it gains"], rows)
}

/// All Rust sources of a folder, joined.
fn sources(folder: &Path, out: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            *out += &std::fs::read_to_string(path).unwrap();
        }
    }
}

#[test]
fn tables_are_the_programs() {
    for page in PAGES.iter() {
        let differs = page.text.lines().zip(page.wanted.lines()).find(|(is, wanted)| is != wanted);
        assert!(
            page.text == page.wanted,
            "{}: a table is not the program's, first at {differs:?}; \
             `SKINSCOPE_WRITE_DOCS=1 cargo test --test it docs` writes it",
            page.name
        );
    }
    for (name, _) in TABLES {
        let marker = format!("{BEGIN}{name} -->\n");
        assert!(PAGES.iter().any(|page| page.text.contains(&marker)), "no page has the table \"{name}\"");
    }
    let repaired = rules().matches("`fix --rules`").count();
    assert_eq!(repaired, REPAIRED.len(), "each rule that is repaired is a rule of the checker");
}

#[test]
fn every_extension_has_its_test() {
    let mut all = String::new();
    for folder in ["src", "tests", "crates"].map(|name| root().join(name)) {
        if folder.exists() {
            sources(&folder, &mut all);
        }
    }
    let formats = &page("docs/formats.md").text;
    let rows = rows_of(formats);
    let named: Vec<&str> = rows.iter().filter(|row| row.len() == 3).map(|row| row[0].trim_matches('`')).collect();
    let known: Vec<&str> = EXTENSIONS.iter().map(|extension| extension.name).collect();
    assert_eq!(named, known);
    for row in rows {
        let test = row[2].trim_matches('`');
        // Tests of the renderer take the device that they draw on.
        assert!(all.contains(&format!("fn {test}(")), "{}: there is no test {test}", row[0]);
    }
}

#[test]
fn the_readme_is_short() {
    let readme = &page("README.md").text;
    let (lines, bytes) = (readme.lines().count(), readme.len());
    assert!(lines <= 200 && bytes <= 12 * 1024, "README.md has {lines} lines and {bytes} bytes, of 200 and 12 KiB");
}

/// `.ci/run` takes the first command line of this form for the one that runs the tests of every day.
#[test]
fn the_readme_has_the_commands_of_both_tiers() {
    let commands: Vec<&str> = page("README.md").text.lines().filter(|line| line.starts_with("$ cargo test")).collect();
    assert_eq!(commands, ["$ cargo test --workspace", "$ cargo test --workspace -- --include-ignored"]);
}

#[test]
fn every_page_is_in_the_contents() {
    let contents = links(&page("docs/README.md").text);
    for name in PAGES.iter().filter_map(|page| page.name.strip_prefix("docs/")).filter(|name| *name != "README.md") {
        assert!(contents.iter().any(|link| link == name), "docs/README.md does not lead to {name}");
    }
    assert!(links(&page("README.md").text).iter().any(|link| link == "docs/README.md"));
}

#[test]
fn links_lead_somewhere() {
    let mut seen = 0;
    for page in PAGES.iter() {
        let path = root().join(&page.name);
        for link in links(&page.text).iter().filter(|link| !link.starts_with("http")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link.as_str(), ""));
            let to = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            assert!(to.exists(), "{} leads to {link}, which is not there", page.name);
            if !anchor.is_empty() {
                let text = std::fs::read_to_string(&to).unwrap();
                assert!(anchors(&text).contains(anchor), "{} leads to {link}, which has no such heading", page.name);
            }
            seen += 1;
        }
    }
    assert!(seen >= 60, "only {seen} links were found: is this test still reading them?");
}

#[test]
fn commands_parse() {
    let mut seen = 0;
    for page in PAGES.iter() {
        for line in command_lines(&page.text) {
            let arguments: Vec<&str> = line.iter().map(String::as_str).collect();
            // The parser reads what stands before `--help`, and then prints help in place of running the command. An
            // option that lacks its value takes the first one for it.
            let help: &[&str] = if arguments.first() == Some(&"help") { &[] } else { &["--help", "--help"] };
            let (code, said) = parsed(&[arguments.as_slice(), help].concat());
            assert_eq!(code, 0, "{}: skinscope {}: {said}", page.name, line.join(" "));
            seen += 1;
        }
    }
    assert!(seen >= 40, "only {seen} commands were found: is this test still reading them?");
}

#[test]
fn options_that_are_named_exist() {
    let known: BTreeMap<&str, Vec<&str>> =
        SUBCOMMANDS.iter().map(|(name, help)| (name.as_str(), options_of(help))).collect();
    let mut seen = 0;
    for page in PAGES.iter() {
        for span in code_spans(&page.text).iter().filter(|span| !span.contains("cargo ")) {
            // Of a span that begins with a command all options are of that command; else they may be of any.
            let command = span.trim_start_matches("skinscope ").split(' ').next().unwrap_or("");
            let of_command = known.get(command);
            for word in span.split(' ').filter(|word| word.starts_with("--")) {
                let option = word.split(['[', '=', '`', ',', '(']).next().unwrap_or(word);
                let is_known = match of_command {
                    Some(options) => options.contains(&option),
                    None => known.values().any(|options| options.contains(&option)),
                };
                assert!(is_known || OF_OTHERS.contains(&option), "{}: `{span}` names {option}", page.name);
                seen += 1;
            }
        }
    }
    assert!(seen >= 200, "only {seen} options were found: is this test still reading them?");
}

//! The blocks of the page about many files are run, as a person would run them who copies them.

use std::collections::BTreeSet;
use std::process::Stdio;

use super::*;

/// The fenced blocks of the page in one language, with the heading that each stands below.
fn blocks(language: &str) -> Vec<(&'static str, String)> {
    let page = include_str!("../../../docs/many-files.md");
    let (mut heading, mut block, mut out) = ("", None::<(bool, String)>, Vec::new());
    for line in page.lines() {
        if let Some(found) = line.strip_prefix("```") {
            block = match block.take() {
                Some((is_wanted, text)) => {
                    out.extend(is_wanted.then_some((heading, text)));
                    None
                }
                None => Some((found == language, String::new())),
            };
        } else if let Some((_, text)) = &mut block {
            *text += line;
            *text += "\n";
        } else if let Some(found) = line.strip_prefix("## ") {
            heading = found;
        }
    }
    out
}

/// The blocks below a heading.
fn below(language: &str, heading: &str) -> Vec<String> {
    let found: Vec<String> =
        blocks(language).into_iter().filter(|(of, _)| *of == heading).map(|(_, text)| text).collect();
    assert!(!found.is_empty(), "nothing in {language} below \"{heading}\"");
    found
}

/// A folder with a list of models, two of which are sound, one is broken and one does not load; with a repository if there is git.
fn folder(name: &str) -> PathBuf {
    let folder = scratch(name);
    let models = folder.join("models");
    std::fs::create_dir_all(&models).unwrap();
    for (file, bytes) in [
        ("one.gltf", std::fs::read(clean("pipeline_clean.gltf")).unwrap()),
        ("two.glb", std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/figure.glb")).unwrap()),
        ("broken.gltf", std::fs::read(broken("pipeline_broken.gltf")).unwrap()),
        ("damaged.glb", b"glTF".to_vec()),
    ] {
        std::fs::write(models.join(file), bytes).unwrap();
    }
    let list = ["one.gltf", "two.glb", "broken.gltf", "damaged.glb"].map(|file| format!("models/{file}\n"));
    std::fs::write(folder.join("models.txt"), list.concat()).unwrap();
    folder
}

/// Runs a command in a folder, with the program on the path and some variables; returns the exit code and what it said.
fn run(folder: &Path, command: &[&str], variables: &[(&str, &str)]) -> (i32, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_skinscope")).parent().unwrap();
    let before = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{}:{before}", folder.join("bin").display(), program.display());
    let out = Command::new(command[0])
        .args(&command[1..])
        .current_dir(folder)
        .env("PATH", path)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = [out.stdout, out.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (out.status.code().unwrap(), said)
}

fn shell(folder: &Path, text: &str, variables: &[(&str, &str)]) -> (i32, String) {
    run(folder, &["sh", "-c", text], variables)
}

/// Writes a script into the folder of programs that comes first on the path.
#[cfg(unix)]
fn program(folder: &Path, name: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("bin").join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Whether a command runs here.
fn has(command: &[&str]) -> bool {
    let out = Command::new(command[0]).args(&command[1..]).stdin(Stdio::null()).output();
    out.is_ok_and(|out| out.status.success())
}

/// A fresh repository in the folder, in which all models are staged.
fn staged(folder: &Path) {
    let _none_yet = std::fs::remove_dir_all(folder.join(".git")).is_err();
    for arguments in ["init -q", "add models"] {
        let (code, said) = shell(folder, &format!("git {arguments}"), &[]);
        assert_eq!(code, 0, "{said}");
    }
}

/// The commands that a workflow runs on a machine, in their order.
fn commands(text: &str) -> Vec<&str> {
    let lines = text.lines().map(|line| line.trim_start().trim_start_matches("- "));
    let lines = lines.map(|line| line.strip_prefix("run: ").unwrap_or(line));
    lines.filter(|line| line.starts_with("git ") || line.starts_with("skinscope ")).collect()
}

/// Checks a report of JUnit's over the models of a folder.
fn check_report(folder: &Path, xml: &str) {
    let text = std::fs::read_to_string(folder.join(xml)).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    let suites = document.descendants().filter(|node| node.has_tag_name("testsuite"));
    let of = |node: roxmltree::Node, name: &str| node.attribute(name).unwrap().to_owned();
    let all: Vec<_> = suites.map(|suite| (of(suite, "name"), of(suite, "failures"), of(suite, "errors"))).collect();
    let wanted = [("broken.gltf", "1", "0"), ("damaged.glb", "0", "1"), ("one.gltf", "0", "0"), ("two.glb", "0", "0")];
    let wanted =
        wanted.map(|(name, failures, errors)| (format!("models/{name}"), failures.to_owned(), errors.to_owned()));
    assert_eq!(all, wanted);
}

#[test]
fn every_block_of_the_page_is_run() {
    let all: usize = ["sh", "yaml", "python"].map(|language| blocks(language).len()).iter().sum();
    let fences = include_str!("../../../docs/many-files.md").lines().filter(|line| line.starts_with("```")).count();
    assert_eq!(fences, 2 * all);
    let headings: BTreeSet<&str> =
        ["sh", "yaml", "python"].into_iter().flat_map(blocks).map(|(heading, _)| heading).collect();
    // Those of the tests below.
    let run = [
        "As a Slurm array",
        "Before each commit",
        "Fail for what is new alone",
        "In a GitHub workflow",
        "In a GitLab pipeline",
        "Join the parts",
        "On Ray",
        "On Spark",
        "With GNU parallel",
    ];
    assert_eq!(headings, BTreeSet::from(run));
}

#[cfg(unix)]
#[test]
fn the_hooks_stop_a_commit_with_a_broken_skin() {
    if !has(&["git", "--version"]) {
        return common::skipped("there is no git here");
    }
    let folder = folder("pipeline_hooks");
    // Git writes such names in quotes where it does not end them with NULs.
    std::fs::copy(folder.join("models/two.glb"), folder.join("models/drei \"ü\".GLB")).unwrap();
    staged(&folder);
    let hook = below("sh", "Before each commit").remove(0);
    let (code, said) = shell(&folder, &hook, &[]);
    assert!(code == 1 && said.contains("1 of 5 files does not load"), "{said}");
    for file in ["models/damaged.glb", "models/broken.gltf"] {
        assert_eq!(shell(&folder, &format!("git rm -q --cached {file}"), &[]).0, 0);
        let (code, said) = shell(&folder, &hook, &[]);
        assert_eq!(code, if file.contains("damaged") { 3 } else { 0 }, "{said}");
    }
    // What pre-commit runs is the entry with the names of the files behind it.
    let settings = below("yaml", "Before each commit").remove(0);
    if has(&["python3", "-c", "import yaml"]) {
        std::fs::write(folder.join("settings.yaml"), &settings).unwrap();
        let read = "import yaml; assert yaml.safe_load(open('settings.yaml'))['repos'][0]['hooks'][0]['entry']";
        assert_eq!(run(&folder, &["python3", "-c", read], &[]).0, 0);
    }
    let entry = settings.lines().find_map(|line| line.trim_start().strip_prefix("entry: ")).unwrap();
    assert_eq!(shell(&folder, &format!("{entry} models/one.gltf models/two.glb"), &[]).0, 0);
    assert_eq!(shell(&folder, &format!("{entry} models/one.gltf models/broken.gltf"), &[]).0, 3);
}

#[cfg(unix)]
#[test]
fn the_workflows_check_all_models_in_parts_and_report_once() {
    if !has(&["git", "--version"]) {
        return common::skipped("there is no git here");
    }
    for (heading, index, count) in
        [("In a GitHub workflow", "PART", "NONE"), ("In a GitLab pipeline", "CI_NODE_INDEX", "CI_NODE_TOTAL")]
    {
        let folder = folder(heading);
        staged(&folder);
        let text = below("yaml", heading).remove(0);
        let commands = commands(&text);
        let (report, parts) = commands.split_last().unwrap();
        assert_eq!(parts.len(), 2, "{heading}: {commands:?}");
        assert!(report.starts_with("skinscope report merge"), "{report}");
        for part in ["1", "2", "3", "4"] {
            for command in parts {
                let (code, said) = shell(&folder, command, &[(index, part), (count, "4")]);
                assert_eq!(code, 0, "{heading}: {command}: {said}");
            }
        }
        let (code, said) = shell(&folder, report, &[]);
        assert!(code == 1 && said.contains("1 of 4 files does not load"), "{heading}: {said}");
        check_report(&folder, "skins.xml");
        if has(&["python3", "-c", "import yaml"]) {
            std::fs::write(folder.join("workflow.yml"), &text).unwrap();
            let read = "import yaml; assert len(yaml.safe_load(open('workflow.yml'))) >= 2";
            assert_eq!(run(&folder, &["python3", "-c", read], &[]).0, 0, "{heading}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_baseline_fails_a_run_for_what_is_new_alone() {
    let folder = folder("pipeline_baseline");
    std::fs::write(folder.join("models.txt"), "models/one.gltf\nmodels/two.glb\nmodels/broken.gltf\n").unwrap();
    let blocks = below("sh", "Fail for what is new alone");
    let [both, of_lines] = &blocks[..] else { panic!("{blocks:?}") };
    let (code, said) = shell(&folder, both, &[]);
    assert!(code == 0 && said.contains("3 files: 1 error, ") && said.contains("; 0 new, "), "{code}: {said}");
    // A file that was sound is broken as the other one is.
    std::fs::copy(folder.join("models/broken.gltf"), folder.join("models/one.gltf")).unwrap();
    let (code, said) = shell(&folder, both.lines().last().unwrap(), &[]);
    assert!(code == 3 && said.contains("1 finding of severity error or worse"), "{code}: {said}");
    assert_eq!(shell(&folder, "skinscope check --list models.txt --json-lines > findings.1.jsonl", &[]).0, 3);
    let (code, said) = shell(&folder, of_lines, &[]);
    assert!(code == 3 && said.contains("1 finding of severity error or worse"), "{code}: {said}");
    let sarif = std::fs::read_to_string(folder.join("findings.sarif")).unwrap();
    assert!(
        ["new", "unchanged"].iter().all(|state| sarif.contains(&format!("\"baselineState\":\"{state}\""))),
        "{sarif}"
    );
}

/// In the place of GNU parallel stands a script that does its jobs one after the other, on this machine.
#[cfg(unix)]
#[test]
fn parallel_and_slurm_check_all_models_in_parts() {
    let folder = folder("pipeline_clusters");
    let jobs = "#!/bin/sh\nwhile [ \"$1\" != skinscope ]; do shift; done\ncommand=\"$*\"\n\
        while read -r job; do sh -c \"$(printf '%s' \"$command\" | sed \"s/{}/$job/g\")\"; done\n";
    program(&folder, "parallel", jobs);
    let (code, said) = shell(&folder, &below("sh", "With GNU parallel")[0], &[]);
    // It looks for .glb files alone.
    assert!(code == 1 && said.contains("1 of 2 files does not load"), "{said}");
    assert!(std::fs::read_to_string(folder.join("findings.html")).unwrap().contains("models/two.glb"));

    std::fs::remove_file(folder.join("findings.jsonl")).unwrap();
    std::fs::write(
        folder.join("models.txt"),
        "models/one.gltf\nmodels/two.glb\nmodels/broken.gltf\nmodels/damaged.glb\n",
    )
    .unwrap();
    let slurm = below("sh", "As a Slurm array");
    let [task, report] = &slurm[..] else { panic!("{slurm:?}") };
    for index in 1..=16 {
        let (code, said) = shell(&folder, task, &[("SLURM_ARRAY_TASK_ID", &index.to_string())]);
        assert_eq!(code, 0, "{index}: {said}");
    }
    let (code, said) = shell(&folder, report, &[]);
    assert!(code == 1 && said.contains("1 of 4 files does not load") && !said.contains("missing, or"), "{said}");
    // A task that was killed is named.
    std::fs::remove_file(folder.join("findings.7.jsonl")).unwrap();
    let (_, said) = shell(&folder, report, &[]);
    assert!(said.contains("to their end: 7/16"), "{said}");
    assert_eq!(shell(&folder, task, &[("SLURM_ARRAY_TASK_ID", "7")]).0, 0);
    let (code, said) = shell(&folder, &below("sh", "Join the parts")[0], &[]);
    assert!(code == 1 && !said.contains("missing, or"), "{said}");
    check_report(&folder, "findings.xml");
}

/// In the place of Ray stands a module that reads the files of a folder and calls the function with each, and in the place of the Python
/// package one that runs the program. `integrations/ray/tests` runs the same with both.
#[cfg(unix)]
#[test]
fn a_function_of_ray_checks_the_bytes_of_files() {
    if !has(&["python3", "--version"]) {
        return common::skipped("there is no python3 here");
    }
    let folder = folder("pipeline_ray");
    let ray = "import pathlib\nclass Rows:\n    def __init__(self, rows): self.rows = rows\n    \
        def map(self, of, fn_kwargs): return Rows([of(row, **fn_kwargs) for row in self.rows])\n    \
        def iter_rows(self): return iter(self.rows)\n\
        class data:\n    def read_binary_files(folder, include_paths, file_extensions):\n        \
        paths = sorted(path for path in pathlib.Path(folder).iterdir() if path.suffix[1:] in file_extensions)\n        \
        return Rows([{'bytes': path.read_bytes(), 'path': str(path)} for path in paths])\n";
    let package = "import json, subprocess\nclass Error(Exception):\n    exit_code = 1\nclass Model:\n    \
        def __init__(self, data): self.data = data\n    \
        def check(self, fail_on):\n        \
        command = ['skinscope', 'check', '-', '--json-lines', '--fail-on', fail_on]\n        \
        self.line = subprocess.run(command, input=self.data, stdout=subprocess.PIPE).stdout.decode().strip()\n        \
        if 'error' in json.loads(self.line): raise Error('standard input: ' + json.loads(self.line)['error'])\n        \
        return self\n    def json_line(self): return self.line\n\
        def open(data, name): return Model(data)\n";
    std::fs::write(folder.join("ray.py"), ray).unwrap();
    std::fs::write(folder.join("skinscope.py"), package).unwrap();
    std::fs::write(folder.join("check_models.py"), below("python", "On Ray").remove(0)).unwrap();
    let modules = concat!(env!("CARGO_MANIFEST_DIR"), "/integrations/ray");
    let variables = [("PYTHONPATH", modules), ("PYTHONDONTWRITEBYTECODE", "1")];
    let (code, said) = run(&folder, &["python3", "check_models.py"], &variables);
    assert_eq!(code, 0, "{said}");
    let text = std::fs::read_to_string(folder.join("findings.jsonl")).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    let both = "skinscope check models/damaged.glb models/two.glb --json-lines --fail-on warning > all.jsonl";
    assert_eq!(shell(&folder, both, &[]).0, 1);
    let all = std::fs::read_to_string(folder.join("all.jsonl")).unwrap();
    let mut wanted: Vec<&str> = all.lines().collect();
    lines.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(lines, wanted);
    let merge = below("sh", "On Ray").remove(0);
    let merge = merge.lines().find(|line| line.starts_with("skinscope ")).unwrap();
    let (code, said) = shell(&folder, merge, &[]);
    assert!(code == 1 && said.contains("1 of 2 files does not load"), "{said}");
    // That of Spark needs a cluster, and is read here.
    std::fs::write(folder.join("spark.txt"), below("python", "On Spark").remove(0)).unwrap();
    let read = "compile(open('spark.txt').read(), 'spark.txt', 'exec')";
    let (code, said) = run(&folder, &["python3", "-c", read], &[]);
    assert_eq!(code, 0, "{said}");
}

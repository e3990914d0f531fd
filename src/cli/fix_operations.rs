//! The options of `skinscope fix` that ask for operations and set their parameters. Both come from the table of operations.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::PathBufValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

use super::clips::paths;
use super::find::{find_node, find_pairs};
use super::fix_values::{Rules, Typed, parser};
use super::map::MapArgs;
use super::pose::{PoseArgs, parse_secs};
use super::sculpts::read_sculpts;
use super::write_args::WriteArgs;
use super::{CliError, other_file, printable, unwritable};
use crate::edit::{
    Donor, OPERATIONS, Operation, OptionForm, Parameter, ParameterKind, REPAIRED, Settings, transfer_pairs,
};
use crate::model::Model;
use crate::output::{self, overwritten, overwritten_by_stdout};
use crate::pose::NameMap;
use crate::session::Document;

/// The operations that are asked for, with what was typed.
#[derive(Clone, Debug)]
pub(super) struct OperationArgs {
    asked: Vec<Asked>,
    map: MapArgs,
    write_map: Option<PathBuf>,
    clip: Option<String>,
    time: f32,
    pose: Option<PathBuf>,
}

/// An operation that is asked for.
#[derive(Clone, Debug)]
struct Asked {
    operation: &'static Operation,
    /// The value of its option, or the values where it takes several.
    value: Vec<Typed>,
    /// The values of the options of its parameters; of a switch there are none.
    own: Vec<(&'static Parameter, Vec<Typed>)>,
}

/// Returns the parameters that are the value of an operation's option.
fn values_of(operation: &'static Operation) -> Vec<&'static Parameter> {
    let all = operation.parameters.iter().copied();
    all.take_while(|parameter| matches!(parameter.option, OptionForm::Value)).collect()
}

/// Adds the option of an operation, and those of its parameters.
fn with_options(command: Command, operation: &'static Operation) -> Command {
    let values = values_of(operation);
    let arg = Arg::new(operation.id).long(operation.id).help(format!("{}{}", operation.help, operation.more));
    let arg = match parser(operation.argument, &values) {
        Some(parser) => arg.value_name(operation.argument).value_parser(parser),
        None => arg.action(ArgAction::SetTrue),
    };
    let takes_several = values.iter().any(|parameter| matches!(parameter.kind, ParameterKind::Rules));
    let arg = if takes_several { arg.value_delimiter(',').action(ArgAction::Append) } else { arg };
    let parameters = operation.parameters.iter().copied();
    parameters.fold(command.arg(arg), |command, parameter| match (&parameter.option, &parameter.kind) {
        (OptionForm::Own { name, value, help }, kind) => {
            let arg = Arg::new(*name).long(*name).requires(operation.id).help(*help);
            command.arg(match parser(value, &[parameter]).filter(|_| !value.is_empty()) {
                Some(parser) => {
                    let is_list = matches!(kind, ParameterKind::Pairs);
                    let action = if is_list { ArgAction::Append } else { ArgAction::Set };
                    arg.value_name(*value).value_parser(parser).action(action)
                }
                None => arg.action(ArgAction::SetTrue),
            })
        }
        (_, ParameterKind::Donor) => MapArgs::augment_args(command).arg(write_map(operation)),
        (_, ParameterKind::Pose) => command.args(pose_options(operation)),
        _ => command,
    })
}

/// The option that writes which joints the file of an operation and the model have in common.
fn write_map(operation: &'static Operation) -> Arg {
    let id = operation.id;
    let help =
        format!("Write which joint of the file of --{id} is which of the model into a new FILE, which --map reads");
    let arg = Arg::new("write-map").long("write-map").value_name("FILE").requires(id).allow_hyphen_values(true);
    arg.value_parser(PathBufValueParser::new()).help(help)
}

/// The options that say in which pose an operation works.
fn pose_options(operation: &'static Operation) -> [Arg; 3] {
    let id = operation.id;
    let clip = Arg::new("clip").long("clip").value_name("NAME|N").requires(id).allow_hyphen_values(true);
    let time = Arg::new("time").long("time").value_name("S").requires("clip").default_value("0");
    let pose = Arg::new("pose").long("pose").value_name("FILE").requires(id).allow_hyphen_values(true);
    [
        clip.help(format!("Bind in this clip, with --{id}: by exact name or by number from 0")),
        time.allow_negative_numbers(true)
            .value_parser(parse_secs)
            .help("Bind at this time of the clip, in seconds on its timeline, clamped to the clip"),
        pose.value_parser(PathBufValueParser::new()).help(format!(
            "Bind in the pose of this file, with --{id}; what it says replaces the values of clip or rest pose"
        )),
    ]
}

impl Args for OperationArgs {
    fn augment_args(command: Command) -> Command {
        OPERATIONS.iter().fold(command, |command, operation| with_options(command, operation))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for OperationArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(Self {
            asked: OPERATIONS.iter().filter_map(|operation| Asked::of(operation, matches)).collect(),
            map: MapArgs::from_arg_matches(matches)?,
            write_map: matches.get_one("write-map").cloned(),
            clip: matches.get_one("clip").cloned(),
            time: matches.get_one("time").copied().unwrap_or_default(),
            pose: matches.get_one("pose").cloned(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Asked {
    /// Returns what was typed for an operation; `None` where it is not asked for.
    fn of(operation: &'static Operation, matches: &ArgMatches) -> Option<Self> {
        let typed = |name: &str| matches.get_many::<Typed>(name).map(|values| values.cloned().collect::<Vec<Typed>>());
        let takes_value = parser(operation.argument, &values_of(operation)).is_some();
        let value: Vec<Typed> = match takes_value {
            true => typed(operation.id)?,
            false => matches.get_flag(operation.id).then(Vec::new)?,
        };
        let own = operation.parameters.iter().filter_map(|parameter| {
            let OptionForm::Own { name, value, .. } = parameter.option else { return None };
            let values = if value.is_empty() { matches.get_flag(name).then(Vec::new) } else { typed(name) };
            Some((*parameter, values?))
        });
        Some(Self { operation, value, own: own.collect() })
    }
}

impl OperationArgs {
    /// Returns the operations that are asked for, in the order in which they run, each with its settings.
    pub(super) fn settings(
        &self,
        write: &WriteArgs,
        document: &Document,
    ) -> Result<Vec<(&'static Operation, Settings)>, CliError> {
        if !self.asked.iter().any(|asked| takes_file(asked.operation)) {
            let takers = OPERATIONS.iter().filter(|operation| takes_file(operation));
            let options: Vec<String> = takers.map(|operation| format!("--{}", operation.id)).collect();
            self.map.read_for(&options.join(", "), false)?;
        }
        self.asked.iter().map(|asked| Ok((asked.operation, self.settings_of(asked, write, document)?))).collect()
    }

    fn settings_of(&self, asked: &Asked, write: &WriteArgs, document: &Document) -> Result<Settings, CliError> {
        let mut out = Settings::default();
        set(&mut out, document.stored(), &values_of(asked.operation), &asked.value)?;
        for (parameter, values) in &asked.own {
            match &parameter.kind {
                ParameterKind::Choice(kind) if values.is_empty() => {
                    parameter.set_choice(&mut out, kind.words.len().saturating_sub(1));
                }
                _ => set(&mut out, document.stored(), &[*parameter], values)?,
            }
        }
        for parameter in asked.operation.parameters {
            match &parameter.kind {
                ParameterKind::Donor => self.take_donor(&mut out, asked, write, document.stored())?,
                ParameterKind::Pose => self.take_pose(&mut out, write, document)?,
                ParameterKind::Examples => take_examples(&mut out, asked, write, document.stored())?,
                _ => {}
            }
        }
        Ok(out)
    }

    fn take_pose(&self, settings: &mut Settings, write: &WriteArgs, document: &Document) -> Result<(), CliError> {
        if let (Some(out), Some(pose)) = (&write.output, &self.pose) {
            overwritten(out, [pose.as_path()])?;
        }
        let pose = PoseArgs::plain(self.clip.clone(), self.time, self.pose.clone());
        settings.pose = Some(Arc::new(pose.session(document.clone())?.pose().local.clone()));
        Ok(())
    }

    fn take_donor(
        &self,
        settings: &mut Settings,
        asked: &Asked,
        write: &WriteArgs,
        model: &Model,
    ) -> Result<(), CliError> {
        let Some(path) = asked.file() else { return Ok(()) };
        let Donor(other) = donor(path, write)?;
        settings.names = self.map.read_for(&format!("--{}", asked.operation.id), true)?;
        if let Some(map) = &self.write_map {
            let other: &Model = &other;
            self.write_pairs(map, path, write, [model, other], &settings.names)?;
        }
        settings.donor = Some(Donor(other));
        Ok(())
    }

    /// Writes which joint of a file is which of the model. It replaces no file that is read or written.
    fn write_pairs(
        &self,
        map: &Path,
        file: &Path,
        write: &WriteArgs,
        [model, donor]: [&Model; 2],
        names: &NameMap,
    ) -> Result<(), CliError> {
        let read = self.map.files().chain([file.to_owned(), write.model.clone()]);
        let files: Vec<PathBuf> = read.chain(donor.source.files.clone()).chain(model.source.files.clone()).collect();
        overwritten(map, paths(&files))?;
        if overwritten(map, write.output.as_deref()).is_err() {
            return Err(CliError::Usage(format!("{}: --write-map and --output name one file", map.display())));
        }
        let pairs = transfer_pairs(model, donor, names).map_err(|why| CliError::Usage(printable(&why.to_string())))?;
        let mut out = NameMap::default();
        pairs.iter().for_each(|(there, here)| out.set(there, here.as_deref()));
        output::write(map, out.text().as_bytes()).map_err(|error| unwritable(map, error))
    }
}

impl Asked {
    /// Returns the file that the value of its option names.
    fn file(&self) -> Option<&Path> {
        self.value.iter().find_map(|typed| match typed {
            Typed::File(path) => Some(path.as_path()),
            _ => None,
        })
    }
}

/// Reads the examples of the folder that an operation names.
fn take_examples(settings: &mut Settings, asked: &Asked, write: &WriteArgs, model: &Model) -> Result<(), CliError> {
    let Some(folder) = asked.file() else { return Ok(()) };
    let sculpts = read_sculpts(folder, model, &write.open)?;
    let files = || sculpts.iter().flat_map(|sculpt| sculpt.files.iter().map(PathBuf::as_path));
    overwritten_by_stdout(files())?;
    write.output.as_deref().map_or(Ok(()), |out| overwritten(out, files()))?;
    settings.examples = Arc::new(sculpts.iter().map(|sculpt| sculpt.mesh.clone()).collect());
    Ok(())
}

/// Returns whether an operation takes weights from another file.
fn takes_file(operation: &Operation) -> bool {
    operation.parameters.iter().any(|parameter| matches!(parameter.kind, ParameterKind::Donor))
}

/// Sets parameters to what was typed for them.
fn set(out: &mut Settings, model: &Model, parameters: &[&'static Parameter], values: &[Typed]) -> Result<(), CliError> {
    let [first, rest @ ..] = parameters else { return Ok(()) };
    let second = rest.first();
    let find = |name: &str| find_node(model, name);
    if matches!(first.kind, ParameterKind::Pairs) {
        let two = |typed: &Typed| match typed {
            Typed::Two(two) => Some(two.clone()),
            _ => None,
        };
        out.pairs = find_pairs(model, &values.iter().filter_map(two).collect::<Vec<_>>(), find)?;
        return Ok(());
    }
    if matches!(first.kind, ParameterKind::Rules) {
        let names = |id: &str| {
            values.iter().any(|typed| match typed {
                Typed::Rule(Rules::All) => true,
                Typed::Rule(Rules::One(one)) => *one == id,
                _ => false,
            })
        };
        out.rules = REPAIRED.iter().copied().filter(|id| names(id)).collect();
        return Ok(());
    }
    for typed in values {
        match typed {
            Typed::Number(value) => first.set_number(out, *value),
            Typed::Choice(chosen) => first.set_choice(out, *chosen),
            Typed::Choices([one, other]) => {
                first.set_choice(out, *one);
                second.into_iter().for_each(|second| second.set_choice(out, *other));
            }
            Typed::Joint(text) => {
                let (name, chosen) = joint_and_word(model, text, second.copied());
                first.set_joint(out, Some(find(name)?));
                second.into_iter().for_each(|second| second.set_choice(out, chosen));
            }
            Typed::Two(two) => {
                let [one, other] = two.find(find)?;
                first.set_joint(out, Some(one));
                second.into_iter().for_each(|second| second.set_joint(out, Some(other)));
            }
            Typed::Amount(joint, amount) => {
                first.set_joint(out, Some(find(joint)?));
                out.amount = *amount;
            }
            Typed::JointNumber(joint, value) => {
                first.set_joint(out, Some(find(joint)?));
                second.into_iter().for_each(|second| second.set_number(out, *value));
            }
            Typed::Given(given) => {
                for (joint, weight) in given {
                    out.copied.push((find(joint)?, *weight));
                }
            }
            Typed::Rule(_) | Typed::File(_) => {}
        }
    }
    Ok(())
}

/// Returns the name of a joint without the word of a choice that may follow it after a colon, and which word that is.
fn joint_and_word<'a>(model: &Model, text: &'a str, choice: Option<&Parameter>) -> (&'a str, usize) {
    let Some(ParameterKind::Choice(kind)) = choice.map(|choice| &choice.kind) else { return (text, 0) };
    // A joint may really be called so.
    if find_node(model, text).is_ok() {
        return (text, kind.default);
    }
    let words = kind.words.iter().enumerate().filter(|(_, word)| !word.id.is_empty());
    let mut names = words.filter_map(|(chosen, word)| Some((text.strip_suffix(word.id)?.strip_suffix(':')?, chosen)));
    names.next().unwrap_or((text, kind.default))
}

/// Reads the file whose weights are taken. The result is not written over it.
fn donor(path: &Path, write: &WriteArgs) -> Result<Donor, CliError> {
    let document = other_file(path, &write.open)?;
    overwritten_by_stdout(document.files())?;
    if let Some(out) = &write.output {
        overwritten(out, document.files())?;
    }
    let model = document.stored();
    let has_weights = model.meshes.iter().flat_map(|mesh| &mesh.primitives).any(|p| p.stored_influences.is_some());
    if !has_weights {
        return Err(CliError::Usage(format!("{}: it has no weights to transfer", path.display())));
    }
    Ok(Donor(Arc::clone(model)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Amount, Axis, operation};
    use crate::model::NodeId;
    use crate::model::test_shapes::{Tube, tube};

    fn parsed(words: &[&str]) -> Result<ArgMatches, String> {
        let command = OperationArgs::augment_args(Command::new("fix"));
        command.try_get_matches_from([&["fix"][..], words].concat()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_value_that_is_refused_is_refused_with_the_range_and_the_words_of_its_row() {
        let cases = [
            ("--prune", "1.5", "not a weight from 0 to 1"),
            ("--prune", "some", "not a weight from 0 to 1"),
            ("--limit", "0", "0 is not in 1..=65535"),
            ("--smooth", "1001", "1001 is not in 1..=1000"),
            ("--quantise", "u4", "expected u8, u16 or f32"),
            ("--mirror", "w", "expected x, y or z, with :+ or :- after it"),
            ("--mirror", "x:left", "expected :+ or :- after the axis"),
            ("--set", "Hips", "expected JOINT=VALUE"),
            ("--replace-joint", "Hips", "expected JOINT=OTHER"),
            ("--paste", "Hips=2", "Hips=2: expected JOINT=WEIGHT, a weight from 0 to 1"),
            ("--rules", "none", "no rule that can be repaired; those are "),
        ];
        for (option, value, why) in cases {
            let said = parsed(&[option, value]).unwrap_err();
            assert!(said.contains(&format!("invalid value '{value}' for '{option}")), "{said}");
            assert!(said.contains(why), "{option} {value}: {said}");
        }
        for (words, why) in [(&["--best"][..], "--limit <N>"), (&["--pose", "a.json"][..], "--bind-here")] {
            let said = parsed(words).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
    }

    #[test]
    fn values_are_set_of_the_operation_that_they_follow_and_operations_run_in_their_order() {
        let model = tube(Tube { joints: 3, ..Tube::default() });
        let words =
            ["--set", "joint 2=30%", "--remove-joint", "joint 1:spread", "--mirror", "y:−", "--best", "--limit", "2"];
        let args = OperationArgs::from_arg_matches(&parsed(&words).unwrap()).unwrap();
        let order: Vec<&str> = args.asked.iter().map(|asked| asked.operation.id).collect();
        assert_eq!(order, ["limit", "mirror", "remove-joint", "set"]);
        let settings = |id: &str| {
            let asked = args.asked.iter().find(|asked| std::ptr::eq(asked.operation, operation(id).unwrap())).unwrap();
            let mut out = Settings::default();
            set(&mut out, &model, &values_of(asked.operation), &asked.value).unwrap();
            (out, asked.own.len())
        };
        assert_eq!((settings("limit").0.limit, settings("limit").1), (2, 1));
        let (mirror, _) = settings("mirror");
        assert_eq!((mirror.axis, mirror.from_negative), (Axis::Y, true));
        let (remove, _) = settings("remove-joint");
        assert_eq!((remove.joint, remove.spread), (Some(NodeId(2)), true));
        let (set, _) = settings("set");
        assert_eq!((set.joint, set.amount), (Some(NodeId(3)), Amount::To(0.3)));
    }

    #[test]
    fn each_value_of_an_operation_can_be_typed_and_each_option_has_its_words() {
        for operation in OPERATIONS {
            let values = values_of(operation);
            let takes_value = parser(operation.argument, &values).is_some();
            assert_eq!(takes_value, !values.is_empty(), "{}: nothing parses this value", operation.id);
            assert_eq!(takes_value, !operation.argument.is_empty(), "{}: its argument has a name", operation.id);
            for parameter in operation.parameters {
                if let OptionForm::Own { value, help, .. } = parameter.option {
                    let parses = parser(value, &[*parameter]).is_some();
                    assert!(parses && !help.is_empty(), "{}: nothing parses its option", parameter.id);
                }
            }
        }
    }
}

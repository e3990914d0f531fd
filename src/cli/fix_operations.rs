//! The options of `skinscope fix` that ask for operations and set their parameters. Both come from the table of operations.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PathBufValueParser, RangedI64ValueParser, StringValueParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

use super::clips::paths;
use super::find::{Two, find_node, find_pairs, parse_two};
use super::map::MapArgs;
use super::pose::{PoseArgs, parse_secs};
use super::write_args::WriteArgs;
use super::{CliError, other_file, printable, unwritable};
use crate::edit::{
    Amount, ChoiceKind, Donor, NumberKind, OPERATIONS, Operation, OptionForm, Parameter, ParameterKind, REPAIRED,
    Settings, transfer_pairs,
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

/// What was typed after an option. Joints are found once the model is open.
#[derive(Clone, Debug)]
enum Typed {
    Number(f64),
    Choice(usize),
    Choices([usize; 2]),
    Joint(String),
    Two(Two),
    Amount(String, Amount),
    JointNumber(String, f64),
    Given(Vec<(String, f64)>),
    Rule(Rules),
    File(PathBuf),
}

/// One of the names after `--rules`.
#[derive(Clone, Copy, Debug)]
enum Rules {
    All,
    One(&'static str),
}

/// Returns the parameters that are the value of an operation's option.
fn values_of(operation: &'static Operation) -> Vec<&'static Parameter> {
    let all = operation.parameters.iter().copied();
    all.take_while(|parameter| matches!(parameter.option, OptionForm::Value)).collect()
}

/// Returns the parser of the value of an option that stands for these parameters; `None`: it takes no value.
fn parser(argument: &'static str, parameters: &[&'static Parameter]) -> Option<ValueParser> {
    let kinds: Vec<&'static ParameterKind> = parameters.iter().map(|parameter| &parameter.kind).collect();
    Some(match kinds[..] {
        [ParameterKind::Number(kind)] if kind.is_whole() => {
            let [least, most] = kind.range.map(|end| end as i64);
            let whole = RangedI64ValueParser::<i64>::new().range(least..=most);
            ValueParser::new(whole.map(|number| Typed::Number(number as f64)))
        }
        [ParameterKind::Number(kind)] => ValueParser::new(move |text: &str| number(kind, text).map(Typed::Number)),
        [ParameterKind::Choice(kind)] => ValueParser::new(move |text: &str| {
            let expected = || format!("expected {}", either(kind, ""));
            word(kind, text).map(Typed::Choice).ok_or_else(expected)
        }),
        [ParameterKind::Choice(first), ParameterKind::Choice(second)] => {
            let label = parameters.first().map_or("", |parameter| parameter.label);
            ValueParser::new(move |text: &str| two_words([first, second], label, text))
        }
        [ParameterKind::Joint(_)] | [ParameterKind::Joint(_), ParameterKind::Choice(_)] => {
            ValueParser::new(StringValueParser::new().map(Typed::Joint))
        }
        [ParameterKind::Joint(_), ParameterKind::Joint(_)] | [ParameterKind::Pairs] => {
            ValueParser::new(|text: &str| parse_two(text).map(Typed::Two))
        }
        [ParameterKind::Joint(_), ParameterKind::Amount] => ValueParser::new(move |text: &str| typed(argument, text)),
        [ParameterKind::Joint(_), ParameterKind::Number(kind)] => ValueParser::new(move |text: &str| {
            let (joint, value) = text.rsplit_once('=').ok_or_else(|| format!("expected {argument}"))?;
            number(kind, value).map(|value| Typed::JointNumber(joint.to_owned(), value))
        }),
        [ParameterKind::Copied] => ValueParser::new(given),
        [ParameterKind::Rules] => ValueParser::new(|text: &str| rule(text).map(Typed::Rule)),
        [ParameterKind::Donor] => ValueParser::new(PathBufValueParser::new().map(Typed::File)),
        _ => return None,
    })
}

fn number(kind: &NumberKind, text: &str) -> Result<f64, String> {
    let [least, most] = kind.range;
    let number: Option<f64> = text.parse().ok().filter(|number| (least..=most).contains(number));
    number
        .filter(|number| kind.fitted(*number) == *number)
        .ok_or_else(|| format!("not a {} from {least} to {most}", kind.noun))
}

/// Returns the index of a word.
fn word(kind: &ChoiceKind, text: &str) -> Option<usize> {
    kind.words.iter().position(|word| word.id == text)
}

/// Returns the words of a choice as a list whose last two have an *or* between them, each with what stands before it.
fn either(kind: &ChoiceKind, before: &str) -> String {
    let words: Vec<String> = kind.words.iter().map(|word| format!("{before}{}", word.id)).collect();
    match &words[..] {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// Parses two words with a colon between; the second may be left out.
fn two_words([first, second]: [&ChoiceKind; 2], label: &str, text: &str) -> Result<Typed, String> {
    let (one, other) = text.split_once(':').map_or((text, None), |(one, other)| (one, Some(other)));
    let marks = either(second, ":");
    let one = word(first, one).ok_or_else(|| format!("expected {}, with {marks} after it", either(first, "")))?;
    let other = match other {
        Some(other) => word(second, &other.replace('−', "-"))
            .ok_or_else(|| format!("expected {marks} after the {}", label.to_lowercase()))?,
        None => second.default,
    };
    Ok(Typed::Choices([one, other]))
}

fn typed(argument: &str, text: &str) -> Result<Typed, String> {
    let (joint, value) = text.rsplit_once('=').ok_or_else(|| format!("expected {argument}"))?;
    let amount = Amount::parse(value)
        .ok_or_else(|| format!("{value}: expected 0.3, 30%, +0.1, -0.1 or *2; a weight is 0 to 1"))?;
    Ok(Typed::Amount(joint.to_owned(), amount))
}

fn given(text: &str) -> Result<Typed, String> {
    let weight = |text: &str| text.parse::<f64>().ok().filter(|weight| (0.0..=1.0).contains(weight));
    let (mut out, mut part) = (Vec::new(), String::new());
    for piece in text.split(',') {
        // A comma that does not follow a weight belongs to a name.
        let comma = if part.is_empty() { "" } else { "," };
        part = format!("{part}{comma}{piece}");
        let one = part.rsplit_once('=').and_then(|(joint, number)| Some((joint.to_owned(), weight(number)?)));
        if let Some(one) = one {
            out.push(one);
            part.clear();
        }
    }
    if part.is_empty() {
        Ok(Typed::Given(out))
    } else {
        Err(format!("{part}: expected JOINT=WEIGHT, a weight from 0 to 1"))
    }
}

fn rule(text: &str) -> Result<Rules, String> {
    if text == "all" {
        return Ok(Rules::All);
    }
    let known = REPAIRED.iter().find(|id| **id == text).map(|id| Rules::One(id));
    known.ok_or_else(|| format!("no rule that can be repaired; those are {}", REPAIRED.join(", ")))
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
        let donor = donor(path, write)?;
        settings.names = self.map.read_for(&format!("--{}", asked.operation.id), true)?;
        if let Some(map) = &self.write_map {
            self.write_pairs(map, path, write, [model, &donor.0], &settings.names)?;
        }
        settings.donor = Some(donor);
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

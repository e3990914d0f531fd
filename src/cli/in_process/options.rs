//! The options of commands as another program names them: by keywords.

use clap::{Arg, ArgAction, CommandFactory};

use super::Line;

/// How an option is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// It is there or not.
    Flag,
    /// It has a value.
    Value,
    /// It may be given several times.
    List,
}

impl OptionKind {
    /// Returns the word for it.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Value => "value",
            Self::List => "list",
        }
    }
}

/// An option of a command.
#[derive(Clone, Debug)]
pub struct CommandOption {
    /// The keyword: that of the command line with `_` for `-`.
    pub name: String,
    /// The option of the command line, with the hyphens before it.
    pub long: String,
    /// How it is given.
    pub kind: OptionKind,
    /// The words that it takes; empty where there are others too.
    pub values: Vec<String>,
    /// What it does, a sentence or more.
    pub help: String,
}

/// What says where a report is printed, in which form, and which files are written: a caller in a program has the result itself.
const OF_PROCESSES: [&str; 11] =
    ["help", "version", "json", "json-lines", "sarif", "junit", "html", "list", "shard", "output", "in-place"];

/// Returns the options of a command, in the order of its help; `None` where there is no such command.
#[must_use]
pub fn options_of(command: &str) -> Option<Vec<CommandOption>> {
    let mut line = Line::command();
    line.build();
    let found = line.find_subcommand(command)?;
    Some(found.get_arguments().filter_map(option).collect())
}

fn option(arg: &Arg) -> Option<CommandOption> {
    let long = arg.get_long().filter(|long| !OF_PROCESSES.contains(long))?;
    let kind = match arg.get_action() {
        ArgAction::Append => OptionKind::List,
        action if action.takes_values() => OptionKind::Value,
        _ => OptionKind::Flag,
    };
    let words = arg.get_possible_values().into_iter().map(|value| value.get_name().to_owned());
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    Some(CommandOption {
        name: long.replace('-', "_"),
        long: format!("--{long}"),
        kind,
        values: if kind == OptionKind::Flag { Vec::new() } else { words.collect() },
        help,
    })
}

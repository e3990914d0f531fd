//! Options that switch a layer of the picture on, as the table of switches has them.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

use crate::session::{Session, TOGGLES, Toggle, ViewCommand};

/// The switches that are asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct ToggleArgs(Vec<Toggle>);

impl ToggleArgs {
    /// Returns whether a switch is asked for.
    pub fn has(&self, toggle: Toggle) -> bool {
        self.0.contains(&toggle)
    }

    /// Returns the switches that are asked for.
    pub fn iter(&self) -> impl Iterator<Item = Toggle> {
        self.0.iter().copied()
    }

    /// Switches them on.
    pub fn apply(&self, session: &mut Session) {
        for toggle in self.iter() {
            session.apply(ViewCommand::Set(toggle, true));
        }
    }
}

impl Args for ToggleArgs {
    fn augment_args(command: Command) -> Command {
        let options = TOGGLES.iter().filter_map(|row| row.option);
        options.fold(command, |command, option| {
            let arg = Arg::new(option.name).long(option.name).action(ArgAction::SetTrue);
            command.arg(arg.help(option.help))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ToggleArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let is_asked = |option: &str| matches.get_flag(option);
        let asked = TOGGLES.iter().filter(|row| row.option.is_some_and(|option| is_asked(option.name)));
        Ok(Self(asked.map(|row| row.toggle).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

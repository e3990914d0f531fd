//! Options that say how vertices are deformed: the method, the values of its parameters, and the pass after it. The tables of methods
//! and passes say which there are.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};

use super::{CliError, method_names};
use crate::deform::{self, METHODS, Method, NORMAL_MODES, PASSES, Parameter, Pass};
use crate::session::{MethodChoice, Session, ViewCommand};
use crate::words::counted;

/// Finds the method that a text names: its id or the beginning of it, with `+` and a pass after it where wanted; a pass alone comes after linear
/// blending.
pub(super) fn begun_method(text: &str) -> Option<MethodChoice> {
    let (word, pass) = match text.split_once('+') {
        Some((method, pass)) => (method, Some(pass)),
        None if deform::pass(text).is_some() => (METHODS[0].id, Some(text)),
        None => (text, None),
    };
    let begun: Vec<&str> = METHODS.iter().map(|method| method.id).filter(|id| id.starts_with(word)).collect();
    let method = match begun[..] {
        [only] if !word.is_empty() => only,
        _ => deform::method(word)?.id,
    };
    MethodChoice::named(&pass.map_or_else(|| method.to_owned(), |pass| format!("{method}+{pass}")))
}

/// The options that say how vertices are deformed.
#[derive(Clone, Debug, Default)]
pub(super) struct MethodArgs {
    /// The method, by [`Method::id`]; `None`: the default.
    pub method: Option<&'static str>,
    /// The choice of `--compare`, where a command has that: parameters may be for it.
    pub compared: Option<MethodChoice>,
    /// The settings of the method.
    pub settings: MethodSettings,
}

/// The options beside the method.
#[derive(Clone, Debug, Default)]
pub(super) struct MethodSettings {
    /// Parameters by id.
    pub parameters: Vec<(&'static str, f32)>,
    /// The pass, by [`Pass::id`].
    pub pass: Option<&'static str>,
    /// The normal mode, by [`crate::deform::NormalMode::id`].
    pub normals: Option<&'static str>,
}

impl MethodArgs {
    /// Makes the options of a choice, with these settings.
    pub(super) fn of(choice: MethodChoice, settings: MethodSettings) -> Self {
        let pass = choice.pass.map(|pass| pass.id).or(settings.pass);
        Self { method: Some(choice.method.id), compared: None, settings: MethodSettings { pass, ..settings } }
    }

    /// Refuses a parameter that belongs to no method or pass of `session`, nor to the one that it is to be compared with.
    pub(super) fn has_effects(&self, session: &Session) -> Result<(), CliError> {
        let shown = session.view().choice();
        let choices =
            [Some(shown), self.compared, session.deforming().comparison().map(|comparison| comparison.choice)];
        let passes = choices.iter().flatten().filter_map(|choice| choice.pass).flat_map(|pass| pass.parameters);
        let methods = choices.iter().flatten().flat_map(|choice| choice.method.parameters);
        let used: Vec<&str> = methods.chain(passes).map(|parameter| parameter.id).collect();
        let unused = self.settings.parameters.iter().find(|(id, _)| !used.contains(id));
        let Some((id, _)) = unused else { return Ok(()) };
        let owner = METHODS.iter().find(|method| method.parameters.iter().any(|p| p.id == *id));
        let owner = owner.map_or("another method", |method| method.id);
        let why = format!("--{id} is a parameter of {owner}, and the vertices are deformed by {}", shown.method.id);
        Err(CliError::Usage(why))
    }

    /// Sets the view of `session`.
    pub(super) fn apply(&self, session: &mut Session) {
        if let Some(id) = self.method {
            session.apply(ViewCommand::SetMethod(id));
        }
        self.settings.apply(session);
    }
}

impl MethodSettings {
    /// Sets the view of `session`.
    pub(super) fn apply(&self, session: &mut Session) {
        if self.pass.is_some() {
            session.apply(ViewCommand::SetPass(self.pass));
        }
        if let Some(id) = self.normals {
            session.apply(ViewCommand::SetNormals(id));
        }
        for (id, value) in &self.parameters {
            session.apply(ViewCommand::SetParameter(id, *value));
        }
    }

    /// Returns an error where none of these methods can have such normals; it says why.
    pub(super) fn fits(&self, methods: &[&Method]) -> Result<(), String> {
        let mode = self.normals.and_then(deform::normal_mode).filter(|mode| !mode.fits_all);
        match mode.filter(|_| !methods.iter().any(|method| std::ptr::eq(*method, METHODS[0]))) {
            Some(mode) => Err(format!("--normals {} is a mode of --method {}", mode.id, METHODS[0].id)),
            None => Ok(()),
        }
    }
}

impl Args for MethodArgs {
    fn augment_args(command: Command) -> Command {
        let method = Arg::new("method").long("method").value_name("METHOD").value_parser(method_names());
        let help = format!("Deform vertices by this method [default: {}]", METHODS[0].id);
        MethodSettings::augment_args(command.arg(method.help(help)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl Args for MethodSettings {
    fn augment_args(command: Command) -> Command {
        let mut out = command;
        let modes = NORMAL_MODES.iter().map(|mode| PossibleValue::new(mode.id).help(mode.help));
        let normals =
            Arg::new("normals").long("normals").value_name("MODE").value_parser(PossibleValuesParser::new(modes));
        out = out.arg(normals.help(format!("Compute normals by this mode [default: {}]", NORMAL_MODES[0].id)));
        for (method, parameter) in METHODS.iter().flat_map(|m| m.parameters.iter().map(move |p| (*m, p))) {
            let help = format!(
                "Set this parameter of the method {}: {} [default: {}]",
                method.id, parameter.help, parameter.default
            );
            let arg = Arg::new(parameter.id).long(parameter.id).value_name("VALUE");
            let parse = move |text: &str| in_range(parameter, text);
            out = out.arg(arg.help(help).allow_negative_numbers(true).value_parser(parse));
        }
        for pass in PASSES {
            let parse = move |text: &str| pass_values(pass, text);
            let arg = Arg::new(pass.id).long(pass.id).value_name(pass.usage).value_parser(parse);
            let defaults: Vec<String> = pass.parameters.iter().map(|p| p.default.to_string()).collect();
            let help =
                format!("Apply this pass after the method: {} (usual values: {})", pass.help, defaults.join(","));
            out = out.arg(arg.help(help).allow_negative_numbers(true));
        }
        out
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for MethodArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let method = matches.get_one::<String>("method").and_then(|id| deform::method(id));
        let settings = MethodSettings::from_arg_matches(matches)?;
        let fits = settings.fits(&[method.unwrap_or(METHODS[0])]);
        fits.map_err(|why| Error::raw(ErrorKind::ArgumentConflict, format!("{why}\n")))?;
        // Not every command has this option.
        let compared = matches.try_get_one::<String>("compare").ok().flatten();
        let compared = compared.and_then(|side| MethodChoice::named(side));
        Ok(Self { method: method.map(|m| m.id), compared, settings })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl FromArgMatches for MethodSettings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let normals = matches.get_one::<String>("normals").and_then(|id| deform::normal_mode(id));
        let mut out = Self { normals: normals.map(|mode| mode.id), ..Self::default() };
        for parameter in METHODS.iter().flat_map(|m: &&Method| m.parameters) {
            out.parameters.extend(matches.get_one::<f32>(parameter.id).map(|value| (parameter.id, *value)));
        }
        for pass in PASSES {
            let Some(values) = matches.get_one::<Vec<f32>>(pass.id) else { continue };
            out.pass = Some(pass.id);
            out.parameters.extend(pass.parameters.iter().map(|p| p.id).zip(values.iter().copied()));
        }
        Ok(out)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn in_range(parameter: &Parameter, text: &str) -> Result<f32, String> {
    let [least, most] = parameter.range;
    let value: Option<f32> = text.trim().parse().ok();
    let fits = |v: &f32| parameter.fitted(*v) == Some(*v);
    let kind = if parameter.is_whole { "a whole number" } else { "a number" };
    value.filter(fits).ok_or_else(|| format!("{}: expected {kind}, {least} to {most}", parameter.label))
}

/// Parses the values of the parameters of a pass, in their order; the last ones may be left out.
fn pass_values(pass: &Pass, text: &str) -> Result<Vec<f32>, String> {
    let texts: Vec<&str> = text.split(',').collect();
    if texts.len() > pass.parameters.len() {
        return Err(format!("expected {} at most", counted(pass.parameters.len(), "number", "numbers")));
    }
    pass.parameters.iter().zip(texts).map(|(parameter, text)| in_range(parameter, text)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use clap::Parser;

    use super::*;
    use crate::model::test_shapes::{Tube, tube};
    use crate::session::Document;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        method: MethodArgs,
        #[arg(long)]
        compare: Option<String>,
    }

    /// Why the options are refused.
    fn refused(options: &[String]) -> Option<String> {
        let line =
            Line::try_parse_from(["line"].into_iter().map(str::to_owned).chain(options.iter().cloned())).unwrap();
        let mut session = Session::default();
        session.open(Document::new(Arc::new(tube(Tube::default())), Vec::new(), None));
        line.method.apply(&mut session);
        assert!(line.compare.is_none() || line.method.compared.is_some());
        line.method.has_effects(&session).err().map(|error| error.to_string())
    }

    #[test]
    fn a_parameter_is_refused_where_no_method_that_is_shown_has_it() {
        let options = METHODS.iter().flat_map(|method| method.parameters.iter().map(move |p| (method.id, p)));
        for (method, parameter) in options {
            let value = format!("--{}={}", parameter.id, parameter.default);
            let by = |option: &str| [format!("--{option}={method}"), value.clone()];
            assert_eq!([refused(&by("method")), refused(&by("compare"))], [None, None], "{value}");
            let why = refused(std::slice::from_ref(&value)).unwrap_or_default();
            assert!(why.contains(parameter.id) && why.contains(method), "{value}: {why}");
        }
        let pass = format!("--{}={}", PASSES[0].id, PASSES[0].parameters[0].default);
        assert_eq!(refused(&[pass]), None, "a pass brings its own parameters");
    }
}

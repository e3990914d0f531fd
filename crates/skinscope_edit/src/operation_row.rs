//! A row of the table of operations: everything in which one operation differs from the others, so that no other file has to
//! tell them apart by their ids.

use std::collections::BTreeSet;

use skinscope_base::words::counted;
use skinscope_weights::Table;

use super::{Mirroring, OPERATIONS, Parameter, ParameterKind, Refusal, Settings, Sheet};

/// An operation on weights or on inverse bind matrices. A row names what is its own, and takes the rest from `Operation::ROW`.
#[derive(Debug)]
pub struct Operation {
    /// The name of its option on the command line, and its name in JSON.
    pub id: &'static str,
    /// What it is called anywhere but on the command line.
    pub label: &'static str,
    /// A name in one or two words, for places with little room where *weights* goes without saying.
    pub tool: &'static str,
    /// The name beside that of its group; empty where that is [`Operation::tool`].
    pub short: &'static str,
    /// The name of its icon in the window.
    pub icon: &'static str,
    /// The group of tools that it stands in.
    pub group: Group,
    /// Its place in the group; the first is 0.
    pub place: u8,
    /// A sentence that says what it does.
    pub help: &'static str,
    /// What the command line says after that sentence; may be empty.
    pub more: &'static str,
    /// The name of the argument of the option on the command line; empty where it takes none.
    pub argument: &'static str,
    /// What of it can be set, in the order in which that is shown. The first ones whose form is [`OptionForm::Value`](crate::OptionForm)
    /// are the value of its option on the command line.
    pub parameters: &'static [&'static Parameter],
    /// What it changes.
    pub changes: Changes,
    /// The rules of the checker whose findings it repairs.
    pub repairs: &'static [&'static str],
    /// Returns the rules of the checker whose findings it repairs where the settings choose them, in place of `repairs`.
    pub(crate) chosen: Option<fn(&Settings) -> &[&'static str]>,
    /// Whether vertices with which one of these rules finds fault afterwards have not got what was asked for.
    pub(crate) asks_again: bool,
    /// Says why it cannot be done.
    pub(crate) refuse: fn(&Sheet, &Settings) -> Result<(), Refusal>,
    /// Which numbers of joints it writes.
    pub(crate) numbers: JointNumbers,
    /// How many joints it may give a vertex, where that may be more than the file has pairs for.
    pub(crate) pairs: Option<fn(&Settings) -> usize>,
    /// What it says of vertices that stay as they are, where it asks for a certain weight of a joint.
    pub(crate) stays: Option<&'static Stays>,
    /// Whether it asks for something that the weights show afterwards. All others ask for certain weights, so that a locked joint whose
    /// weight was to change stands in their way.
    pub(crate) by_result: bool,
    /// Returns what a vertex has not got of what was asked for.
    pub(crate) left: fn(&AfterRow) -> Left,
    /// Says, for so many vertices, that there was no weight for them, without a full stop.
    pub(crate) room: fn(usize) -> String,
    /// Returns what is reported of it although it is refused.
    pub(crate) report_refused: Option<fn(&Sheet, &Settings) -> Mirroring>,
    /// Whether it changes how weights are rounded, so that they are compared as they would be stored.
    pub(crate) rounds: bool,
    /// Sets what it is to be tried with first for a finding that names it as the nearest repair.
    pub for_finding: fn(&mut Settings),
    /// Runs the operation on a sheet.
    pub run: fn(&mut Sheet, &Settings),
}

/// What an operation changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// The weights of vertices.
    Weights,
    /// The inverse bind matrices of joints.
    Binds,
}

/// Tools that do the same kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Brings weights in order.
    Clean,
    /// Repairs findings.
    Repair,
    /// Makes weights even.
    Blend,
    /// Takes weights from elsewhere.
    Copy,
    /// Changes the weights of one joint.
    Joint,
    /// Binds meshes to their joints anew.
    Bind,
}

impl Group {
    /// Every group, in the order in which they are shown.
    pub const ALL: [Self; 6] = [Self::Clean, Self::Repair, Self::Blend, Self::Copy, Self::Joint, Self::Bind];

    /// Returns its name, and what its tools do.
    #[must_use]
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Clean => ("Clean", "Bring the weights of each vertex in order"),
            Self::Repair => ("Mend", "Repair what the checker finds"),
            Self::Blend => ("Blend", "Make weights even with those around them"),
            Self::Copy => ("Copy", "Take weights from elsewhere"),
            Self::Joint => ("Edit", "Change the weights of one joint"),
            Self::Bind => {
                ("Bind", "Bind the mesh to its joints anew: find its weights, or change inverse bind matrices")
            }
        }
    }

    /// Returns its operations, in their places.
    #[must_use]
    pub fn operations(self) -> Vec<&'static Operation> {
        let mut out: Vec<&Operation> = OPERATIONS.iter().copied().filter(|row| row.group == self).collect();
        out.sort_by_key(|row| row.place);
        out
    }
}

/// Which numbers of joints an operation writes. On a mesh that is shown with two skins, the same number means another joint in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JointNumbers {
    /// None that a vertex does not have already.
    Own,
    /// Those of the joints that its settings name.
    Named,
    /// Those of any joint.
    Any,
}

/// What an operation that asks for a certain weight of a joint says of vertices that stay as they are.
#[derive(Debug)]
pub(crate) struct Stays {
    /// Whether a weight is what was asked for.
    pub is_as_asked: fn(f64, &Settings) -> bool,
    /// The reason where no vertex can have it, for a joint of this name.
    pub refusal: fn(String) -> Refusal,
    /// Why single vertices stay, without a full stop.
    pub why: &'static str,
}

impl Stays {
    /// Why vertices stay where a row does not say it otherwise.
    pub(crate) const WHY: &'static str = "no other joint can take the weight, or it is locked";
}

/// A vertex after an operation.
pub(crate) struct AfterRow<'a> {
    /// The table that it is a row of.
    pub table: &'a Table,
    /// Its row there.
    pub row: usize,
    /// Its joints with their shares.
    pub shares: &'a [(u32, f64)],
    /// The joints whose weights stay.
    pub locked: &'a BTreeSet<u32>,
    /// The settings of the operation.
    pub settings: &'a Settings,
}

/// What a vertex has not got of what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// Nothing is left to do.
    Nothing,
    /// Something that a locked joint stands in the way of, where it has one.
    Locked,
    /// There is no weight that it could take.
    Room,
}

impl Left {
    /// Returns [`Left::Locked`] where something is left.
    pub(crate) fn locked(is_left: bool) -> Self {
        if is_left { Self::Locked } else { Self::Nothing }
    }
}

impl Operation {
    /// The row of an operation on weights that has no settings and is never refused; a row of [`OPERATIONS`] replaces what is its own.
    pub(crate) const ROW: Self = Self {
        id: "",
        label: "",
        tool: "",
        short: "",
        icon: "BRACKETS",
        group: Group::Clean,
        place: 0,
        help: "",
        more: "",
        argument: "",
        parameters: &[],
        changes: Changes::Weights,
        repairs: &[],
        chosen: None,
        asks_again: false,
        refuse: |_, _| Ok(()),
        numbers: JointNumbers::Own,
        pairs: None,
        stays: None,
        by_result: false,
        left: |_| Left::Nothing,
        room: no_weight_left,
        report_refused: None,
        rounds: false,
        for_finding: |_| {},
        run: |_, _| {},
    };

    /// Whether it changes weights. Others change inverse bind matrices instead.
    #[must_use]
    pub fn is_of_weights(&self) -> bool {
        self.changes == Changes::Weights
    }

    /// Whether it finds weights from the mesh and its joints alone.
    #[must_use]
    pub fn finds_weights(&self) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter.kind, ParameterKind::Binding))
    }

    /// Whether it finds weights of which linear blending comes near another method.
    #[must_use]
    pub fn bakes_method(&self) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter.kind, ParameterKind::Baking))
    }

    /// Whether it finds weights from example meshes.
    #[must_use]
    pub fn takes_examples(&self) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter.kind, ParameterKind::Examples))
    }

    /// Whether it may take long, so that it is worked out once for what is set at the end of a drag, and says how far it is.
    #[must_use]
    pub fn takes_long(&self) -> bool {
        self.finds_weights() || self.takes_examples() || self.bakes_method()
    }

    /// Returns its name beside that of its group.
    #[must_use]
    pub fn name_in_group(&self) -> &'static str {
        if self.short.is_empty() { self.tool } else { self.short }
    }

    /// Returns the rules of the checker whose findings it repairs with these settings.
    pub(crate) fn rules<'a>(&self, settings: &'a Settings) -> &'a [&'static str] {
        match self.chosen {
            Some(chosen) => chosen(settings),
            None => self.repairs,
        }
    }
}

fn no_weight_left(vertices: usize) -> String {
    format!(
        "{} only a part of what is asked for: no other joint has weight left to give, or it is locked",
        vertices_get(vertices)
    )
}

/// Says that a rule of the checker still finds so many vertices, without a full stop.
pub(crate) fn still_found(vertices: usize) -> String {
    format!("{} what was to be repaired: the rule finds it after the repair as well", vertices_still_have(vertices))
}

/// The start of a sentence about vertices that get only a part.
pub(crate) fn vertices_get(vertices: usize) -> String {
    counted(vertices, "vertex gets", "vertices get")
}

/// The start of a sentence about vertices that are not mended.
pub(crate) fn vertices_still_have(vertices: usize) -> String {
    counted(vertices, "vertex still has", "vertices still have")
}

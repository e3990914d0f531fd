//! The commands that need no device: each works on files alone, in a process of its own or within another program.

use std::time::Instant;

use clap::Subcommand;

use super::{
    CliError, bake_weights, bind, check, clip, compare, diff, fix, info, links, make_pose, measure, paint, sculpt,
    solve,
};

#[derive(Debug, Subcommand)]
pub(super) enum Commands {
    Pose(make_pose::MakePoseArgs),
    Clip(clip::ClipArgs),
    Info(info::InfoArgs),
    Check(check::CheckArgs),
    Fix(Box<fix::FixArgs>),
    Paint(Box<paint::PaintArgs>),
    Bind(Box<bind::BindArgs>),
    Links(links::LinksArgs),
    Solve(Box<solve::SolveArgs>),
    BakeWeights(Box<bake_weights::BakeWeightsArgs>),
    Sculpt(Box<sculpt::SculptArgs>),
    Diff(diff::DiffArgs),
    Compare(compare::CompareArgs),
    Measure(measure::MeasureArgs),
}

impl Commands {
    /// Carries the command out. `started` is the time at which the process, or the work on this command, started.
    pub fn run(&self, started: Instant) -> Result<(), CliError> {
        match self {
            Self::Pose(args) => make_pose::run(args),
            Self::Clip(args) => clip::run(args),
            Self::Info(args) => info::run(args, started),
            Self::Check(args) => check::run(args),
            Self::Fix(args) => fix::run(args),
            Self::Paint(args) => paint::run(args),
            Self::Bind(args) => bind::run(args),
            Self::Links(args) => links::run(args),
            Self::Solve(args) => solve::run(args),
            Self::BakeWeights(args) => bake_weights::run(args),
            Self::Sculpt(args) => sculpt::run(args),
            Self::Diff(args) => diff::run(args),
            Self::Compare(args) => compare::run(args),
            Self::Measure(args) => measure::run(args),
        }
    }
}

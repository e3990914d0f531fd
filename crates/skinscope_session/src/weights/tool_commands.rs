//! Carries out the commands about tools.

use std::sync::Arc;

use skinscope_base::parallel::JobContext;
use skinscope_edit::{Sheet, compute_outcome, mean_of, operation};
use skinscope_model::NodeId;

use crate::findings::repair;
use crate::weights::tools;
use crate::{Session, ToolCommand};

/// Carries out a command of its family.
pub(crate) fn apply(session: &mut Session, command: &ToolCommand) {
    let was_open = session.tools.open;
    change(session, command);
    // A narrow window has room for one of these panels.
    session.measuring.open &= was_open || !session.tools.open;
}

fn change(session: &mut Session, command: &ToolCommand) {
    match command {
        ToolCommand::TogglePanel => {
            session.tools.open = !session.tools.open;
            if !session.tools.open {
                tools::choose(session, None);
            }
        }
        ToolCommand::Choose(id) => {
            tools::choose(session, id.and_then(operation));
            session.tools.open |= session.tools.operation.is_some();
        }
        ToolCommand::SetScope(scope) => session.tools.set_scope(*scope),
        ToolCommand::Set(settings) => session.tools.settings = Arc::clone(settings),
        ToolCommand::TakePose => tools::take_pose(session),
        ToolCommand::Copy => copy_weights(session),
        ToolCommand::Repair { finding, all } => repair::repair(session, *finding, *all),
        ToolCommand::Apply => session.tools.apply = session.tools.operation.is_some(),
        ToolCommand::Cancel => tools::choose(session, None),
        ToolCommand::ToggleLock(node) => {
            if session.model().is_some_and(|model| node.index() < model.skeleton.len()) {
                let locked = Arc::make_mut(&mut session.tools.locked);
                if !locked.remove(node) {
                    locked.insert(*node);
                }
            }
        }
        ToolCommand::UnlockAll => session.tools.locked = Arc::default(),
    }
    if let (false, Some((base, task))) = (session.defers_work, tools::wanted_task(session)) {
        let outcome = compute_outcome(&base, &task, &JobContext::of_waiting());
        tools::take_outcome(session, &base, &task, outcome);
    }
    tools::apply_if_ready(session);
}

/// Keeps the mean of the weights of the scope.
fn copy_weights(session: &mut Session) {
    let Some(base) = session.edited_weights().edited_model().map(Arc::clone) else { return };
    let mut sheet = Sheet::of(&base);
    if let Some(within) = session.edited_weights().vertices_of(session.tools.scope) {
        sheet.limit_to(&within);
    }
    let joints = base.skeleton.len() as u32;
    let copied = mean_of(&sheet).into_iter().filter(|(key, _)| *key < joints);
    Arc::make_mut(&mut session.tools.settings).copied = copied.map(|(key, weight)| (NodeId(key), weight)).collect();
}

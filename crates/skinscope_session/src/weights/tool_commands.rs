//! Carries out the commands about tools.

use std::sync::Arc;

use skinscope_base::parallel::JobContext;
use skinscope_edit::{ParameterKind, Sheet, compute_outcome, mean_of, operation};
use skinscope_model::NodeId;

use crate::findings::repair;
use crate::{Session, Skinning, ToolCommand};

/// Carries out a command of its family.
pub(crate) fn apply(session: &mut Session, command: &ToolCommand) {
    let was_open = session.tools.open;
    let mut takes_pose = false;
    match command {
        ToolCommand::TogglePanel => {
            session.tools.open = !session.tools.open;
            if !session.tools.open {
                session.choose_tool(None);
            }
        }
        ToolCommand::Choose(id) => {
            let chosen = id.and_then(operation);
            session.choose_tool(chosen);
            session.tools.open |= chosen.is_some();
            takes_pose = chosen.is_some_and(|chosen| {
                chosen.parameters.iter().any(|parameter| matches!(parameter.kind, ParameterKind::Pose))
            });
        }
        ToolCommand::SetScope(scope) => session.tools.set_scope(*scope),
        ToolCommand::Set(settings) => session.tools.set(settings),
        ToolCommand::Sculpts(command) => {
            session.update_pose();
            let shown = session.pose_for(command);
            session.tools.change_sculpts(command, shown);
        }
        ToolCommand::TakePose => takes_pose = true,
        ToolCommand::Copy => session.skinning().copy_weights(),
        ToolCommand::Repair { finding, all } => repair::repair(session, *finding, *all),
        ToolCommand::Apply => session.tools.apply = session.tools.operation.is_some(),
        ToolCommand::Cancel => session.choose_tool(None),
        ToolCommand::CompareBefore => session.compare_before(),
        ToolCommand::ToggleAsLayer => session.tools.as_layer ^= true,
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
    if takes_pose {
        session.update_pose();
        session.skinning().take_pose();
    }
    let wanted = session.skinning().wanted_task();
    if let Some((base, task)) = wanted.filter(|_| !session.defers_work) {
        let outcome = compute_outcome(&base, &task, &JobContext::of_waiting());
        session.take_outcome(&base, &task, outcome);
    }
    session.apply_tool_if_ready();
    // A narrow window has room for one of these panels.
    session.measuring.open &= was_open || !session.tools.open;
}

impl Skinning<'_> {
    /// Keeps the mean of the weights of the scope.
    fn copy_weights(&mut self) {
        let Some(base) = self.edited().edited_model().map(Arc::clone) else { return };
        let mut sheet = Sheet::of(&base);
        if let Some(within) = self.edited().vertices_of(self.tools.scope) {
            sheet.limit_to(&within);
        }
        let joints = base.skeleton.len() as u32;
        let copied = mean_of(&sheet).into_iter().filter(|(key, _)| *key < joints);
        Arc::make_mut(&mut self.tools.settings).copied = copied.map(|(key, weight)| (NodeId(key), weight)).collect();
    }
}

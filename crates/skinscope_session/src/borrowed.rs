//! The types that borrow several parts of a session, on one page: which of them sees which parts. What takes such a type reads and changes
//! nothing else. The last seven change parts, all others only read them.

use crate::pose::pose_sources::PoseSources;
use crate::{
    Bones, Brushwork, ClipKeys, ControlState, Deforming, EditRules, EditedWeights, Extents, FileLights, Gizmos, Marker,
    Measurements, Painter, Picking, Playing, Pose, PoseEdits, Session, Skinning, Surfaces, Unsaved, Viewing,
};

impl Session {
    /// Returns how both sides of the picture are deformed: the models, the method of each, and the data that methods need.
    #[must_use]
    pub fn deforming(&self) -> Deforming<'_> {
        Deforming {
            document: self.document.as_ref(),
            model: self.model(),
            view: &self.view,
            compared: &self.compared,
            methods: &self.methods,
        }
    }

    /// Returns the deformed surfaces of the pose that is shown, on both sides of the picture.
    #[must_use]
    pub fn surfaces(&self) -> Surfaces<'_> {
        Surfaces { deforming: self.deforming(), view: &self.view, pose: &self.pose }
    }

    /// Returns the bones of the pose that is shown: which there are, where they lie, and which of them is under the pointer.
    #[must_use]
    pub fn bones(&self) -> Bones<'_> {
        Bones { document: self.document.as_ref(), model: self.model(), view: &self.view, pose: &self.pose }
    }

    /// Returns what lies under a point of the picture, and why the pinned vertex is where it is.
    #[must_use]
    pub fn picking(&self) -> Picking<'_> {
        picking_in(self.deforming(), &self.pose)
    }

    /// Returns what the hand that paints and the ring of its brush are found from.
    pub(crate) fn brushwork(&self) -> Brushwork<'_> {
        Brushwork {
            model: self.model(),
            picking: self.picking(),
            view: &self.view,
            pose: &self.pose,
            edits: &self.edits,
            playback: &self.playback,
            tools: &self.tools,
            painting: &self.painting,
        }
    }

    /// Returns the boxes around the model and its parts as posed, by which the camera frames them.
    #[must_use]
    pub fn extents(&self) -> Extents<'_> {
        Extents {
            document: self.document.as_ref(),
            model: self.model(),
            surfaces: self.surfaces(),
            bones: self.bones(),
            view: &self.view,
            pose: &self.pose,
            stage: self.lesson().map(|lesson| lesson.moment().settings().stage()),
        }
    }

    /// Returns the cameras and lights of the file, as posed.
    #[must_use]
    pub fn file_lights(&self) -> FileLights<'_> {
        FileLights { model: self.model(), view: &self.view, pose: &self.pose }
    }

    /// Returns what can be dragged in the picture to pose the selected joint: the gizmo, the arcs of its limits, and the limb that a pull moves.
    #[must_use]
    pub fn gizmos(&self) -> Gizmos<'_> {
        Gizmos {
            model: self.model(),
            picking: self.picking(),
            view: &self.view,
            pose: &self.pose,
            edits: &self.edits,
            rules: &self.rules,
        }
    }

    /// Returns the keys of the clip that is shown.
    #[must_use]
    pub fn clip_keys(&self) -> ClipKeys<'_> {
        ClipKeys { model: self.model(), selected: self.view.selected, playback: &self.playback }
    }

    /// Returns the rules that edits of the pose follow, with what they are applied to.
    #[must_use]
    pub fn edit_rules(&self) -> EditRules<'_> {
        EditRules {
            document: self.document.as_ref(),
            rules: &self.rules,
            edits: &self.edits,
            playback: &self.playback,
            pose: &self.pose,
        }
    }

    /// Returns what sliders and controls make of the pose that is shown.
    #[must_use]
    pub fn control_state(&self) -> ControlState<'_> {
        ControlState {
            model: self.model(),
            view: &self.view,
            playback: &self.playback,
            edits: &self.edits,
            pose: &self.pose,
        }
    }

    /// Returns the weights that tools work on: the model as edited, without what a tool previews, and the vertices of a scope.
    #[must_use]
    pub fn edited_weights(&self) -> EditedWeights<'_> {
        EditedWeights {
            document: self.document.as_ref(),
            model: self.model(),
            view: &self.view,
            pose: &self.pose,
            tools: &self.tools,
        }
    }

    /// Returns the measures of the surfaces that are shown, as far as they are known, and what is still to be measured.
    #[must_use]
    pub fn measurements(&self) -> Measurements<'_> {
        Measurements {
            model: self.model(),
            deforming: self.deforming(),
            surfaces: self.surfaces(),
            view: &self.view,
            playback: &self.playback,
            edits: &self.edits,
            pose: &self.pose,
            measuring: &self.measuring,
            defers_work: self.defers_work,
        }
    }

    /// Returns what was made since the model was opened, and which of it no file has.
    #[must_use]
    pub fn unsaved(&self) -> Unsaved<'_> {
        Unsaved {
            document: self.document.as_ref(),
            model: self.model(),
            weights: self.edited_weights(),
            view: &self.view,
            playback: &self.playback,
            edits: &self.edits,
            rules: &self.rules,
            tools: &self.tools,
            marking: &self.marking,
            files: &self.files,
            layers: self.painting.layers(),
            layers_in_file: self.painting.layers_in_file(),
            placed: self.placing.joints(),
            placing: self.placing.how(),
            before_finding: self.before_finding.as_deref(),
            is_example: self.lesson.is_some(),
        }
    }

    /// Returns the pose that is shown, with what it is computed from; `None` without a model.
    pub(crate) fn pose_and_sources(&mut self) -> Option<(PoseSources<'_>, &mut Pose)> {
        let document = self.document.as_ref()?;
        let deforming = Deforming {
            document: Some(document),
            model: Some(&document.model),
            view: &self.view,
            compared: &self.compared,
            methods: &self.methods,
        };
        let sources = PoseSources {
            document,
            shown: deforming.shown_model()?,
            view: &self.view,
            playback: &self.playback,
            edits: &self.edits,
            rules: &self.rules,
            lesson: self.lesson.as_ref().map(|open| &open.lesson),
        };
        Some((sources, &mut self.pose))
    }

    /// Returns what is shown of the model, with the history of it and what follows it.
    pub(crate) fn viewing(&mut self) -> Viewing<'_> {
        Viewing {
            document: self.document.as_ref(),
            view: &mut self.view,
            view_history: &mut self.view_history,
            environments: &mut self.environments,
            pose: &mut self.pose,
            defers_work: self.defers_work,
        }
    }

    /// Returns the edits of the pose and the rules that they follow, with what remembers them.
    pub(crate) fn pose_edits(&mut self) -> PoseEdits<'_> {
        PoseEdits {
            document: self.document.as_ref(),
            edits: &mut self.edits,
            rules: &mut self.rules,
            posing: &mut self.posing,
            history: &mut self.history,
            pose: &self.pose,
        }
    }

    /// Returns time and clip, with what changes along with them.
    pub(crate) fn playing(&mut self) -> Playing<'_> {
        Playing {
            document: self.document.as_ref(),
            playback: &mut self.playback,
            edits: &mut self.edits,
            history: &mut self.history,
            view: &self.view,
            pose: &mut self.pose,
            beside: self.beside.as_deref_mut(),
        }
    }

    /// Returns the weights and matrices of the open model, with the tools that change them and the steps that lead back.
    pub(crate) fn skinning(&mut self) -> Skinning<'_> {
        Skinning {
            document: &mut self.document,
            history: &mut self.history,
            tools: &mut self.tools,
            view: &self.view,
            pose: &self.pose,
            defers_work: self.defers_work,
        }
    }

    /// Returns what is marked and pinned, with what remembers it.
    pub(crate) fn marker(&mut self) -> Marker<'_> {
        Marker {
            document: self.document.as_ref(),
            view: &mut self.view,
            marking: &mut self.marking,
            history: &mut self.history,
            before_finding: &mut self.before_finding,
        }
    }

    /// Returns the brush and its strokes, with the weights that they change.
    pub(crate) fn painter(&mut self) -> Painter<'_> {
        Painter {
            skinning: Skinning {
                document: &mut self.document,
                history: &mut self.history,
                tools: &mut self.tools,
                view: &self.view,
                pose: &self.pose,
                defers_work: self.defers_work,
            },
            painting: &mut self.painting,
            marking: &mut self.marking,
            edits: &self.edits,
            rules: &self.rules,
            playback: &self.playback,
            compared: &self.compared,
            methods: &self.methods,
            has_gesture: self.gesture.is_some(),
        }
    }
}

impl Painter<'_> {
    /// Returns what the hand and its strokes are found from.
    pub(crate) fn brushwork(&self) -> Brushwork<'_> {
        let (view, pose) = (self.skinning.view, self.skinning.pose);
        let (document, model) = (self.skinning.document.as_ref(), self.model());
        let deforming = Deforming { document, model, view, compared: self.compared, methods: self.methods };
        Brushwork {
            model,
            picking: picking_in(deforming, pose),
            view,
            pose,
            edits: self.edits,
            playback: self.playback,
            tools: self.skinning.tools,
            painting: self.painting,
        }
    }
}

/// Returns what lies under a point of the picture, of what is deformed in a pose.
fn picking_in<'a>(deforming: Deforming<'a>, pose: &'a Pose) -> Picking<'a> {
    let Deforming { document, model, view, .. } = deforming;
    let surfaces = Surfaces { deforming, view, pose };
    Picking { document, model, deforming, surfaces, bones: Bones { document, model, view, pose }, view, pose }
}

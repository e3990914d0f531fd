//! Where the joints of the pinned vertex can take it, while it can be dragged: the edges of the convex hull of its ghosts, and a mark for each pose
//! in which it is held.

use glam::{DVec3, Vec3};
use skinscope_frame::{Frame, Line};
use skinscope_paint::scene_origin;
use skinscope_solve::hull_edges;

use super::SceneColors;
use crate::Brushwork;

/// The widths of an edge, of a mark, of the line to where the vertex has landed, and of what sets these off from the surface; pixels.
const EDGE: f32 = 1.5;
const MARK: f32 = 7.0;
const WAY: f32 = 1.5;
const RIM: f32 = 2.0;
/// How much of the colour edges and the marks of other poses have.
const FAINT: f32 = 0.6;

/// Adds hull and marks, where vertices can be dragged and one is pinned.
pub(super) fn add_vertex_drag(frame: &mut Frame, brushwork: Brushwork<'_>, colors: &SceneColors) {
    let drag = brushwork.painting.vertex_drag();
    let Some(model) = brushwork.model.filter(|_| drag.is_on() && brushwork.view.pinned.is_some()) else { return };
    let pose = &brushwork.pose.local;
    let origin = scene_origin(model, None, pose);
    let place = |at: DVec3| -> Vec3 { (at - origin).as_vec3() };
    let [ink, edge] = colors.pinned;
    let faint = [ink[0], ink[1], ink[2], FAINT * ink[3]];
    let ghosts = drag.ghosts(model, pose);
    let edges = hull_edges(&ghosts);
    for (width, color) in [(EDGE + RIM, edge), (EDGE, faint)] {
        let line = |[a, b]: &[usize; 2]| Line { from: place(ghosts[*a]), to: place(ghosts[*b]), width, color };
        frame.lines.extend(edges.iter().map(line));
    }
    for pin in drag.pins() {
        let (at, is_of_now) = (place(pin.target()), pin.is_of(pose));
        if is_of_now {
            frame.lines.push(Line { from: place(pin.landed()), to: at, width: WAY, color: ink });
        }
        frame.lines.push(Line { from: at, to: at, width: MARK + RIM, color: edge });
        let color = if is_of_now { colors.selected } else { faint };
        frame.lines.push(Line { from: at, to: at, width: MARK, color });
    }
}

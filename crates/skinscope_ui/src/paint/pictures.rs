//! Small drawings of what brushes do and of how they fall off.

use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, pos2, vec2};
use skinscope_weights::Falloff;

/// How many parts the drawing of a falloff has.
const PARTS: usize = 32;

/// Draws what a brush does around a point, about 12 points wide.
pub(super) fn brush(painter: &Painter, id: &str, at: Pos2, ink: Color32) {
    let stroke = Stroke::new(1.4, ink);
    let p = |x: f32, y: f32| at + vec2(x, y);
    let line = |points: &[(f32, f32)]| {
        painter.add(Shape::line(points.iter().map(|(x, y)| p(*x, *y)).collect(), stroke));
    };
    let ring = || painter.circle_stroke(at, 5.0, stroke);
    match id {
        "add" => {
            ring();
            line(&[(-2.5, 0.0), (2.5, 0.0)]);
            line(&[(0.0, -2.5), (0.0, 2.5)]);
        }
        "subtract" => {
            ring();
            line(&[(-2.5, 0.0), (2.5, 0.0)]);
        }
        "replace" => {
            ring();
            painter.circle_filled(at, 2.4, ink);
        }
        "scale" => {
            ring();
            line(&[(-1.9, -1.9), (1.9, 1.9)]);
            line(&[(-1.9, 1.9), (1.9, -1.9)]);
        }
        "give" => {
            painter.circle_filled(p(-4.2, 0.0), 2.0, ink);
            line(&[(-1.0, 0.0), (5.5, 0.0)]);
            line(&[(2.8, -2.7), (5.5, 0.0), (2.8, 2.7)]);
        }
        "smooth" => {
            let wave = |i: u32| {
                let x = i as f32 * 0.5 - 6.0;
                (x, -2.4 * (x * 0.52).sin())
            };
            line(&(0..=24).map(wave).collect::<Vec<_>>());
        }
        "sharpen" => line(&[(-6.0, 3.5), (-2.0, 2.5), (0.0, -5.0), (2.0, 2.5), (6.0, 3.5)]),
        "relax" => {
            line(&[(-6.0, 4.5), (6.0, -4.5)]);
            for (x, y) in [(-4.0, 3.0), (0.0, 0.0), (4.0, -3.0)] {
                painter.circle_filled(p(x, y), 1.6, ink);
            }
        }
        "average" => {
            line(&[(-6.0, 0.0), (6.0, 0.0)]);
            for (x, y) in [(-4.0, -3.2), (0.0, 3.2), (4.0, -3.2)] {
                painter.circle_filled(p(x, y), 1.4, ink);
            }
        }
        "erase" => {
            line(&[(-6.0, 5.0), (6.0, 5.0)]);
            line(&[(-4.5, 1.5), (1.0, -5.0), (5.0, -1.5), (-0.5, 5.0), (-4.5, 1.5)]);
        }
        _ => _ = ring(),
    }
}

/// Draws a falloff from rim to rim into a rectangle.
pub(super) fn falloff(painter: &Painter, falloff: &Falloff, rect: Rect, ink: Color32) {
    let corner = |i: usize| {
        let across = i as f32 / PARTS as f32;
        let strength = falloff.at(f64::from((2.0 * across - 1.0).abs())) as f32;
        pos2(rect.left() + across * rect.width(), rect.bottom() - strength * rect.height())
    };
    painter.add(Shape::line((0..=PARTS).map(corner).collect(), Stroke::new(1.4, ink)));
}

//! Scales directions to length one in each way: by a square root and a division, by the bits of the number with one and with two steps of
//! Newton's method, and by the two functions that a graphics device has for it. Each has its time and its error.
//!
//! All take the same directions, so that the figures of two models, or of two machines, can be compared.

use std::f64::consts::PI;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::{DVec3, Vec3};

use super::loops::{unit_exact, unit_fast, unit_twice};
use super::{Benchmark, ROUNDS, TURN_SECS, Way, quartiles, timed};

/// How many directions are scaled.
const DIRECTIONS: usize = 1 << 16;

/// A way to scale a direction to length one.
#[derive(Clone, Debug, PartialEq)]
pub struct Root {
    /// The name for programs.
    pub id: &'static str,
    /// The way in words.
    pub way: &'static str,
    /// Its figures, or why there are none, as a sentence without its full stop.
    pub measured: Result<RootFigures, String>,
}

/// What was measured of a way to scale a direction.
#[derive(Clone, Debug, PartialEq)]
pub struct RootFigures {
    /// Nanoseconds for a direction, reading and writing included: the least of all turns, the lower quartile, the median, the upper quartile
    /// and the greatest.
    pub ns: [f64; 5],
    /// The largest distance from the direction of length one in double precision.
    pub error: f64,
    /// What ran it, and how it was timed.
    pub runs_on: String,
}

/// A graphics device that scales [`directions`], by `inverseSqrt` (0) and by `normalize` (1).
pub struct RootsOnDevice<'a> {
    /// What the device is, and how it is timed.
    pub name: String,
    /// What it makes of the directions by either function.
    pub made: [Vec<Vec3>; 2],
    /// Lets one of both functions scale all directions so many times. Returns the seconds of one time, or what went wrong.
    pub secs: &'a mut dyn FnMut(usize, usize) -> Result<f64, String>,
}

impl Root {
    /// Says the time with its quartiles, and the error; or why there are none.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.measured {
            Ok(RootFigures { ns: [_, lower, median, upper, _], error, runs_on }) => format!(
                "{median:.2} ns (half of all turns {lower:.2}–{upper:.2}), {error:.1e} off at most, on {runs_on}"
            ),
            Err(why) => format!("not measured: {why}"),
        }
    }
}

/// Returns directions all around, whose lengths go from a hundredth to a hundred.
#[must_use]
pub fn directions() -> Vec<Vec3> {
    // A spiral over the sphere: each turns by the golden angle.
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    let of = |i: usize| {
        let height = 1.0 - 2.0 * (i as f64 + 0.5) / DIRECTIONS as f64;
        let (around, angle) = ((1.0 - height * height).sqrt(), golden * i as f64);
        let length = 10.0_f64.powf(4.0 * (i as f64 * 0.618_033_988_749).fract() - 2.0);
        (DVec3::new(around * angle.cos(), height, around * angle.sin()) * length).as_vec3()
    };
    (0..DIRECTIONS).map(of).collect()
}

/// Returns the largest distance from the directions of length one in double precision; infinite where something is no number.
fn error(directions: &[Vec3], made: &[Vec3]) -> f64 {
    if made.len() < directions.len() {
        return f64::INFINITY;
    }
    let distances =
        directions.iter().zip(made).map(|(from, made)| made.as_dvec3().distance(from.as_dvec3().normalize()));
    distances.fold(0.0, |most, distance| if distance.is_nan() { f64::INFINITY } else { distance.max(most) })
}

/// How often a way is repeated in a turn, where one time takes so many seconds.
fn repeats(secs: f64) -> usize {
    (TURN_SECS / secs.max(1e-9)).clamp(1.0, 10_000.0) as usize
}

/// Measures the ways of the processor, on one core; they take turns. `None` where it was cancelled.
pub(super) fn by_processor(cancel: &AtomicBool) -> Option<Vec<Root>> {
    let directions = directions();
    let ways: [(&str, &str, Way<'_, Vec3>); 3] = [
        ("exact", "square root and division", &|out: &mut [Vec3]| unit_exact(&directions, out)),
        ("one-step", "bits and one Newton step", &|out: &mut [Vec3]| unit_fast(&directions, out)),
        ("two-steps", "bits and two Newton steps", &|out: &mut [Vec3]| unit_twice(&directions, out)),
    ];
    let mut out = vec![Vec3::ZERO; directions.len()];
    let times = ways.map(|(_, _, run)| repeats(timed(run, &mut out, 1)));
    let mut turns = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        for ((turns, times), (_, _, run)) in turns.iter_mut().zip(times).zip(ways) {
            if cancel.load(Ordering::Relaxed) {
                return None;
            }
            turns.push(1e9 * timed(run, &mut out, times) / directions.len() as f64);
        }
    }
    let root = |(turns, (id, way, run)): (Vec<f64>, (&'static str, &'static str, Way<'_, Vec3>))| {
        run(&mut out);
        let measured =
            Ok(RootFigures { ns: quartiles(turns), error: error(&directions, &out), runs_on: "one core".into() });
        Root { id, way, measured }
    };
    Some(turns.into_iter().zip(ways).map(root).collect())
}

/// The functions of a graphics device: the names for programs, and what they are called.
const OF_DEVICE: [(&str, &str); 2] =
    [("device-inverse-sqrt", "the device's inverseSqrt"), ("device-normalize", "the device's normalize")];

impl Benchmark {
    /// Adds the rows of a graphics device to [`Benchmark::roots`]. Where there is none, or it fails, `device` is the reason, as a sentence
    /// without its full stop, and the rows say that. `None` where it was cancelled.
    pub fn add_device_roots(&mut self, device: Result<RootsOnDevice<'_>, String>, cancel: &AtomicBool) -> Option<()> {
        let device = match device {
            Ok(device) => device,
            Err(why) => {
                let row = |(id, way)| Root { id, way, measured: Err(why.clone()) };
                self.roots.extend(OF_DEVICE.map(row));
                return Some(());
            }
        };
        let directions = directions();
        for (which, (id, way)) in OF_DEVICE.into_iter().enumerate() {
            let turns = match turns(&mut |times| (device.secs)(which, times), cancel) {
                Ok(turns) => Ok(turns?),
                Err(why) => Err(why),
            };
            let measured = turns.map(|turns| RootFigures {
                ns: quartiles(turns),
                error: error(&directions, &device.made[which]),
                runs_on: device.name.clone(),
            });
            self.roots.push(Root { id, way, measured });
        }
        Some(())
    }
}

/// Returns the nanoseconds of a direction in each turn; `None` where it was cancelled.
fn turns(secs: &mut dyn FnMut(usize) -> Result<f64, String>, cancel: &AtomicBool) -> Result<Option<Vec<f64>>, String> {
    let times = repeats(secs(1)?);
    let mut out = Vec::new();
    for _ in 0..ROUNDS {
        if cancel.load(Ordering::Relaxed) {
            return Ok(None);
        }
        out.push(1e9 * secs(times)? / DIRECTIONS as f64);
    }
    Ok(Some(out))
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::benchmark::tests::posed;

    #[test]
    fn each_way_of_the_processor_has_the_error_that_is_known_of_it() {
        let roots = by_processor(&AtomicBool::new(false)).unwrap();
        let errors: Vec<f64> = roots.iter().map(|root| root.measured.as_ref().unwrap().error).collect();
        assert_eq!(roots.iter().map(|root| root.id).collect::<Vec<_>>(), ["exact", "one-step", "two-steps"]);
        assert!(errors[0] > 0.0 && errors[0] < 3e-7, "{errors:?}");
        // Lomont 2003: 0.175 % after one step, 0.00047 % after two.
        assert!((1.6e-3..1.76e-3).contains(&errors[1]), "{errors:?}");
        assert!((4e-6..5.5e-6).contains(&errors[2]), "{errors:?}");
        for root in &roots {
            let RootFigures { ns, .. } = root.measured.as_ref().unwrap();
            assert!(ns.is_sorted() && ns[0] > 0.0 && root.text().ends_with("on one core"), "{root:?}");
        }
        assert_eq!(by_processor(&AtomicBool::new(true)), None);
    }

    #[test]
    fn a_device_has_a_row_for_each_of_its_functions_or_says_why_not() {
        let model = tube(Tube::default());
        let goes_on = AtomicBool::new(false);
        let mut benchmark = Benchmark::of(&model, (&posed(&model), &[]), &goes_on).unwrap();
        assert_eq!(benchmark.roots.len(), 3);
        let units: Vec<Vec3> = directions().iter().map(|v| v.normalize()).collect();
        let longer = units.iter().map(|v| *v * 1.5).collect();
        let mut secs = |which: usize, _: usize| Ok(if which == 0 { 65.536e-6 } else { 131.072e-6 });
        let device = RootsOnDevice { name: "a device".to_owned(), made: [longer, units], secs: &mut secs };
        benchmark.add_device_roots(Ok(device), &goes_on).unwrap();
        let [root, normalize] = &benchmark.roots[3..] else { panic!("two rows") };
        let figures = |root: &Root| root.measured.clone().unwrap();
        assert!((figures(root).ns[2] - 1.0).abs() < 1e-9 && (figures(normalize).ns[2] - 2.0).abs() < 1e-9);
        assert!((figures(root).error - 0.5).abs() < 1e-5 && figures(normalize).error < 1e-6);
        assert!(root.text().contains("1.00 ns") && root.text().ends_with("5.0e-1 off at most, on a device"));
        benchmark.add_device_roots(Err("there is none".to_owned()), &goes_on).unwrap();
        assert!(benchmark.roots[5..].iter().all(|root| root.text() == "not measured: there is none"));
        let mut lost = |_, _| Err("the device was lost".to_owned());
        let device = RootsOnDevice { name: String::new(), made: [Vec::new(), Vec::new()], secs: &mut lost };
        benchmark.add_device_roots(Ok(device), &goes_on).unwrap();
        assert_eq!(benchmark.roots.last().unwrap().text(), "not measured: the device was lost");
        let mut secs = |_, _| Ok(1e-4);
        let device = RootsOnDevice { name: String::new(), made: [Vec::new(), Vec::new()], secs: &mut secs };
        assert_eq!(benchmark.add_device_roots(Ok(device), &AtomicBool::new(true)), None);
    }
}

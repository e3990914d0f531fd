//! Tests that launch the program without a window, as a person or a script does.

mod bind;
mod cases;
mod check;
mod cli;
#[path = "../common/mod.rs"]
mod common;
mod cuts;
mod defects;
mod diff;
mod diff_surfaces;
mod distance;
mod dress;
mod far;
mod fix;
mod hostile;
mod kept;
mod outputs;
mod paint;
mod poses;
mod sculpt;
mod sculpt_places;
mod sculpt_vertex;
mod sharing;
mod solve;
mod three;

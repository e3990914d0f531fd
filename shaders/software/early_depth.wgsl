// Takes the place of late_depth.wgsl on a graphics card, which itself decides when it tests depths.

fn shade_covered_pixels_only(never: bool) {}

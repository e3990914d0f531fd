// What stands in the place of late_depth.wgsl on a graphics card: depths are tested when the card thinks best.

fn shade_covered_pixels_only(never: bool) {}

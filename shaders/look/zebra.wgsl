// Reflected stripes: they run on over a seam where the normals do, and have a corner where the curvature jumps.

const STRIPES: f32 = 9.0;

fn look_color(in: Fragment, p: Point) -> vec3f {
    let mirrored = reflect(-to_eye(in.world), p.normal);
    // Angles about the vertical of the picture, so that stripes turn with the camera.
    let height = asin(clamp(dot(mirrored, globals.view_y.xyz), -1.0, 1.0)) / PI + 0.5;
    let at = height * STRIPES;
    let wave = abs(fract(at) - 0.5) - 0.25;
    // Stripes that are narrower than a pixel become grey.
    let soft = max(fwidth(at), 1e-4);
    let edge = clamp(wave / soft + 0.5, 0.0, 1.0);
    let stripe = mix(edge, 0.5, smoothstep(0.25, 0.6, soft));
    let facing = clamp(dot(p.normal, to_eye(in.world)), 0.0, 1.0);
    return vec3f(mix(0.02, 0.82, stripe)) * mix(0.45, 1.0, facing);
}

// The fragment stage of looks, which show the surface in other ways than by its materials and their light, and what
// they share. A file of looks (shaders/look/) defines
//
//     fn look_color(in: Fragment, p: Point) -> vec3f
//
// the linear colour of a point of the surface as the picture shows it. `p` has the parts of the material that the row of
// the look names; all others count as if the material had none. It may use derivatives. Where the device is a software
// one, no branch may depend on uniforms alone (common/globals.wgsl).

/// True where the texture METALLIC_ROUGHNESS has specular and glossiness.
override GLOSSY: bool = false;

/// A rough surface of one colour in the light of the picture.
fn clay(in: Fragment, p: Point, albedo: vec3f) -> vec3f {
    var s: Shading;
    s.diffuse = albedo;
    s.f0 = vec3f(0.04);
    s.f90 = 1.0;
    s.roughness = filtered_roughness(0.72, p.normal_dx, p.normal_dy);
    s.occlusion = p.occlusion;
    s.key = p.key;
    s.normal = p.normal;
    s.to_eye = to_eye(in.world);
    return tone(select(albedo, shone_on(s, in.world), is_lit()));
}

/// The normal as a sphere in the middle of the picture would have it: x to the right, y up, z towards the eye.
fn normal_of_sphere(in: Fragment, p: Point) -> vec3f {
    let eye = to_eye(in.world);
    let right = normalize(cross(globals.view_y.xyz, eye));
    return vec3f(dot(p.normal, right), dot(p.normal, cross(eye, right)), dot(p.normal, eye));
}

/// A soft lamp on such a sphere: 1 in its middle, 0 beyond its edge. `at`: its middle; `radius`: its size.
fn lamp(n: vec3f, at: vec2f, radius: f32) -> f32 {
    return 1.0 - smoothstep(0.3 * radius, radius, distance(n.xy, at));
}

/// The mean curvature of the surface times the size of the model: above 0 where it bulges towards the eye.
fn bulge(in: Fragment, p: Point) -> f32 {
    let dx = dpdx(in.world);
    let dy = dpdy(in.world);
    // The first and the second fundamental form, in the coordinates of the screen.
    let e = dot(dx, dx);
    let f = dot(dx, dy);
    let g = dot(dy, dy);
    let l = dot(p.normal_dx, dx);
    let m = 0.5 * (dot(p.normal_dx, dy) + dot(p.normal_dy, dx));
    let n = dot(p.normal_dy, dy);
    let area2 = e * g - f * f;
    return (l * g - 2.0 * m * f + n * e) / (2.0 * max(area2, 1e-30)) * globals.view_x.w;
}

@fragment
fn fs_look(in: Fragment, @builtin(front_facing) front_facing: bool) -> @location(0) vec4f {
    shade_covered_pixels_only(in.lit < -1.0);
    let p = point_at(in, front_facing);
    let color = look_color(in, p);
    if is_hidden(p) {
        discard;
    }
    return in_picture(dithered(dimmed(color, in), pixel_of(in.position)), 1.0);
}

// The light of the studio, which turns with the camera: one key light, soft boxes, a dim hemisphere.

/// Irradiance / π from the surroundings, for a surface that faces up and for one that faces down. Together with the key
/// light they show a surface of average colour that faces the eye in about its own colour, which `tone` leaves as it
/// is.
const SKY: vec3f = vec3f(0.83, 0.845, 0.87);
const GROUND: vec3f = vec3f(0.40, 0.395, 0.39);
/// Radiance of the walls between the boxes, above and below. The walls are darker than SKY and GROUND, which light
/// rough surfaces, so that metals have light and dark to reflect and dielectrics do not turn white at grazing angles.
const WALL_TOP: vec3f = vec3f(0.71, 0.725, 0.75);
const WALL_FOOT: vec3f = vec3f(0.20, 0.195, 0.19);
/// Irradiance / π of the key light at full incidence.
const KEY: vec3f = vec3f(0.824, 0.810, 0.783);

/// Radiance of the surroundings along `direction`, blurred for a surface of GGX roughness `alpha`.
fn surroundings(direction: vec3f, alpha: f32) -> vec3f {
    let up = clamp(direction.y / (0.35 + alpha) * 0.5 + 0.5, 0.0, 1.0);
    // The roughest surfaces reflect the mean of their surroundings.
    let rough = clamp(2.0 * alpha - 0.6, 0.0, 1.0);
    var sum = mix(mix(WALL_FOOT, GROUND, rough), mix(WALL_TOP, SKY, rough), up * up * (3.0 - 2.0 * up));
    // A box has soft edges and is blurred: each edge is a smooth step that is wider than the lobe.
    let narrow = 0.5 / (0.16 + 1.5 * alpha);
    for (var i = 0; i < 4; i++) {
        let light = globals.boxes[i];
        let d = vec3f(dot(direction, light.x.xyz), dot(direction, light.y.xyz), dot(direction, light.z.xyz));
        // The projection is stereographic: it is finite everywhere except straight behind.
        let at = d.xy * (2.0 / max(1.0 + d.z, 1e-3));
        let half = vec2f(light.x.w, light.y.w);
        let edges = clamp(vec4f(at + half, at - half) * narrow + 0.5, vec4f(0.0), vec4f(1.0));
        let steps = edges * edges * (3.0 - 2.0 * edges);
        sum += light.radiance.rgb * ((steps.x - steps.z) * (steps.y - steps.w));
    }
    return sum;
}

/// Irradiance / π of the surroundings.
fn surroundings_diffuse(normal: vec3f) -> vec3f {
    var sum = mix(GROUND, SKY, normal.y * 0.5 + 0.5);
    for (var i = 0; i < 4; i++) {
        let light = globals.boxes[i];
        // The boxes are large, so their light reaches a little around the edge of a shape.
        let facing = clamp((dot(normal, light.z.xyz) + 0.25) / 1.25, 0.0, 1.0);
        sum += light.radiance.rgb * light.radiance.w * facing * facing;
    }
    return sum;
}

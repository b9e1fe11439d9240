// Sky, haze, light on a surface, and the way from linear light to the screen. Include scene.glsl first.
#ifndef SHADING_GLSL
#define SHADING_GLSL

// The sky in a direction at or above the horizon, without the sun's disc.
vec3 sky_above(Palette palette, vec3 direction) {
    float height = max(direction.y, 0.0);
    float sun = dot(direction, palette.sun_direction);
    // The glow hugs the horizon and fades around it.
    vec3 horizon = mix(palette.horizon, palette.glow, pow(0.5 + 0.5 * sun, 3.0));
    vec3 color = mix(palette.zenith, horizon, exp(-3.2 * height));
    return color + palette.sun_color * 0.10 * exp(-9.0 * (1.0 - sun));
}

// What a ray that hits nothing sees: the sky, or a calm sea that mirrors it.
vec3 background(Palette palette, vec3 direction) {
    vec3 mirrored = vec3(direction.x, abs(direction.y), direction.z);
    vec3 sky = sky_above(palette, mirrored);
    float depth = -direction.y;
    if (depth <= 0.0) {
        return sky;
    }
    // Fresnel: a grazing look sees the sky, a steep one the water.
    float mirror = 0.06 + 0.94 * pow(1.0 - clamp(depth, 0.0, 1.0), 5.0);
    vec3 sea = mix(palette.water, sky * 0.8, mirror);
    // The horizon itself dissolves in haze.
    return mix(sea, sky, exp(-28.0 * depth));
}

// Share of light that passes `distance` world units of haze.
float transmittance(float haze, float distance) { return exp(-haze * distance); }

// Light that leaves a surface towards `view` (unit, from the surface to the eye).
vec3 lit(Palette palette, vec3 albedo, vec3 normal, vec3 view, float translucency) {
    vec3 sun = palette.sun_direction;
    float facing = dot(normal, sun);
    vec3 above = mix(palette.horizon, palette.zenith, 0.5);
    vec3 below = mix(palette.water, palette.horizon, 0.35);
    vec3 ambient = mix(below, above, 0.5 + 0.5 * normal.y);
    float direct = max(facing, 0.0) + translucency * max(-facing, 0.0);
    vec3 diffuse = albedo * (ambient + palette.sun_color * direct);
    float glint = pow(max(dot(normal, normalize(sun + view)), 0.0), 48.0) * max(facing, 0.0);
    float edge = pow(1.0 - max(dot(normal, view), 0.0), 4.0);
    vec3 mirrored = sky_above(palette, reflect(-view, normal));
    return diffuse + palette.sun_color * 0.35 * glint + mirrored * 0.3 * edge;
}

// Linear light to what the attachment stores: a filmic curve (Narkowicz 2015, "ACES Filmic Tone Mapping
// Curve"), then sRGB where the attachment does not encode by itself.
vec3 to_screen(vec3 color, uint encode_srgb) {
    color = clamp(color * (2.51 * color + 0.03) / (color * (2.43 * color + 0.59) + 0.14), 0.0, 1.0);
    if (encode_srgb == 1u) {
        vec3 low = color * 12.92;
        vec3 high = 1.055 * pow(color, vec3(1.0 / 2.4)) - 0.055;
        color = mix(high, low, lessThanEqual(color, vec3(0.0031308)));
    }
    return color;
}

#endif

// The sea: it mirrors the sky and the flock in waves, and glitters below the sun. Include sky.glsl and declare mirror
// first.
#ifndef SEA_GLSL
#define SEA_GLSL

// Rays that are mirrored for each pixel, to see how much of the sky's light the flock takes.
const uint MIRRORED_RAYS = 6u;

// The share of light that passes the flock at a place of its mirror image, in texels; all of it outside of the image.
float past_flock(vec2 place) {
    vec2 low = floor(place - 0.5);
    if (low.x < 0.0 || low.y < 0.0 || low.x >= float(MIRROR_WIDTH - 1u) || low.y >= float(MIRROR_HEIGHT - 1u)) {
        return 1.0;
    }
    uint at = uint(low.y) * MIRROR_WIDTH + uint(low.x);
    uvec4 counts = uvec4(mirror[at], mirror[at + 1u], mirror[at + MIRROR_WIDTH], mirror[at + MIRROR_WIDTH + 1u]);
    vec2 within = place - 0.5 - low;
    vec2 row = mix(vec2(counts.xz), vec2(counts.yw), within.x);
    return exp(-mix(row.x, row.y, within.y) * (1.0 / float(MIRROR_UNIT)));
}

// How much of the sun's light waves throw to the eye: a streak that widens towards the eye, broken up by ripples.
// `waves` is noise.
float glitter(vec3 direction, vec3 sun, float depth, float waves) {
    vec2 ahead = normalize(direction.xz), below_sun = normalize(sun.xz);
    float across = dot(ahead, vec2(-below_sun.y, below_sun.x));
    float facing = max(dot(ahead, below_sun), 0.0);
    float width = 0.03 + 0.25 * depth;
    // Beside the streak, less than 2e-7 of the sun's light is left.
    if (facing == 0.0 || abs(across) > 4.0 * width) {
        return 0.0;
    }
    float ripples = waves * noise(vec2(40.0 * across, 12.0 / depth - 0.5 * scene.time));
    return facing * exp(-across * across / (width * width)) * exp(-6.0 * depth) * (0.08 + 1.2 * ripples * ripples);
}

// The linear color of the sea along `direction`, which points down. `jitter`, from 0 to 1, differs between pixels.
vec3 sea(vec3 direction, float jitter) {
    float depth = max(-direction.y, 1e-4);
    float height = scene.eye.y - scene.sea;
    float far = height / depth;
    float unit = max(scene.wave_length, 0.1 * height);
    vec2 p = (scene.eye.xz + far * direction.xz) / unit;
    // A pixel is longest along the ray; waves shorter than it only blur.
    float pixel = far * far / (height * scene.pixels_per_radian * unit);
    float detail = 1.0 / (1.0 + pixel * pixel);
    float waves = noise(p + 0.7 * scene.time);
    float swell = detail * (0.7 * waves + 0.3 * noise(2.7 * p - 0.9 * scene.time) - 0.5);

    // Waves tilt the mirror, so that even a grazing ray reflects a higher, darker part of the sky.
    vec3 up = normalize(vec3(direction.x, depth + 0.10 + 0.16 * swell, direction.z));
    vec3 mirrored = sky_above(scene.palette, up);

    // The flock in the same mirror: rays that waves tilt by more or less.
    float along = dot(direction, scene.mirror_forward);
    float passed = 1.0;
    if (along > 0.0) {
        vec2 size = vec2(MIRROR_WIDTH, MIRROR_HEIGHT);
        vec2 level = vec2(dot(direction, scene.mirror_right), depth * scene.mirror_rise) / along;
        passed = 0.0;
        for (uint ray = 0u; ray < MIRRORED_RAYS; ++ray) {
            float share = (float(ray) + jitter) / float(MIRRORED_RAYS);
            float tilt = 0.01 + 0.20 * share * share + 0.10 * swell;
            vec2 place = vec2(0.5 + 0.5 * (level.x + 0.03 * swell), level.y + max(tilt, 0.0) * scene.mirror_rise);
            passed += past_flock(place * size) * (1.0 / float(MIRRORED_RAYS));
        }
    }
    // Light that the flock sends instead: its own, and that of the haze before it.
    float clear = transmittance(scene.haze, scene.flock_distance);
    vec3 own = (COLORING == COLORING_SILHOUETTE ? vec3(0.02) : 0.4 * scene.palette.boid) * scene.palette.horizon;
    vec3 flock = mix(background(scene.palette, normalize(vec3(direction.x, 0.1, direction.z))), own, clear);

    // Fresnel, softened by the waves: a grazing ray sees the sky, a steep one the water.
    float share = 0.05 + 0.75 * sixth_power(1.0 - min(depth, 1.0));
    vec3 color = mix(scene.palette.water, mix(flock, mirrored, passed), share);
    color += scene.palette.sun_color * (passed * glitter(direction, scene.palette.sun_direction, depth, waves));
    // Haze at the horizon: below 2e-8 farther down than this.
    if (depth < 0.2) {
        color = mix(color, sky_above(scene.palette, vec3(direction.x, 0.0, direction.z)), exp(-90.0 * depth));
    }
    return color;
}

#endif

// The background of the picture: a sky with the sun's disc, drifting clouds and a far shore (the sea is in sea.glsl);
// under water shafts of light, the surface's bright window, a floor of sand and drifting particles; or paper. Include
// scene.glsl, camera.glsl and shading.glsl and declare scene first.
#ifndef SKY_GLSL
#define SKY_GLSL

// Value noise: smooth random values on a unit lattice.
float noise(vec2 p) {
    vec2 cell = floor(p);
    vec2 t = p - cell;
    t *= t * (3.0 - 2.0 * t);
    uvec2 i = uvec2(ivec2(cell));
    uint low_row = i.x + hash(i.y), high_row = i.x + hash(i.y + 1u);
    // The numbers of unit_float times 2^24: the factor, a power of two, is multiplied once and changes no bits. As
    // signed numbers, which software drivers convert faster.
    vec2 low = vec2(int(hash(low_row) >> 8u), int(hash(low_row + 1u) >> 8u));
    vec2 high = vec2(int(hash(high_row) >> 8u), int(hash(high_row + 1u) >> 8u));
    vec2 row = mix(low, high, t.y);
    return mix(row.x, row.y, t.x) * (1.0 / 16777216.0);
}

// How high a far shore rises above the horizon, as a direction's upward part: hills here, open sea there.
float shore(vec3 direction) {
    vec2 around = normalize(direction.xz);
    float land = smoothstep(0.42, 0.75, noise(3.1 * around + 11.0));
    return 0.030 * land * (0.45 + 0.4 * noise(13.0 * around) + 0.15 * noise(47.0 * around));
}

// Thin streaks of cloud, as seen from far below them. The wind carries them.
float clouds(vec3 direction) {
    float height = max(direction.y, 1e-3);
    vec2 p = direction.xz * (1.0 / (height + 0.12)) + vec2(0.010, 0.003) * scene.time;
    // The finer streaks are looked up only where they can make the sum reach the least that shows.
    float streaks = 0.6 * noise(p * vec2(1.1, 3.0));
    if (streaks <= 0.48 - 0.12 - 0.28) {
        return 0.0;
    }
    streaks += 0.28 * noise(p * vec2(2.7, 8.0));
    if (streaks <= 0.48 - 0.12) {
        return 0.0;
    }
    streaks += 0.12 * noise(p * vec2(6.0, 19.0));
    return smoothstep(0.48, 0.85, streaks) * smoothstep(0.01, 0.12, height);
}

// Shafts of sunlight between the waves above: streaks that point to the sun, and sway.
float shafts(vec3 direction, vec3 sun) {
    // None reach so far down.
    if (direction.y <= -0.5) {
        return 0.0;
    }
    vec3 right = normalize(cross(sun, vec3(0.0, 0.0, 1.0)));
    vec3 above = cross(right, sun);
    float angle = atan(dot(direction, above), dot(direction, right)) * 9.0;
    float streaks = noise(vec2(angle, 0.15 * scene.time)) * noise(vec2(2.3 * angle + 7.0, -0.22 * scene.time));
    float facing = 0.5 + 0.5 * dot(direction, sun);
    return streaks * (facing * facing * facing * facing * facing) * smoothstep(-0.5, 0.6, direction.y);
}

// The floor of the sea, below the flock's world and the eye, where the ray along `direction` meets it; the water before
// it is `around`.
vec3 sea_floor(vec3 direction, vec3 around) {
    float bottom = scene.cells.origin.y - 0.22 * scene.cells.cell_size.y * float(scene.cells.dims.y);
    float height = max(scene.eye.y - bottom, 6.0 * scene.boid_length);
    if (direction.y >= 0.0) {
        return around;
    }
    float far = height / max(-direction.y, 1e-4);
    float passed = transmittance(scene.haze, far);
    if (passed < 0.01) {
        return around;
    }
    vec3 place = scene.eye + far * direction;
    // Detail that is finer than a pixel would flicker; a pixel is longest along the ray.
    float unit = 5.0 * scene.boid_length;
    float units = 2.0 * far * far / (height * scene.pixels_per_radian * unit);
    float detail = 1.0 / (1.0 + units * units);
    vec2 p = place.xz / unit;
    float dunes = 0.5 * sin(0.31 * p.x + 1.3 * sin(0.23 * p.y)) * sin(0.27 * p.y + 0.19 * p.x);
    float ripples = sin(5.0 * p.x + 2.0 * p.y + 1.6 * sin(0.9 * p.y - 0.4 * p.x));
    vec3 normal = normalize(vec3(0.10 * detail * ripples, 1.0, 0.04 * detail * ripples));
    float sun = 1.0 + detail * (light_under_waves(scene.palette, place, 6.0 * scene.boid_length, scene.time) - 1.0);
    vec3 albedo = vec3(0.25, 0.235, 0.185) * (1.0 + 0.5 * dunes + 0.10 * detail * ripples);
    return mix(around, albedo * light_on(scene.palette, normal, vec2(sun, 1.0), 0.0), passed);
}

// The surface from below: the whole sky within 48.6 degrees of the vertical (Snell's window), and around it a mirror of
// the deep.
vec3 water_surface(vec3 direction, vec3 around) {
    if (direction.y < 0.5) {
        return around;
    }
    vec2 p = direction.xz / direction.y;
    float waves = caustics(9.0 * p, 0.8 * scene.time);
    float swell = noise(7.0 * p + 0.4 * scene.time) - 0.5;
    float window = smoothstep(0.64, 0.665, direction.y + 0.06 * swell);
    float off = 1.0 - dot(direction, scene.palette.sun_direction);
    vec3 glare = scene.palette.sun_color * (0.3 * exp(-22.0 * off) + 2.0 * exp(-240.0 * off));
    vec3 above = scene.palette.zenith * (1.7 + 0.25 * waves) + glare;
    vec3 mirror = around * (0.62 + 0.12 * waves * smoothstep(0.5, 0.6, direction.y));
    return mix(mix(around, mirror, smoothstep(0.5, 0.6, direction.y)), above, window);
}

// Light scattered by small particles in the water, in two layers around the eye. They lie in cells of a lattice that
// drifts; a particle fades before its cell leaves the layer.
float snow(vec3 direction) {
    float sum = 0.0;
    for (uint layer = 0u; layer < 2u; ++layer) {
        float far = scene.boid_length * (5.0 + 9.0 * float(layer));
        float edge = 0.12 * far;
        vec3 eye = scene.eye + scene.boid_length * scene.time * vec3(-0.10, 0.16, 0.05);
        vec3 cell = floor((eye + far * direction) * (1.0 / edge));
        uvec3 i = uvec3(ivec3(cell));
        uint bits = hash(i.x * 73856093u ^ i.y * 19349663u ^ (i.z + 7u * layer) * 83492791u);
        vec3 within = vec3(bits & 1023u, bits >> 10u & 1023u, bits >> 20u & 1023u) * (1.0 / 1023.0);
        vec3 center = edge * (cell + 0.2 + 0.6 * within) - eye;
        float along = dot(center, direction);
        float radius = max(far * 0.0013 * (0.5 + within.x), 0.8 * far / scene.pixels_per_radian);
        vec3 off = center - along * direction;
        // Few rays meet a particle.
        if (dot(off, off) < radius * radius) {
            float steady = clamp(1.0 - abs(length(center) - far) / (0.5 * edge), 0.0, 1.0);
            sum += (1.0 - length(off) / radius) * steady * (0.4 + 0.6 * within.y);
        }
    }
    return sum;
}

// The linear color of the background along `direction`, a unit vector; before a backdrop with a sea, one that does not
// point down.
vec3 sky(vec3 direction) {
    vec3 sun_direction = scene.palette.sun_direction;
    vec3 color = background(scene.palette, direction);
    float sun = dot(direction, sun_direction);
    if (BACKDROP == BACKDROP_PAPER) {
        return color;
    }
    if (BACKDROP == BACKDROP_WATER) {
        color = sea_floor(direction, water_surface(direction, color));
        color += scene.palette.glow * (1.6 * shafts(direction, sun_direction) + 0.9 * snow(direction));
    } else {
        float facing = (0.5 + 0.5 * sun) * (0.5 + 0.5 * sun);
        color = mix(color, mix(scene.palette.horizon, scene.palette.glow, facing * facing), 0.55 * clouds(direction));
        // A disc of half a degree, as in nature; its edge is as soft as a pixel. It lies within 25 degrees of the sun's
        // center in every picture of more than a few pixels.
        float radius = 0.00463;
        float edge = 1.0 / scene.pixels_per_radian;
        if (sun > 0.9) {
            float from_center = length(cross(direction, sun_direction));
            color = mix(color, sun_disc(scene.palette), smoothstep(radius + edge, radius - edge, from_center));
        }
        if (direction.y < 0.03) {
            float land = smoothstep(-edge, edge, shore(direction) - direction.y);
            color = mix(color, 0.35 * scene.palette.horizon + 0.35 * background(scene.palette, direction), 0.75 * land);
        }
    }
    return color;
}

#endif

// The background of the picture: a sky with the sun's disc, thin clouds and the sea's glitter; shafts of light in open water;
// or paper. Include scene.glsl, camera.glsl and shading.glsl and declare scene first.
#ifndef SKY_GLSL
#define SKY_GLSL

// Value noise: smooth random values on a unit lattice.
float noise(vec2 p) {
    vec2 cell = floor(p);
    vec2 t = p - cell;
    t *= t * (3.0 - 2.0 * t);
    uvec2 i = uvec2(ivec2(cell));
    vec2 low = vec2(unit_float(hash(i.x + hash(i.y))), unit_float(hash(i.x + 1u + hash(i.y))));
    vec2 high = vec2(unit_float(hash(i.x + hash(i.y + 1u))), unit_float(hash(i.x + 1u + hash(i.y + 1u))));
    vec2 row = mix(low, high, t.y);
    return mix(row.x, row.y, t.x);
}

// The sun on the waves below it: a streak that widens towards the eye, broken up by ripples.
float glitter(vec3 direction, vec3 sun) {
    float depth = max(-direction.y, 1e-4);
    float across = dot(normalize(direction.xz), normalize(vec2(-sun.z, sun.x)));
    float facing = max(dot(normalize(direction.xz), normalize(sun.xz)), 0.0);
    float width = 0.03 + 0.25 * depth;
    float ripples = noise(vec2(direction.x, direction.z) / depth * vec2(6.0, 6.0)) * noise(vec2(40.0 * across, 12.0 / depth));
    return facing * exp(-across * across / (width * width)) * exp(-6.0 * depth) * (0.08 + 1.2 * ripples * ripples);
}

// Thin streaks of cloud, as seen from far below them.
float clouds(vec3 direction) {
    float height = max(direction.y, 1e-3);
    vec2 p = direction.xz / (height + 0.12);
    float streaks = 0.6 * noise(p * vec2(1.1, 3.0)) + 0.28 * noise(p * vec2(2.7, 8.0)) + 0.12 * noise(p * vec2(6.0, 19.0));
    return smoothstep(0.48, 0.85, streaks) * smoothstep(0.01, 0.12, height);
}

// Shafts of sunlight between the waves above: streaks that point to the sun, and sway.
float shafts(vec3 direction, vec3 sun) {
    vec3 right = normalize(cross(sun, vec3(0.0, 0.0, 1.0)));
    vec3 above = cross(right, sun);
    float angle = atan(dot(direction, above), dot(direction, right)) * 9.0;
    float streaks = noise(vec2(angle, 0.15 * scene.time)) * noise(vec2(2.3 * angle + 7.0, -0.22 * scene.time));
    float facing = 0.5 + 0.5 * dot(direction, sun);
    return streaks * pow(facing, 5.0) * smoothstep(-0.5, 0.6, direction.y);
}

// The displayed linear color of the background along `direction`, a unit vector.
vec3 sky(vec3 direction) {
    vec3 sun_direction = scene.palette.sun_direction;
    vec3 color = background(scene.palette, direction);
    float sun = dot(direction, sun_direction);
    if (BACKDROP == BACKDROP_PAPER) {
        return color;
    }
    if (BACKDROP == BACKDROP_WATER) {
        color += 1.6 * scene.palette.glow * shafts(direction, sun_direction);
    } else if (direction.y > 0.0) {
        vec3 lit_cloud = scene.palette.horizon + scene.palette.glow * pow(0.5 + 0.5 * sun, 4.0);
        color = mix(color, lit_cloud, 0.55 * clouds(direction));
        // A disc of half a degree, as in nature; its edge is as soft as a pixel.
        float radius = 0.00463;
        float edge = 1.0 / scene.pixels_per_radian;
        float from_center = length(cross(direction, sun_direction));
        color += 6.0 * scene.palette.sun_color * smoothstep(radius + edge, radius - edge, from_center) * step(0.0, sun);
    } else {
        color += scene.palette.sun_color * glitter(direction, sun_direction);
    }
    return tone_map(color);
}

#endif

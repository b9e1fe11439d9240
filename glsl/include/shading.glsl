// Sky, haze, light on a surface, and the way from linear light to the screen. Include scene.glsl first.
#ifndef SHADING_GLSL
#define SHADING_GLSL

float sixth_power(float x) { return x * x * x * x * x * x; }

// The light of the sun's disc. What turns the light of a low sun orange has turned its disc so twice as much, since the
// eye sees it through all of the air, and surfaces have the sky's light, too.
vec3 sun_disc(Palette palette) { return 1.15 * palette.sun_color * palette.sun_color; }

// The sky in a direction at or above the horizon, without the sun's disc.
vec3 sky_above(Palette palette, vec3 direction) {
    float height = max(direction.y, 0.0);
    float sun = dot(direction, palette.sun_direction);
    float thin = exp(-height);
    float thin_2 = thin * thin, thin_5 = thin_2 * thin_2 * thin;
    vec3 color = mix(palette.zenith, palette.horizon, thin_5);
    // The glow is near the horizon and fades with azimuth.
    color = mix(color, palette.glow, thin_5 * thin_2 * sixth_power(0.5 + 0.5 * sun));
    // Halo, aureole and bloom: wider ones are fainter, and redder ones closer to the sun. The inner two are below 3e-8
    // farther from it than 16 degrees.
    float off = 1.0 - sun;
    color += palette.glow * (0.12 * exp(-14.0 * off));
    if (off < 0.04) {
        color += sun_disc(palette) * (0.06 * exp(-400.0 * off) + 0.14 * exp(-4000.0 * off));
    }
    return color;
}

// Color of a ray without a hit in open water: light from above, which fades as the ray points down, and
// scatters most towards the direction of the sun.
vec3 water_around(Palette palette, vec3 direction) {
    vec3 color = mix(palette.horizon, palette.zenith, smoothstep(0.0, 1.0, direction.y));
    color = mix(color, palette.water, smoothstep(0.0, 0.9, -direction.y));
    return color + palette.glow * sixth_power(max(0.5 + 0.5 * dot(direction, palette.sun_direction), 0.0));
}

// Color of a ray without a hit: the sky, the sea that mirrors it, or another backdrop.
vec3 background(Palette palette, vec3 direction) {
    if (BACKDROP == BACKDROP_WATER) {
        return water_around(palette, direction);
    }
    if (BACKDROP == BACKDROP_PAPER) {
        return palette.horizon;
    }
    float depth = -direction.y;
    if (depth <= 0.0) {
        return sky_above(palette, direction);
    }
    // Waves tilt the mirror, so that even a grazing ray reflects a higher, darker part of the sky.
    vec3 mirrored = normalize(vec3(direction.x, depth + 0.10, direction.z));
    // Fresnel, softened by the same waves: a grazing ray sees the sky, a steep one the water.
    float mirror = 0.05 + 0.75 * sixth_power(1.0 - min(depth, 1.0));
    vec3 sea = mix(palette.water, sky_above(palette, mirrored), mirror);
    // Haze at the horizon: below 2e-8 farther down than this.
    if (depth < 0.2) {
        sea = mix(sea, sky_above(palette, vec3(direction.x, 0.0, direction.z)), exp(-90.0 * depth));
    }
    return sea;
}

// Share of light that passes `distance` world units of haze, which in air thickens away from the eye: so that near
// boids are dark.
float transmittance(float haze, float distance) {
    float depth = haze * distance;
    return exp(BACKDROP == BACKDROP_SKY ? -depth * depth : -depth);
}

// Bright lines where waves above focus the light, at a place on a plane: a net with meshes about seven units wide. Its
// mean over a large area is 1.
float caustics(vec2 place, float time) {
    vec2 p = clamp(place, -1e6, 1e6);
    p += 1.1 * sin(vec2(0.31 * p.x + 0.41 * p.y + 0.6 * time, 0.37 * p.x - 0.29 * p.y - 0.5 * time + 1.0));
    p += 0.7 * sin(vec2(1.1 * p.y + 0.9 * time + 2.0, 1.2 * p.x - 0.7 * time + 3.0));
    // Three waves add up to hills on a triangular lattice; the valleys between them are a net.
    float hills = (cos(p.x) + cos(0.5 * p.x - 0.87 * p.y) + cos(0.5 * p.x + 0.87 * p.y) + 1.5) / 4.5;
    float line = max(1.0 - 1.5 * hills, 0.0);
    return line * line * line * line * line / 0.229;
}

// The share of the sun's light at a place under water: 1 on average, and everywhere before other backdrops.
float light_under_waves(Palette palette, vec3 place, float boid_length, float time) {
    if (BACKDROP != BACKDROP_WATER) {
        return 1.0;
    }
    // The surface is above, towards the sun.
    vec2 above = place.xz - place.y * palette.sun_direction.xz / palette.sun_direction.y;
    // A mesh of the net is about as wide as a boid is long.
    return 0.4 + 0.6 * caustics(above * (6.0 / boid_length), time);
}

// Light that falls on a surface, as far as it scatters. `light` is the share of the sun's and of the sky's light that
// arrives.
vec3 light_on(Palette palette, vec3 normal, vec2 light, float translucency) {
    vec3 sun = palette.sun_direction;
    float facing = dot(normal, sun);
    // Two hemispheres of sky, and a third towards the glow.
    vec3 above = 2.0 * mix(palette.horizon, palette.zenith, 0.35);
    vec3 below = mix(palette.water, palette.horizon, 0.5);
    float glow = 0.5 + 0.5 * dot(normal, normalize(vec3(sun.x, 0.0, sun.z)));
    vec3 ambient = (mix(below, above, 0.5 + 0.5 * normal.y) + 0.25 * palette.glow * glow * glow) * light.y;
    float direct = max(facing, 0.0) + translucency * max(-facing, 0.0);
    return direct * palette.sun_color * light.x + ambient;
}

// Light that leaves a boid's surface towards `view` (unit, from the surface to the eye).
vec3 lit(Palette palette, vec3 albedo, vec3 normal, vec3 view, vec2 light, float translucency) {
    vec3 sun = palette.sun_direction;
    float half_way = max(dot(normal, normalize(sun + view)), 0.0);
    float glint = 0.12 * pow(half_way, 60.0) * max(dot(normal, sun), 0.0);
    if (POSE == POSE_FISH) {
        // The silver of a flank flashes as the fish turns.
        glint = 0.7 * pow(half_way, 22.0) * max(0.3 + 0.7 * dot(normal, sun), 0.0);
    }
    // A normal that is interpolated beyond the edge of a triangle may point away from the eye.
    float edge = pow(1.0 - min(abs(dot(normal, view)), 1.0), 4.0);
    vec3 mirrored = BACKDROP == BACKDROP_SKY ? sky_above(palette, reflect(-view, normal))
                                             : background(palette, reflect(-view, normal));
    float rim = 0.25;
    if (COLORING == COLORING_SILHOUETTE) {
        rim = 0.6;
    }
    if (POSE == POSE_BIRD) {
        // The feathers of wings mirror little.
        rim *= 1.0 - 2.0 * translucency;
    }
    if (BACKDROP == BACKDROP_SKY) {
        // Light of a sun behind the boid grazes it.
        mirrored += 0.6 * sixth_power(max(-dot(view, sun), 0.0)) * light.x * palette.sun_color;
    }
    vec3 mirror = rim * edge * mirrored * light.y + glint * palette.sun_color * light.x;
    return albedo * light_on(palette, normal, light, translucency) + mirror;
}

// Linear light to display-referred linear color: a filmic curve (Narkowicz 2015, "ACES Filmic Tone Mapping
// Curve").
vec3 tone_map(vec3 color) {
    return clamp(color * (2.51 * color + 0.03) / (color * (2.43 * color + 0.59) + 0.14), 0.0, 1.0);
}

// Haze in front of a point that is `view` away from the eye: rgb is the light scattered in, a the share of the point's
// own light that passes.
vec4 haze_before(Palette palette, float haze, vec3 view) {
    float passed = transmittance(haze, length(view));
    return vec4(background(palette, -normalize(view)) * (1.0 - passed), passed);
}

// The displayed linear color of a surface behind `haze`.
vec3 shown(Palette palette, vec3 albedo, vec3 normal, vec3 view, vec4 haze, vec2 light, float translucency) {
    if (BACKDROP == BACKDROP_PAPER) {
        // A diagram: its colors are unlit, so that they can be told apart.
        return albedo * haze.a + haze.rgb;
    }
    return tone_map(lit(palette, albedo, normal, view, light, translucency) * haze.a + haze.rgb);
}

// Translucency of a fish's fins; applied to the whole fish, because thickness is not known.
const float FISH_TRANSLUCENCY = 0.25;

// The albedo of a boid of color `tint` where its mesh or texture has a color of its own.
vec3 own_albedo(vec3 tint, vec3 own) {
    // If the color shows a value, only the brightness of its own is used.
    return COLORING == COLORING_NATURAL ? own * tint : tint * (0.35 + 1.1 * dot(own, vec3(0.2126, 0.7152, 0.0722)));
}

// The sRGB transfer function (IEC 61966-2-1) and its inverse.
vec3 srgb_encode(vec3 color) {
    return mix(1.055 * pow(color, vec3(1.0 / 2.4)) - 0.055, color * 12.92, lessThanEqual(color, vec3(0.0031308)));
}

vec3 srgb_decode(vec3 code) {
    return mix(pow((code + 0.055) / 1.055, vec3(2.4)), code / 12.92, lessThanEqual(code, vec3(0.04045)));
}

#endif

//! The only home of raw Vulkan. Knows nothing of boids.

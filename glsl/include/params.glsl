// The parameters of a step. Of many flocks that are stepped at once each has its own, which do not change from step to
// step.
#ifndef PARAMS_GLSL
#define PARAMS_GLSL

#include "array.glsl"

#ifdef MANY
layout(set = 0, binding = BINDING_EACH_PARAMS, scalar) readonly buffer EachParams { StepParams each_params[]; };
#define params each_params[gl_WorkGroupID.z]
#define STEP many.step
#else
layout(set = 0, binding = BINDING_STEP_PARAMS, scalar) uniform Params { StepParams params; };
#define STEP params.step
#endif

#endif

"""Steps through a compute shader in a RenderDoc capture and prints every source line that it runs.

usage: step.py CAPTURE.rdc PASS [GROUP [INVOCATION]]

PASS is the label of a dispatch, as replay.py prints it; the first of its name counts. The shaders have
to be built with STARLINGS_SHADER_DEBUG=1. GROUP and INVOCATION (in the group) count along x, from 0.
"""

import sys

import renderdoc as rd

environment = rd.GlobalEnvironment()
# RenderDoc 1.24 lists the GPUs in a thread that sets environment variables, while OpenCapture reads some:
# now and then that crashed.
environment.enumerateGPUs = False
rd.InitialiseReplay(environment, [])
file = rd.OpenCaptureFile()
result = file.OpenFile(sys.argv[1], "", None)
if result != rd.ResultCode.Succeeded:
    sys.exit(f"{sys.argv[1]} does not open: {result}")
result, replay = file.OpenCapture(rd.ReplayOptions(), None)
if result != rd.ResultCode.Succeeded:
    sys.exit(f"{sys.argv[1]} does not replay: {result}")

name = sys.argv[2]
group, invocation = (int(text) for text in (sys.argv[3:] + ["0", "0"])[:2])
structure = replay.GetStructuredFile()


def dispatch(actions, labelled):
    """Number of the first dispatch under the label."""
    for action in actions:
        if labelled and action.flags & rd.ActionFlags.Dispatch:
            return action.eventId
        found = dispatch(action.children, labelled or action.GetName(structure) == name)
        if found is not None:
            return found
    return None


event = dispatch(replay.GetRootActions(), False)
if event is None:
    sys.exit(f"{sys.argv[1]} has no dispatch under the label {name}")
replay.SetFrameEvent(event, True)
reflection = replay.GetPipelineState().GetShaderReflection(rd.ShaderStage.Compute)
debug = reflection.debugInfo
if not debug.debuggable:
    sys.exit(f"RenderDoc cannot step through it: {debug.debugStatus}")
if not debug.sourceDebugInformation:
    sys.exit("it knows no source lines to step by: build with STARLINGS_SHADER_DEBUG=1")

trace = replay.DebugThread((group, 0, 0), (invocation, 0, 0))
lines = {info.instruction: info.lineInfo for info in trace.instInfo}
last = None
while True:
    states = replay.ContinueDebug(trace.debugger)
    if not states:
        break
    for state in states:
        line = lines.get(state.nextInstruction)
        if line is None or not 0 <= line.fileIndex < len(debug.files):
            continue
        place = (debug.files[line.fileIndex].filename, line.lineStart)
        if place != last and line.lineStart > 0:
            text = debug.files[line.fileIndex].contents.split("\n")[line.lineStart - 1]
            print(f"{place[0]}:{place[1]}: {text.strip()}")
        last = place
replay.FreeTrace(trace)
replay.Shutdown()
file.Shutdown()
rd.ShutdownReplay()

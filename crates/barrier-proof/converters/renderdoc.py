#!/usr/bin/env python3
"""Turns a frame that RenderDoc has captured into lines that `starlings sync check` reads, and its shaders into files.

    renderdoccmd convert -f frame.rdc -c zip.xml -o frame.zip.xml
    renderdoc.py frame.zip.xml            # writes frame.jsonl and frame.shaders/
    starlings sync check frame.jsonl --shaders frame.shaders

The lines are those of gfxreconstruct's converter: a call each, with the specification's names of its arguments.
RenderDoc names some of them otherwise, and keeps what descriptor sets had at the start of the frame apart.
"""
import json, pathlib, sys, zipfile
import xml.etree.ElementTree as tree

# RenderDoc's names of arguments, and the specification's.
NAMES = {
    "destBuffer": "dstBuffer", "destOffset": "dstOffset", "fillSize": "size", "destImage": "dstImage",
    "destImageLayout": "dstImageLayout", "DependencyInfo": "pDependencyInfo", "CopyInfo": "pCopyBufferInfo",
    "RenderingInfo": "pRenderingInfo", "Label": "pLabelInfo", "CreateInfo": "pCreateInfo", "Buffer": "pBuffer",
    "Image": "pImage", "View": "pView", "ShaderModule": "pShaderModule", "CommandBuffer": "commandBuffer",
}
IN_LISTS = {"vkCreateComputePipelines", "vkCreateGraphicsPipelines"}


def value(of):
    """A value of the capture: a handle or a number, a list, a structure, or a name."""
    if of.tag == "struct":
        return {NAMES.get(field.get("name"), field.get("name")): value(field) for field in of}
    if of.tag == "array":
        return [value(item) for item in of]
    if of.tag == "enum":
        # A mask without a name for all of its bits is a number.
        name = of.get("string", "")
        return name if name.startswith("VK_") else int(of.text)
    if of.tag in ("ResourceId", "uint", "int", "buffer"):
        return int(of.text)
    return None if of.tag == "null" else of.text


def main(path):
    path = pathlib.Path(path)
    stem = path.name.removesuffix(".zip.xml")
    shaders = path.with_name(f"{stem}.shaders")
    shaders.mkdir(exist_ok=True)
    layouts, layout_of, lines = {}, {}, []
    with zipfile.ZipFile(path.with_name(f"{stem}.zip")) as blobs:
        for chunk in tree.parse(path).getroot().iter("chunk"):
            name, args = chunk.get("name"), {NAMES.get(of.get("name"), of.get("name")): value(of) for of in chunk}
            if name == "vkCreateDescriptorSetLayout":
                layouts[args["SetLayout"]] = args["pCreateInfo"]["pBindings"]
            elif name == "vkAllocateDescriptorSets":
                layout_of[args["DescriptorSet"]] = args["AllocateInfo"]["pSetLayouts"][0]
            elif name == "vkCreateShaderModule":
                code = blobs.read(f"{args['pCreateInfo']['pCode']:06}")
                (shaders / f"sh{args['pShaderModule']}").write_bytes(code)
            elif name == "vkSetDebugUtilsObjectNameEXT":
                args = {"pNameInfo": {"objectHandle": args["Object"], "pObjectName": args["ObjectName"]}}
            elif "Bindings" in args:
                had = list(writes(args, layouts[layout_of[args["id"]]]))
                name, args = "vkUpdateDescriptorSets", {"pDescriptorWrites": had}
            elif name in ("vkCmdCopyBuffer", "vkCmdCopyBufferToImage", "vkCmdCopyImageToBuffer", "vkCmdCopyImage"):
                args["pRegions"] = args.get("pRegions", args.get("regions"))
            elif name in IN_LISTS:
                args = {"pCreateInfos": [args["pCreateInfo"]], "pPipelines": [args["Pipeline"]]}
            if name.startswith("vk"):
                lines.append(json.dumps({"function": {"name": name, "args": args}}))
    path.with_name(f"{stem}.jsonl").write_text("\n".join(lines) + "\n")


def writes(args, layout):
    """What a descriptor set has, as if it were written: slots are in the order of bindings, and of their elements."""
    slots = iter(args["Bindings"])
    for binding in sorted(layout, key=lambda of: of["binding"]):
        for _ in range(binding["descriptorCount"]):
            slot = next(slots, None) or {}
            if not slot.get("resource"):
                continue
            buffer = {"buffer": slot["resource"], "offset": slot.get("offset", 0), "range": slot.get("range")}
            image = {"imageView": slot["resource"], "imageLayout": slot.get("imageLayout", slot.get("layout"))}
            is_buffer = "BUFFER" in str(slot["type"])
            yield {"dstSet": args["id"], "dstBinding": binding["binding"], "descriptorType": slot["type"],
                   "pBufferInfo": [buffer] if is_buffer else None, "pImageInfo": None if is_buffer else [image]}


if len(sys.argv) != 2 or not sys.argv[1].endswith(".zip.xml"):
    sys.exit(__doc__)
main(sys.argv[1])

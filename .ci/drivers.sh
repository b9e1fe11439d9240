# shellcheck shell=sh disable=SC2154,SC2034 # shares its variables and functions with ../bootstrap
# Software Vulkan drivers and the validation layer: finds them, or on Debian unpacks current ones
# from Debian's archive into the cache. Nothing here needs root except `install`.

# Files of one kind (icd.d, explicit_layer.d) from every folder in which the Vulkan loader looks.
manifests() {
    config=${XDG_CONFIG_HOME:-$HOME/.config}:${XDG_CONFIG_DIRS:-/etc/xdg}:/etc:/usr/local/etc
    data=${XDG_DATA_HOME:-$HOME/.local/share}:${XDG_DATA_DIRS:-/usr/local/share:/usr/share}:/opt/homebrew/etc:/opt/homebrew/share
    printf '%s\n' "$config:$data" | tr ':' '\n' | while IFS= read -r folder; do
        for file in "$folder/vulkan/$1"/$2; do
            if [ -e "$file" ]; then printf '%s\n' "$file"; fi
        done
    done
}

# Unpacks one Debian package under $work/root without installing it and without touching the
# system's apt: own source list, lists and cache. Tries the given suites in turn.
unpack_deb() {
    package=$1 && shift
    for suite in "$@"; do
        rm -rf "$work" && mkdir -p "$work/lists/partial" "$work/archives/partial"
        case $suite in *-security) archive=debian-security ;; *) archive=debian ;; esac
        printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/%s %s main\n' \
            "$archive" "$suite" >"$work/sources.list"
        if (cd "$work" && private_apt update && private_apt download "$package" &&
            dpkg-deb -x ./*.deb root) >"$work/log" 2>&1; then
            unpacked=$(cd "$work" && echo ./*.deb | cut -d _ -f 2 | cut -d - -f 1)
            return 0
        fi
    done
    say "could not get $package: $(tail -n 1 "$work/log")"
    return 1
}

private_apt() {
    apt-get -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- \
        -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work" -o APT::Sandbox::User="$(id -un)" \
        -o Acquire::http::Timeout=30 -o Acquire::Retries=2 "$@"
}

# Takes libraries out of what was unpacked into the new folder $work/keep, if they can be loaded.
keep() {
    mkdir "$work/keep"
    for library in "$@"; do
        find "$work/root" -name "$library" -exec cp {} "$work/keep/" \;
        if ! [ -e "$work/keep/$library" ] || ldd "$work/keep/$library" | grep 'not found' >&2; then
            say "$library of $package $unpacked cannot be loaded here"
            return 1
        fi
    done
    printf '%s\n' "$unpacked" >"$work/keep/version"
}

# Gives a finished folder its place in the cache; manifests name libraries by that place.
publish() {
    rm -rf "${cache:?}/$1"
    mv "$work/keep" "$cache/$1"
    rm -rf "$work"
}

# The manifest by which the Vulkan loader finds a driver.
icd_manifest() { printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "%s"}}\n' "$@"; }

# The manifest by which the Vulkan loader finds the validation layer.
layer_manifest() {
    cat <<END
{"file_format_version": "1.2.0", "layer": {
    "name": "VK_LAYER_KHRONOS_validation", "type": "GLOBAL", "description": "Khronos validation layer",
    "library_path": "$1", "api_version": "1.4.304", "implementation_version": "1",
    "instance_extensions": [
        {"name": "VK_EXT_debug_report", "spec_version": "10"}, {"name": "VK_EXT_debug_utils", "spec_version": "2"},
        {"name": "VK_EXT_layer_settings", "spec_version": "2"}, {"name": "VK_EXT_validation_features", "spec_version": "6"}],
    "device_extensions": [
        {"name": "VK_EXT_tooling_info", "spec_version": "1", "entrypoints": ["vkGetPhysicalDeviceToolPropertiesEXT"]}]
}}
END
}

# Sets `lavapipe` to the manifest of a software driver. Debian 12's own (Mesa 22.3) silently ends
# every shader loop after 65,535 iterations, so there a current one is unpacked beside it.
find_lavapipe() {
    lavapipe=$(manifests icd.d 'lvp*' | head -n 1)
    mesa=$(dpkg-query -W -f '${Version}' mesa-vulkan-drivers 2>/dev/null | cut -d - -f 1)
    lavapipe_name="lavapipe${mesa:+ $mesa}"
    case $codename-$mesa in bookworm-22.*) ;; *) return 0 ;; esac
    if [ ! -e "$cache/lavapipe/version" ]; then
        say "unpacking a current lavapipe into $cache (11 MB to download, not installed) ..."
        if unpack_deb mesa-vulkan-drivers bookworm-backports && keep libvulkan_lvp.so; then
            icd_manifest "$cache/lavapipe/libvulkan_lvp.so" 1.4.305 >"$work/keep/lvp_icd.json"
            publish lavapipe
        else
            say "falling back to the distribution's own $lavapipe_name"
            return 0
        fi
    fi
    lavapipe=$cache/lavapipe/lvp_icd.json lavapipe_name="lavapipe $(cat "$cache/lavapipe/version")"
}

# Sets VK_LAYER_PATH to a validation layer with synchronization validation, and `swiftshader` to
# the manifest of the second software driver. Debian's chromium-common brings current ones of
# both; elsewhere the distribution's layer has to do, and there is no SwiftShader.
find_layer() {
    swiftshader=
    if [ "$distribution" = debian ] && [ ! -e "$cache/chromium/version" ]; then
        say "unpacking the validation layer and SwiftShader into $cache (32 MB to download, not installed) ..."
        if unpack_deb chromium-common "$codename-security" "$codename" &&
            keep libVkLayer_khronos_validation.so libvk_swiftshader.so; then
            icd_manifest "$cache/chromium/libvk_swiftshader.so" 1.3.0 >"$work/keep/swiftshader_icd.json"
            layer_manifest "$cache/chromium/libVkLayer_khronos_validation.so" >"$work/keep/VkLayer_khronos_validation.json"
            publish chromium
        fi
    fi
    if [ -e "$cache/chromium/version" ]; then
        swiftshader=$cache/chromium/swiftshader_icd.json
        export VK_LAYER_PATH="$cache/chromium"
    elif [ -z "${VK_LAYER_PATH:-}" ]; then
        say "taking the distribution's validation layer; there is no SwiftShader to test on"
        install layer
        VK_LAYER_PATH=$(dirname "$(manifests explicit_layer.d VkLayer_khronos_validation.json | head -n 1)")
        export VK_LAYER_PATH
        # How older layers are told what VK_LAYER_VALIDATE_SYNC below tells newer ones.
        export VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT:VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT
    fi
    export VK_LAYER_VALIDATE_SYNC=1 VK_LAYER_SYNCVAL_SHADER_ACCESSES_HEURISTIC=1
    export VK_LAYER_ENABLE_MESSAGE_LIMIT=false VK_LAYER_SYNCVAL_MESSAGE_EXTRA_PROPERTIES=1
}

# Points the Vulkan loader at one driver; loaders before 1.3.207 know only the second name.
use_driver() { export VK_DRIVER_FILES="$1" VK_ICD_FILENAMES="$1"; }

# Whether some driver other than a software one has a device to drive.
has_gpu() {
    if [ "$system" != Linux ]; then [ -n "$(manifests icd.d '*')" ] && return; fi
    for node in /dev/dri/renderD* /dev/nvidia[0-9]* /dev/dxg; do
        if [ -e "$node" ] && manifests icd.d '*' | grep -qv /lvp; then return 0; fi
    done
    return 1
}

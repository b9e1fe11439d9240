# shellcheck shell=sh disable=SC2154,SC2153 # shares its variables and functions with ../bootstrap
# What is published: crates that carry compiled shaders, and the Python wheel.

# A driver for machines that have none. The newest glibc that it needs is 2.17. It changes only together with its license
# file, crates/starlings-py/licenses/SwiftShader.txt.
swiftshader_package=@sparticuz/chromium@147.0.0
swiftshader_sha256=5b9e8591c7c2d1c9618c3ad485d0cdffb81f5f1ffd6a982fdb6578c2d8d3213e

# The glibc that a wheel needs: that of Debian 10 and RHEL 8.
glibc=2.28

# What a wheel has at most: most of it is downloaded to see a first picture.
wheel_bytes=15000000

# Makes $staged a copy of the sources that carries compiled shaders, and whose default is not to compile any.
stage_sources() {
    check_rust
    locate_shaderc
    # shellcheck disable=SC2086 # words, or empty
    install program $needs_shaderc
    build_shaderc
    staged=$root/target/staged
    rm -rf "$staged"
    mkdir -p "$staged"
    (cd "$root" && git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -cf - -T - 2>/dev/null) |
        tar -xf - -C "$staged"
    say "compiling the shaders that are packed ..."
    # In a folder that stays: cargo writes them again only if their sources change.
    shaders=$root/target/package-shaders
    STARLINGS_PACK_SHADERS=$shaders/compiled cargo check --manifest-path "$root/Cargo.toml" --package starlings \
        --locked --target-dir "$shaders" >&2
    mkdir "$staged/compiled"
    (cd "$shaders/compiled" && cp ./*.lzma embed.spv modules.txt sources.sha256 "$staged/compiled/")
    # The one change to manifests, undone in no other place: nothing that takes a C++ compiler is on by default.
    for manifest in "$staged/Cargo.toml" "$staged/crates/starlings-cli/Cargo.toml"; do
        sed -i 's/^default = \["[a-z-]*"\]$/default = []/' "$manifest"
        grep -q '^default = \[\]$' "$manifest" || stop 1 "the default features are not as .ci/package.sh expects them"
    done
}

# Packs the crates, and builds each as it was packed, where neither cmake nor a C++ compiler is found.
package() {
    stage_sources
    no_cpp=$root/target/no-cpp
    without_cpp "$no_cpp"
    (
        cd "$staged" || exit
        env -u SHADERC_LIB_DIR PATH="$no_cpp" cargo package --workspace --exclude starlings-py --locked --allow-dirty \
            --target-dir "$root/target/packaged" >&2
    )
    ls -l "$root"/target/packaged/package/*.crate
}

# Fills the folder $1 with links to every program on PATH but compilers of C++ and cmake.
without_cpp() {
    rm -rf "$1"
    mkdir -p "$1"
    printf '%s\n' "$PATH" | tr ':' '\n' | while IFS= read -r folder; do
        for program in "$folder"/*; do
            case ${program##*/} in
                cmake* | ninja* | *c++* | *g++* | clang* | '*') ;;
                *) [ -e "$1/${program##*/}" ] || ln -s "$program" "$1/${program##*/}" ;;
            esac
        done
    done
}

# Builds the wheel for this machine's processor into target/wheels.
wheel() {
    install wheel
    stage_sources
    tools=$cache/wheel-tools
    if [ ! -e "$tools/bin/maturin" ]; then
        "$PYTHON" -m venv "$tools"
        "$tools/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.9,<2' 'ziglang>=0.13' 'cargo-zigbuild>=0.20' >&2
    fi
    module=$staged/crates/starlings-py
    cp "$root"/LICENSE-* "$module/"
    "$PYTHON" "$root/.ci/notices.py" "$staged" >"$module/licenses/THIRD-PARTY.txt"
    machine=$(uname -m)
    if [ "$machine" = x86_64 ]; then
        fetch_swiftshader
        mkdir -p "$module/python/starlings/_driver"
        cp "$bundled/libvk_swiftshader.so" "$module/python/starlings/_driver/"
    fi
    (
        cd "$module" || exit
        # Of its own tools; zig links against the old glibc and compiles the little C that there is.
        env -u SHADERC_LIB_DIR PATH="$tools/bin:$PATH" VIRTUAL_ENV="$tools" "$tools/bin/maturin" build --release --locked \
            --zig --target "$machine-unknown-linux-gnu" --compatibility "manylinux_$(echo $glibc | tr . _)" \
            --config 'profile.release.package.starlings.codegen-units=1' \
            --config 'profile.release.package.starlings-cli.codegen-units=1' \
            --target-dir "$root/target/wheel" --out "$work" >&2
    )
    advzip --recompress --shrink-extra --quiet "$work"/*.whl
    bytes=$(cat "$work"/*.whl | wc -c)
    [ "$bytes" -le "$wheel_bytes" ] || stop 1 "the wheel has $bytes bytes; accepted are at most $wheel_bytes"
    mkdir -p "$root/target/wheels"
    mv "$work"/*.whl "$root/target/wheels/"
    rm -rf "$work"
    ls -l "$root"/target/wheels/*.whl
}

# Sets `bundled` to the folder with the driver that a wheel carries.
fetch_swiftshader() {
    bundled=$cache/swiftshader-${swiftshader_package##*@}
    [ ! -e "$bundled/libvk_swiftshader.so" ] || return 0
    say "fetching $swiftshader_package (68 MB to download) ..."
    mkdir -p "$work/keep"
    (
        cd "$work" || exit
        npm pack --silent "$swiftshader_package" >/dev/null
        tar -xzOf ./*.tgz package/bin/swiftshader.tar.br |
            node -e 'process.stdin.pipe(require("zlib").createBrotliDecompress()).pipe(process.stdout)' |
            tar -xf - -C keep libvk_swiftshader.so
        printf '%s  keep/libvk_swiftshader.so\n' "$swiftshader_sha256" | sha256sum --check --quiet >&2
    ) || stop 1 "the driver of $swiftshader_package is not the one that is expected"
    rm -rf "$bundled"
    mv "$work/keep" "$bundled"
    rm -rf "$work"
}

# Installs the newest wheel of target/wheels into a fresh environment of each Python that $1 lists (else of $PYTHON), and
# runs the tests of the module there, on the driver of the tests.
test_wheel() {
    wheel=$(find "$root/target/wheels" -name 'starlings-*.whl' -printf '%T@ %p\n' 2>/dev/null | sort -rn | head -n 1 | cut -d ' ' -f 2-)
    [ -n "$wheel" ] || stop 1 "there is no wheel in target/wheels: ./bootstrap wheel builds one"
    find_lavapipe
    if [ -n "$lavapipe" ]; then use_driver "$lavapipe"; fi
    for python in ${1:-$PYTHON}; do
        say "testing $(basename "$wheel") with $python ..."
        rm -rf "$work/venv"
        mkdir -p "$work"
        "$python" -m venv "$work/venv"
        "$work/venv/bin/pip" install --quiet --disable-pip-version-check "$wheel" pytest matplotlib nbclient ipykernel tqdm >&2
        (cd "$work" && "$work/venv/bin/python" -m pytest -q -p no:cacheprovider "$root/crates/starlings-py/tests") || stop 1 "with $python"
    done
}

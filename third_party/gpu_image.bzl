"""Device code compiled to what a driver loads, as bytes in a C++ source."""

def _gpu_image_impl(ctx):
    image = ctx.actions.declare_file(ctx.label.name + ".image")
    source = ctx.actions.declare_file(ctx.label.name + ".cc")
    headers = depset(transitive = [dep[CcInfo].compilation_context.headers for dep in ctx.attr.deps])
    ctx.actions.run_shell(
        outputs = [image],
        inputs = depset([ctx.file.src], transitive = [headers]),
        command = 'shift && exec "$@"',
        arguments = [ctx.attr.version, ctx.attr.compiler] + ctx.attr.flags + ["-I.", "-o", image.path, ctx.file.src.path],
        mnemonic = "GpuCompile",
        progress_message = "Compiling %s" % ctx.file.src.short_path,
        use_default_shell_env = True,
    )

    # Drivers read it as a structure, so it is aligned as one.
    ctx.actions.run_shell(
        outputs = [source],
        inputs = [image],
        command = """{
          printf 'extern "C" { extern const unsigned char %s[]; }\\n' "$1"
          printf 'alignas(64) const unsigned char %s[] = {\\n' "$1"
          od -An -v -w64 -tu1 "$2" | sed 's/  *\\([0-9]\\)/\\1/; s/  */,/g; s/$/,/'
          printf '};\\n'
        } >"$3" """,
        arguments = [ctx.attr.symbol, image.path, source.path],
        mnemonic = "GpuEmbed",
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([source]))]

# `flags` of `compiler` make it write an image of `src` to the file after -o. `symbol`: the C name of the array. `deps`:
# cc_libraries whose headers `src` includes. `version`: of the compiler; another one compiles anew.
gpu_image = rule(
    implementation = _gpu_image_impl,
    attrs = {
        "compiler": attr.string(mandatory = True),
        "deps": attr.label_list(providers = [CcInfo]),
        "flags": attr.string_list(),
        "src": attr.label(
            allow_single_file = True,
            mandatory = True,
        ),
        "symbol": attr.string(mandatory = True),
        "version": attr.string(mandatory = True),
    },
)

"""What there is to compile device code with: CUDA's nvcc and HIP's hipcc, each with the headers of its driver's API.

A toolkit counts as there if it compiles a small kernel. It is looked for

  nvcc    in PATH, $CUDA_HOME/bin, /usr/local/cuda/bin
  hipcc   in PATH, $HIP_PATH/bin, /opt/rocm/bin

BUFPLAN_CUDA=off or BUFPLAN_HIP=off in the environment (or --repo_env) leaves it out. Bazel looks again when one of these
variables has changed, and after `bazel sync --configure`; ./test and ./bufplan do that when a toolkit appears.

The repository has

  toolkits.bzl    CUDA and HIP: struct(is_there, compiler, version, why_not); version: a number, another one for another
                  version, part of all commands: Bazel does not look into the folders of the system by itself
  //:cuda_headers, //:hip_headers    cc_libraries; empty where there is no toolkit

Nothing of a toolkit is linked: the drivers' libraries are loaded at run time (gpu_runtime/gpu_common/driver_library.h).
"""

_PROBE = """
__global__ void Probe(int* x) { *x = 1; }
"""

# Debian's headers are where every compiler looks.
_SYSTEM_INCLUDE = "/usr/include"

_CUDA_HEADERS = ["*.h", "*.hpp", "crt/*.h", "crt/*.hpp"]
_HIP_HEADERS = ["hip/**", "hipblas/**", "hipblas-common/**"]

def _find_compiler(ctx, name, homes):
    path = ctx.which(name)
    if path:
        return path
    for home in homes:
        candidate = ctx.path(home + "/bin/" + name)
        if candidate.exists:
            return candidate
    return None

def _find_include(ctx, compiler, homes, header):
    for home in [str(compiler.realpath.dirname.dirname)] + homes + ["/usr"]:
        if ctx.path(home + "/include/" + header).exists:
            return home + "/include"
    return None

def _last_line(text):
    lines = [line for line in text.strip().split("\n") if line]
    text = lines[-1] if lines else "it does not say why"

    # It becomes part of a string in C++.
    for special in ["\\", '"', "'", "$", "%", "`"]:
        text = text.replace(special, " ")
    return text

def _absent(why_not):
    return struct(is_there = False, compiler = "", version = "", why_not = why_not, include = "")

def _detect(ctx, compiler_name, switch, homes, header, probe, flags):
    """The toolkit's struct, with `include`: the folder of its headers."""
    if ctx.os.environ.get(switch, "") == "off":
        return _absent("%s was off when it was built" % switch)
    compiler = _find_compiler(ctx, compiler_name, homes)
    if not compiler:
        return _absent("no %s was found when it was built" % compiler_name)
    include = _find_include(ctx, compiler, homes, header)
    if not include:
        return _absent("%s was found when it was built, but not its header %s" % (compiler_name, header))
    ctx.file(probe, ("#include <hip/hip_runtime.h>\n" if probe.endswith(".hip") else "") + _PROBE)
    result = ctx.execute([compiler] + flags + [probe, "-o", probe + ".image"])
    if result.return_code:
        return _absent("%s did not compile a kernel when it was built: %s" %
                       (compiler_name, _last_line(result.stderr + result.stdout)))
    version = str(hash(ctx.execute([compiler, "--version"]).stdout))
    return struct(is_there = True, compiler = str(compiler), version = version, why_not = "", include = include)

def _headers_target(ctx, toolkit, name, patterns):
    if not toolkit.is_there or toolkit.include == _SYSTEM_INCLUDE:
        return 'cc_library(name = "%s_headers")\n' % name
    ctx.symlink(toolkit.include, name)
    hdrs = [name + "/" + pattern for pattern in patterns]
    return 'cc_library(name = "%s_headers", hdrs = glob(%r), includes = ["%s"])\n' % (name, hdrs, name)

def _constant(name, toolkit):
    return "%s = struct(is_there = %r, compiler = %r, version = %r, why_not = %r)\n" % (
        name,
        toolkit.is_there,
        toolkit.compiler,
        toolkit.version,
        toolkit.why_not,
    )

def _homes(ctx, variable, usual):
    home = ctx.os.environ.get(variable, "")
    return ([home] if home else []) + [usual]

def _gpu_toolkits_impl(ctx):
    cuda = _detect(
        ctx,
        "nvcc",
        "BUFPLAN_CUDA",
        _homes(ctx, "CUDA_HOME", "/usr/local/cuda"),
        "cuda.h",
        "probe.cu",
        ["-std=c++20", "-fatbin", "-arch=sm_90"],
    )
    hip = _detect(
        ctx,
        "hipcc",
        "BUFPLAN_HIP",
        _homes(ctx, "HIP_PATH", "/opt/rocm"),
        "hip/hip_runtime_api.h",
        "probe.hip",
        ["-std=c++20", "--genco", "--offload-arch=gfx90a"],
    )
    ctx.file("toolkits.bzl", _constant("CUDA", cuda) + _constant("HIP", hip))
    ctx.file("BUILD", 'package(default_visibility = ["//visibility:public"])\n' +
                      _headers_target(ctx, cuda, "cuda", _CUDA_HEADERS) +
                      _headers_target(ctx, hip, "hip", _HIP_HEADERS))

gpu_toolkits = repository_rule(
    implementation = _gpu_toolkits_impl,
    configure = True,
    environ = ["PATH", "CUDA_HOME", "HIP_PATH", "BUFPLAN_CUDA", "BUFPLAN_HIP"],
    local = True,
)

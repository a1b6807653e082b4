#!/bin/bash
# Runs test programs on a machine with a GPU, all together in less than four minutes. It needs nothing but the programs,
# which are self-contained, the driver, and for products of matrices cuBLAS:
#
#   bazel-4 build //tests/gpu_runtime/device:gpu_check
#   copy bazel-bin/tests/gpu_runtime/device/gpu_check and this script to the machine
#   ./run_on_gpu.sh [-o FOLDER] [-c COMMAND]... gpu_check [PROGRAM...]
#
# Each program is a GoogleTest. It runs as it is, and then each COMMAND, which passes if its exit status is 0 (for
# example `./bufplan run graph.json plan.json --device cuda`); then, where compute-sanitizer is in PATH, the programs'
# tests of kernels and copies run again under memcheck and racecheck. FOLDER gets logs and XML files; ./gpu_results
# without -o.
#
# The last line is "N passed, N failed, N skipped". Exit status: 0 if tests passed and none failed, else 1: a machine
# without a GPU skips all tests, which is no success.

set -u
readonly limit_s=230  # of everything
readonly per_run_s=100
readonly sanitized='*Kernels*:*Copies*:*Fills*:*Allocations*'

say() { printf 'run_on_gpu: %s\n' "$*" >&2; }

usage() {
  say "usage: run_on_gpu.sh [-o FOLDER] [-c COMMAND]... PROGRAM..."
  exit 1
}

results=gpu_results
commands=()
while getopts o:c: option; do
  case $option in
    o) results=$OPTARG ;;
    c) commands+=("$OPTARG") ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
(($#)) || usage
mkdir -p -- "$results" || exit 1

# cuBLAS where the loader does not look: in a toolkit, or among Python's packages.
add_cublas() {
  local library
  ldconfig -p 2>/dev/null | grep -q 'libcublas\.so' && return
  for library in ${CUDA_HOME:+"$CUDA_HOME"/lib64/libcublas.so.*} /usr/local/cuda*/lib64/libcublas.so.* \
    {/usr,/usr/local,/opt/*}/lib/python3*/*-packages/nvidia/*/lib/libcublas.so.* \
    /opt/*/{,.}venv/lib/python3*/site-packages/nvidia/*/lib/libcublas.so.*; do
    [[ -e $library ]] || continue
    export LD_LIBRARY_PATH="${library%/*}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    say "cuBLAS: $library"
    return
  done
  say "no cuBLAS was found, its tests will be skipped"
}

passed=0 failed=0 skipped=0

# Sets `left`: seconds that the run of this name may take. False if there is no time.
time_left() {
  left=$((limit_s - SECONDS))
  ((left > per_run_s)) && left=$per_run_s
  ((left >= 5)) || { say "$1: left out, the time is over"; return 1; }
}

# run NAME COMMAND...: adds up the cases of the XML file that the command writes; a command that ends badly without a
# failing case counts as one.
run() {
  local name=$1 xml="$results/$1.xml" left status counts f s p
  shift
  time_left "$name" || return
  rm -f -- "$xml"
  timeout -k 5 "$left" "$@" --gtest_output="xml:$xml" --gtest_color=no >"$results/$name.log" 2>&1
  status=$?
  counts=$(awk '
    function number(name) { return match($0, " " name "=\"[0-9]+\"") ? substr($0, RSTART + length(name) + 3) + 0 : 0 }
    /^ *<testsuite / { total += number("tests"); f += number("failures") + number("errors")
                       s += number("skipped") + number("disabled") }
    END { print total - f - s, f + 0, s + 0 }' "$xml" 2>/dev/null) || counts="0 0 0"
  read -r p f s <<<"${counts:-0 0 0}"
  ((status != 0 && f == 0)) && f=1
  printf '%-40s %4d passed %4d failed %4d skipped, status %d, %d s in all\n' "$name" "$p" "$f" "$s" "$status" "$SECONDS"
  if ((f)); then
    grep -E -A 8 'Failure$|^=+ (ERROR|Invalid|Error)|\[  FAILED  \]' "$results/$name.log" | head -n 60
    ((status == 0 || status == 1)) || tail -n 5 -- "$results/$name.log"
  fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

run_command() {
  local left
  time_left "$1" || return
  printf '%s\n' "$1"
  timeout -k 5 "$left" bash -c "$1" 2>&1 | tee -a -- "$results/commands.log"
  if ((PIPESTATUS[0] == 0)); then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

{ nvidia-smi -L || rocminfo | grep -m 3 'Marketing Name'; } 2>/dev/null || say "neither nvidia-smi nor rocminfo says what is here"
add_cublas
for program; do
  run "$(basename -- "$program")" "$(readlink -f -- "$program")"
done
for command in ${commands[@]+"${commands[@]}"}; do
  run_command "$command"
done
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck; do
    for program; do
      run "$(basename -- "$program").$tool" compute-sanitizer --tool "$tool" --error-exitcode 99 \
        "$(readlink -f -- "$program")" --gtest_filter="$sanitized"
    done
  done
else
  say "compute-sanitizer is not in PATH: no run under it"
fi
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
((passed > 0 && failed == 0))

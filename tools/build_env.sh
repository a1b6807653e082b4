# Sourced by ./bufplan, ./test and .ci/run: what the three need to call Bazel on a Debian 12 machine.
#
# The caller sets `root` (absolute, links resolved) and `program` (for messages) first.

# shellcheck shell=bash

# What a build needs. g++ comes with bazel-bootstrap but is used by name.
readonly build_packages=(
  g++ bazel-bootstrap bazel-rules-java
  libabsl-dev libeigen3-dev nlohmann-json3-dev libssl-dev
  libgtest-dev libgmock-dev libbenchmark-dev
)

# What the HIP backend needs on top: 66 MB to fetch, 350 MB on disk. ./test installs them if it can, so that HIP's part
# is compiled too; a build does without.
readonly hip_packages=(hipcc libamdhip64-dev)

# State of the scripts, ignored by git: log files, the finished tool, what it was built from.
readonly build_dir="$root/.build"

say() { printf '%s: %s\n' "$program" "$*" >&2; }

# Runs a command as root; sudo may ask for a password where there is a terminal to ask on.
as_root() {
  if ((EUID == 0)); then
    "$@"
  elif ! command -v sudo >/dev/null; then
    say "not root, and there is no sudo"
    return 1
  elif sudo -n true 2>/dev/null; then
    sudo -n "$@"
  elif { : </dev/tty; } 2>/dev/null; then
    sudo "$@"
  else
    say "not root, and sudo would need a password"
    return 1
  fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -qq -y \
    -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@" </dev/null
}

# Prints "PACKAGE VERSION" of those of the given packages that are installed.
installed_packages() {
  dpkg-query -W -f='${db:Status-Status} ${Package} ${Version}\n' "$@" \
    2>/dev/null | sed -n 's/^installed //p'
}

# Installs what is missing of the given packages, after saying which.
ensure_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "this is not a Debian system; expecting its tools to be there: $*"
    return 0
  fi
  local installed package log
  local missing=()
  installed=$(installed_packages "$@")
  for package in "$@"; do
    [[ $'\n'"$installed" == *$'\n'"$package "* ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  say "installing missing Debian packages: ${missing[*]}"
  log="$build_dir/apt.log"
  if apt_get install --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
    return 0
  fi
  # Package lists may be absent or older than the archive.
  if apt_get update >>"$log" 2>&1 &&
    apt_get install --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
    return 0
  fi
  tail -n 20 -- "$log" >&2
  say "could not install them; as root, run: apt-get update && apt-get install ${missing[*]}"
  return 1
}

# True if Bazel and the compilers can live with the path.
is_plain_path() { [[ $1 =~ ^[A-Za-z0-9_./+@=,~-]+$ ]]; }

# Sets `cache`: a folder of this user outside the tree, whose path is plain.
find_cache() {
  HOME=${HOME:-$(getent passwd "$EUID" | cut -d: -f6)}
  export HOME
  cache="${XDG_CACHE_HOME:-$HOME/.cache}/bufplan"
  if ! is_plain_path "$cache" || ! mkdir -p -- "$cache" 2>/dev/null || [[ ! -w $cache ]]; then
    cache="/var/tmp/bufplan-$EUID"
    mkdir -p -m 700 -- "$cache" || return
  fi
  [[ -O $cache ]] || { say "$cache belongs to somebody else"; return 1; }
}

# Prints the files of a tree that a build may read, NUL-terminated: the name, a tab, time and size.
list_tree() (
  cd -- "$1" || exit
  find . \( -path ./.git -o -path ./.build -o -path './bazel-*' \) -prune -o \
    \( -type f -o -type l \) -printf '%P\t%T@ %s\0' | sort -z
)

# Sets `workspace`: the folder to call Bazel in. Bazel refuses a path with a space and fails on letters beyond ASCII; of
# such a tree it gets a copy, brought up to date here.
find_workspace() {
  workspace="$root"
  if is_plain_path "$root"; then return 0; fi
  workspace="$cache/$(printf '%s' "$root" | md5sum | cut -c1-16)"
  mkdir -p -- "$workspace" || return
  comm -z -13 <(list_tree "$root" | cut -z -f1 | sort -z) <(list_tree "$workspace" | cut -z -f1 | sort -z) |
    (cd -- "$workspace" && xargs -0 -r rm -f --) || return
  comm -z -23 <(list_tree "$root") <(list_tree "$workspace") | cut -z -f1 |
    (cd -- "$root" && xargs -0 -r cp -a --parents -t "$workspace" --) || return
}

# Prepares bazel_run; installs what is missing. Exports variables: not for a shell that starts programs of the user.
setup_bazel() {
  export LC_ALL=C
  mkdir -p -- "$build_dir" || return
  bazel="${BAZEL:-/usr/bin/bazel-4}"
  ensure_packages "${build_packages[@]}" || return
  command -v -- "$bazel" >/dev/null || { say "no $bazel; set BAZEL to a Bazel 4"; return 1; }
  find_cache || return
  find_workspace || return
  startup_options=()
  if ! is_plain_path "$HOME" || [[ ! -w $HOME ]]; then
    startup_options+=("--output_user_root=$cache/bazel")
  fi
  # Debian's Bazel runs on Debian's Java, whatever else is first in PATH.
  if [[ -d /usr/lib/jvm/default-java ]]; then
    JAVA_HOME=$(readlink -f /usr/lib/jvm/default-java)
    export JAVA_HOME
  fi
  drop_stale_links
  forget_old_libraries
  look_for_toolkits
}

# Installs HIP's toolkit where there is none. Without it, HIP's tests say that it was not there.
try_to_install_hip() {
  if [[ ${BUFPLAN_HIP:-} == off ]] || command -v hipcc >/dev/null || [[ -x ${HIP_PATH:-/opt/rocm}/bin/hipcc ]]; then
    return 0
  fi
  mkdir -p -- "$build_dir" || return 0
  ensure_packages "${hip_packages[@]}" || say "going on without HIP"
}

# Bazel's link to its execution root is named after the folder of the tree. One that came with a copied or renamed tree
# would be taken for sources; Bazel makes its own again.
drop_stale_links() {
  local link
  for link in "$workspace"/bazel-*; do
    [[ -L $link && ! $link =~ /bazel-(bin|out|testlogs)$ ]] && rm -f -- "$link"
  done
  return 0
}

# Bazel does not look into /usr: when one of its packages was upgraded, everything is built anew.
forget_old_libraries() {
  command -v dpkg-query >/dev/null || return 0
  local now
  now=$(installed_packages "${build_packages[@]}")
  if [[ -f $build_dir/packages && $(<"$build_dir/packages") != "$now" ]]; then
    say "Debian packages have changed, building anew"
    bazel_run clean >/dev/null 2>&1
  fi
  printf '%s\n' "$now" >"$build_dir/packages"
}

# Prints the compilers for GPUs that third_party/gpu_toolkits.bzl may find.
list_toolkits() {
  local path
  for path in "$(command -v nvcc)" "$(command -v hipcc)" {"${CUDA_HOME:-}",/usr/local/cuda}/bin/nvcc \
    {"${HIP_PATH:-}",/opt/rocm}/bin/hipcc; do
    [[ -x $path ]] && stat -L -c '%n %Y %s' -- "$path"
  done
}

# Bazel looks for toolkits once; when one has come, gone or changed, it has to look again.
look_for_toolkits() {
  local now
  now=$(list_toolkits; installed_packages "${hip_packages[@]}")
  if [[ ! -f $build_dir/toolkits || $(<"$build_dir/toolkits") != "$now" ]]; then
    bazel_run sync --configure >/dev/null 2>&1
  fi
  printf '%s\n' "$now" >"$build_dir/toolkits"
}

# The server that Bazel leaves behind must not inherit the caller's input or the lock (9).
bazel_run() (
  cd -- "$workspace" || exit
  exec "$bazel" "${startup_options[@]}" "$@" </dev/null 9>&-
)

# Drops lines that say nothing about the build.
without_noise() {
  grep -v -e '^OpenJDK 64-Bit Server VM warning: Options -Xverify' \
    -e '^Starting local Bazel server' -e '^Loading: ' -e '^Analyzing: ' || true
}

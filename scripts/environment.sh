# Sourced by serve and test, from the root of the checkout. Makes .venv and installs the studio into it,
# and does nothing at all while pyproject.toml, this folder and the Python below are those of the last time.

readonly venv_python=.venv/bin/python
readonly installed=.venv/.installed

# install_studio [extra]: with the extra "dev" also what the checks need. STUDIO_LOCKED=1 takes the versions of uv.lock
# and checks the hash of each file; else the newest versions come in that pyproject.toml allows.
install_studio() {
  local extra=${1:-} key lock=""
  key="$(cksum < pyproject.toml) $PWD"
  [[ -z ${STUDIO_LOCKED:-} ]] || lock=" $(cksum < uv.lock)"
  if [[ -x $venv_python && -f $installed ]]; then
    local have
    have=$(< "$installed")
    [[ $have == "$key ${extra:-serve}$lock" || $have == "$key dev$lock" ]] && return
    [[ -z $lock && $have == "$key dev "* ]] && return
  fi
  if ! is_new_enough "$venv_python"; then
    make_venv "$(find_python)"
  fi
  say "Installing the studio into .venv (once, about a minute)"
  rm -f "$installed"
  if [[ -z $lock ]] || ! install_locked "$extra"; then
    lock=""
    pip_install --editable ".${extra:+[$extra]}"
  fi
  printf '%s' "$key ${extra:-serve}$lock" > "$installed"
}

# Fails where this machine's package index lacks one of the files. A file with another hash ends the script.
install_locked() {
  local wanted=.venv/.wanted told=.venv/.told
  if pip_install --require-hashes --requirement build.lock 2> "$told" &&
    "$venv_python" -m uv export --quiet --frozen --no-emit-project ${1:+--extra "$1"} --output-file "$wanted" \
      > /dev/null 2> "$told" &&
    "$venv_python" -m uv pip install --quiet --python "$venv_python" --require-hashes --requirement "$wanted" \
      2> "$told"; then
    pip_install --no-deps --no-build-isolation --editable .
    return
  fi
  cat "$told" >&2
  ! grep -qi 'do not match the hashes\|hash mismatch' "$told" || fail "A package is not the one that uv.lock names."
  say "The packages of uv.lock are not all here; installing the newest ones that pyproject.toml allows."
  return 1
}

pip_install() {
  "$venv_python" -m pip install --disable-pip-version-check -qq "$@"
}

# The system's own Python comes first: it is built with optimizations, those of version managers mostly are not, and then
# everything takes half as long again.
find_python() {
  local name
  for name in /usr/bin/python3 python3 python3.14 python3.13 python3.12 python3.11 python; do
    if is_new_enough "$name" && { [[ $name != /* ]] || makes_venvs "$name"; }; then
      command -v "$name"
      return
    fi
  done
  fail "No Python 3.11 or newer was found. Install one from python.org or your system's packages."
}

# Debian's does not before its package python3-venv is there.
makes_venvs() {
  "$1" -c 'import ensurepip, venv' 2> /dev/null
}

is_new_enough() {
  command -v "$1" > /dev/null && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null
}

make_venv() {
  "$1" -m venv --clear .venv > /dev/null 2>&1 && return
  # Debian and Ubuntu keep the part of Python that this needs in a package of its own.
  say "This Python cannot make a virtual environment; trying to install python3-venv"
  apt_install python3-venv || true
  "$1" -m venv --clear .venv || fail "Install the package python3-venv (or python3.X-venv), then try again."
}

knows_packages='' # asked for once
apt_install() {
  command -v apt-get > /dev/null && as_root true 2> /dev/null || return 1
  [[ -n $knows_packages ]] || apt_get update || return
  knows_packages=yes
  apt_get install -y --no-install-recommends "$@" > /dev/null
}

# One at a time: two scripts, or two parts of one, may want packages at once.
apt_get() {
  as_root flock /run/lock/team-studio-packages env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"
}

as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  else
    sudo -n "$@"
  fi
}

say() {
  printf '%s\n' "$*" >&2
}

fail() {
  say "$*"
  exit 2
}

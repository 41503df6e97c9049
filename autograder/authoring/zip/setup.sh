#!/usr/bin/env bash
# Builds the image, on Gradescope and under `otter grade`; a step that fails fails the build.
set -euo pipefail
# The student's code runs as another user, who must be able to read Python and NumPy.
umask 022
source=/autograder/source
venv=/opt/autograder
say() { echo "setup.sh: $*"; }

if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  say "installing Python"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends python3 python3-venv
  rm -rf /var/lib/apt/lists/*
fi

say "making $venv with $(python3 --version)"
python3 -m venv "$venv"
# Installs FILE: from the LOCK for this Python, whose digests pip checks, where there is one.
install() {
  local file=$1 lock=$2.$("$venv/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])').lock
  local -a options=(-r "$source/$lock" --require-hashes)
  if [[ ! -e $source/$lock ]]; then
    options=(-r "$source/$file")
    lock="$file, without digests"
  fi
  say "installing from $lock: $(grep -o '^[a-z][^;\\]*' "$source/$file" | tr '\n' ' ')"
  "$venv/bin/pip" install --quiet --no-cache-dir --disable-pip-version-check "${options[@]}"
}
install requirements.txt requirements
if [[ -e $source/requirements.kernel ]]; then
  install requirements.kernel requirements.kernel
fi
# Only Gradescope has the whole zip here by now; otter's image needs otter's classes for its results.
if [[ -e $source/run_autograder ]]; then
  say "compiling the grader"
  "$venv/bin/python" -m compileall -q "$source/files-grader"
else
  install requirements.otter requirements.otter
fi
chmod -R go-rwx "$source"
say "done: $(du -sh "$venv" | cut -f1) in $venv"

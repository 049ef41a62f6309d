#!/usr/bin/env bash
# docker_base.sh FILE: make the image on which the tests of Docker build, as a tar for `docker import`. Needs root and
# mmdebstrap, and neither a registry nor an engine: a small Debian with Python, and what Jupyter kernels need.
set -euo pipefail

folder=$(mktemp -d)
echo $$ > "$1.maker" # tests wait for it while it is at work
trap 'rm -rf "$folder" "$1.maker"' EXIT
# What this machine trusts, the image does, too: a proxy of the house may stand before PyPI.
mmdebstrap --quiet --variant=minbase --include=ca-certificates,python-is-python3,python3-pip,python3-venv \
  --customize-hook='copy-in /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs' \
  --customize-hook='env --ignore-environment PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    PIP_CERT=/etc/ssl/certs/ca-certificates.crt HTTPS_PROXY="${HTTPS_PROXY:-}" NO_PROXY="${NO_PROXY:-}" \
    chroot "$1" python3 -m pip install --quiet --break-system-packages --no-cache-dir --root-user-action ignore \
    jupyter_kernel_gateway ipykernel' \
  bookworm "$folder" "${STUDIO_DEBIAN_MIRROR:-http://deb.debian.org/debian}"
rm -rf "$folder"/var/{cache,lib/apt}/* "$folder"/usr/share/{doc,locale,man}
tar --directory "$folder" --create --file "$1.part" .
mv "$1.part" "$1"

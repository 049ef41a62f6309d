# The studio in a container.
#
#   docker build -t team-studio .
#   docker run --rm --init -p 127.0.0.1:8040:8040 -v team-studio:/data team-studio
#
# `--init` collects programs of teams whose parents have ended. Clients of more services come in with their extras:
# `docker build --build-arg EXTRAS=anthropic,mcp …`.
#
# The address with its access token is printed when it starts. Publish the port on 127.0.0.1, as above: behind it
# people can start programs. To reach the studio under another host name or port, set STUDIO_ALLOWED_HOSTS. The command
# below starts it without HTTPS and without accounts, which is right for that and wrong for a network: for a team see
# docs/how-to/share-a-studio-with-a-team.md.

FROM python:3.13-slim-bookworm AS build
ARG EXTRAS=""
WORKDIR /source
# Each package in the version of uv.lock and by its hash, also those that build the studio itself.
COPY pyproject.toml uv.lock build.lock ./
RUN python -m venv /opt/build \
    && python -m venv /opt/studio \
    && /opt/build/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes --requirement build.lock \
    && /opt/build/bin/uv export --quiet --frozen --no-emit-project --output-file /opt/build/wanted \
        $(echo "$EXTRAS" | tr , '\n' | sed '/./s/^/--extra=/') \
    && /opt/studio/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes --requirement /opt/build/wanted
COPY README.md LICENSE CHANGELOG.md ./
COPY studio ./studio
COPY frontend ./frontend
COPY gallery ./gallery
COPY docs ./docs
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /opt/build/wheel . \
    && /opt/studio/bin/pip install --no-deps --no-index --disable-pip-version-check /opt/build/wheel/*.whl

FROM python:3.13-slim-bookworm
RUN useradd --uid 10001 --user-group --create-home --home-dir /home/studio studio \
    && install --directory --owner studio --group studio --mode 0700 /data
COPY --from=build /opt/studio /opt/studio
ENV PATH=/opt/studio/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    STUDIO_HOST=0.0.0.0 \
    STUDIO_PORT=8040 \
    STUDIO_DATA_DIR=/data
USER studio
WORKDIR /home/studio
VOLUME /data
EXPOSE 8040
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"STUDIO_PORT\"]}/healthz', timeout=4)"]
CMD ["studio", "serve", "--without-tls", "--without-accounts"]

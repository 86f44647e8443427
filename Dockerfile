# syntax=docker/dockerfile:1

# Both are pinned by tag. To pin one by its content, which no tag promises, look its digest up and name it at build:
#   docker buildx imagetools inspect debian:12.11-slim
#   docker build --build-arg RUN_IMAGE=debian:12.11-slim@sha256:<digest> .
ARG BUILD_IMAGE=node:22.14.0-bookworm-slim
ARG RUN_IMAGE=debian:12.11-slim

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
# Only these two decide what is installed, so a change of the sources does not install it anew.
COPY package.json package-lock.json ./
# With the packages of development: those that are bundled into the program are among them.
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund
COPY . .
# Builds the console, the documentation and the program, and tries the program before it goes anywhere.
RUN npm run release -- here \
  && install -D -m 0755 dist/turnpike-*-linux-* /out/turnpike \
  && install -D -m 0644 -t /out/papers LICENSE dist/THIRD_PARTY_NOTICES.md dist/turnpike-*.cdx.json \
  && mkdir /out/data /out/configuration

# The program carries its runtime, the console, the documentation and the reference pages; of this image it needs the C library alone.
FROM ${RUN_IMAGE}
LABEL org.opencontainers.image.title="Turnpike" \
      org.opencontainers.image.description="A model gateway" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /out/papers /usr/share/doc/turnpike
COPY --from=build /out/turnpike /usr/local/bin/turnpike
# A new volume takes over the owner of the folder it is mounted on.
COPY --from=build --chown=65532:65532 /out/data /data
COPY --from=build /out/configuration /etc/turnpike
ENV HOST=0.0.0.0 PORT=8080 TURNPIKE_DATA=/data
# A supply.yaml that is mounted here is found without being named.
WORKDIR /etc/turnpike
USER 65532:65532
VOLUME ["/data"]
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["turnpike", "health"]
ENTRYPOINT ["turnpike"]
CMD ["start"]

# Warpwise as a container: docker build -t warpwise . && docker run --rm -v "$PWD:/work:ro" warpwise predict saxpy.cu --gpu h200
# Built as Debian packages, which the second stage installs with what they need; compilers and sources stay in the first.
FROM debian:13-slim AS build
WORKDIR /src
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates make npm \
 && rm -rf /var/lib/apt/lists/*
COPY . .
RUN make deb

FROM debian:13-slim
COPY --from=build /src/build/deb /tmp/deb
RUN rm -f /tmp/deb/libwarpwise-dev_*.deb \
 && apt-get update \
 && apt-get install -y --no-install-recommends /tmp/deb/*.deb \
 && rm -rf /tmp/deb /var/lib/apt/lists/* \
 && warpwise doctor
# Sources are a stranger's; what reads them needs to write nothing.
RUN useradd --create-home --uid 1000 warpwise
USER warpwise
WORKDIR /work
ENTRYPOINT ["warpwise"]
CMD ["--help"]

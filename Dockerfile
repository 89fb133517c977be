# The conventional way to an image; make image is the one that gives the same digest every time, and needs no Docker. A test
# keeps the two in step. The build needs the Go module proxy and nothing else:
#   docker build --build-arg VERSION="$(git describe --tags --always)" --build-arg REVISION="$(git rev-parse HEAD)" \
#     --build-arg CREATED="$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)" -t aero:dev .
FROM --platform=${BUILDPLATFORM:-linux/amd64} golang:1.26 AS build
ARG VERSION=dev
ARG TARGETOS
ARG TARGETARCH
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY main.go ./
COPY api api
COPY controllers controllers
COPY internal internal
RUN CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} \
    go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=${VERSION}" -o /manager .

FROM gcr.io/distroless/static:nonroot
ARG VERSION=dev
ARG REVISION
ARG CREATED
LABEL org.opencontainers.image.title="aero" \
      org.opencontainers.image.description="Kubernetes operator for Aiven" \
      org.opencontainers.image.source="https://github.com/aero-operator/aero" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.created="${CREATED}"
COPY --from=build /manager /manager
USER 65532:65532
ENTRYPOINT ["/manager"]

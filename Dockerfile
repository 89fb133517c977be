# The conventional build. make image is reproducible and needs no Docker; a test keeps the two images equal. The build needs
# the Go module proxy and the bases only. make docker-image runs it, and with RELEASE=1 fills in the digests of the bases, without
# which a release isn't built.
ARG GO_IMAGE=golang:1.26
ARG BASE_IMAGE=gcr.io/distroless/static:nonroot

FROM --platform=${BUILDPLATFORM:-linux/amd64} ${GO_IMAGE} AS build
ARG GO_IMAGE
ARG BASE_IMAGE
ARG RELEASE
RUN for base in "${GO_IMAGE}" "${BASE_IMAGE}"; do case "${RELEASE:+release} ${base}" in \
      *@sha256:*|" "*) ;; *) echo "a release needs the digest of ${base}: see docs/user/image.md" >&2; exit 1 ;; esac; done
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
    go build -trimpath -gcflags all=-dwarf=false -buildvcs=false -ldflags "-s -w -X main.version=${VERSION}" -o /manager .

FROM ${BASE_IMAGE}
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

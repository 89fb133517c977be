# The conventional way to an image. The build needs the Go module proxy and nothing else.
FROM golang:1.26 AS build
ARG VERSION=dev
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY *.go ./
COPY api api
COPY controllers controllers
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /manager .

FROM gcr.io/distroless/static:nonroot
LABEL org.opencontainers.image.source="https://github.com/aero-operator/aero" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /manager /manager
USER 65532:65532
ENTRYPOINT ["/manager"]

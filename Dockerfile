# The image holds the program, the certificates that e-mail and webhooks need, and
# nothing else: no shell, no package manager, not root.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags=-s -o /out/countersign ./cmd/countersign

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/countersign /countersign
USER 65532:65532
ENV ADDR=:8080 LOG_FORMAT=json
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["/countersign"]
CMD ["serve"]

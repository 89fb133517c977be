package fault

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"syscall"
	"time"

	avngen "github.com/aiven/go-client-codegen"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// result is the classification of one tree of errors.
type result struct {
	class      Class
	retryAfter time.Duration
}

// examine classifies a tree of errors. A node that is known by itself ends the descent. Otherwise its children decide,
// and only if they are unknown too, the transport error that wraps them.
func examine(err error) result {
	if v, ok := known(err); ok {
		return v
	}
	v := result{class: Unknown}
	switch node := err.(type) { //nolint:errorlint // one node at a time: examine walks the tree
	case interface{ Unwrap() error }:
		if inner := node.Unwrap(); inner != nil {
			v = examine(inner)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range node.Unwrap() {
			v = preferred(v, examine(inner))
		}
	}
	if v.class == Unknown {
		v.class = transport(err)
	}
	return v
}

// preferred returns the result whose class comes first, and the longer wait if they agree.
func preferred(a, b result) result {
	rankA, rankB := slices.Index(precedence, a.class), slices.Index(precedence, b.class)
	switch {
	case rankB < rankA, rankA == rankB && b.retryAfter > a.retryAfter:
		return b
	}
	return a
}

// known classifies errors whose own type is enough.
func known(err error) (result, bool) {
	switch e := err.(type) { //nolint:errorlint // one node at a time: examine walks the tree
	case *specError:
		return result{class: Invalid}, true
	case *protectedError:
		return result{class: Protected}, true
	case *tokenError:
		return result{class: Unauthorized}, true
	case *notYetError:
		return result{class: Conflict}, true
	case *RateLimitError:
		if e.Answer.Status == http.StatusServiceUnavailable {
			return result{class: ofAiven(e.Answer), retryAfter: e.RetryAfter}, true // an outage, or a start, that names its end
		}
		return result{class: RateLimited, retryAfter: e.RetryAfter}, true
	case avngen.Error:
		return result{class: ofAiven(e)}, true
	case *avngen.Error:
		return result{class: ofAiven(*e)}, true
	case apierrors.APIStatus:
		return ofKubernetes(e.Status()), true
	}
	if isCanceled(err) {
		return result{class: Canceled}, true
	}
	return result{}, false
}

// isCanceled asks the node alone: package net has its own error for a canceled call, which only admits it by Is.
func isCanceled(err error) bool {
	if err == context.Canceled { //nolint:errorlint // one node at a time: examine walks the tree
		return true
	}
	is, ok := err.(interface{ Is(error) bool })
	return ok && is.Is(context.Canceled)
}

// transport classifies errors of the connection: Timeout, Network or Unknown.
func transport(err error) Class {
	switch e := err.(type) { //nolint:errorlint // one node at a time: examine walks the tree
	case syscall.Errno:
		return ofErrno(e)
	case *url.Error:
		// In any case the request has no response.
		if e.Timeout() {
			return Timeout
		}
		return Network
	case net.Error:
		if e.Timeout() {
			return Timeout
		}
		return Network
	case *tls.CertificateVerificationError, tls.RecordHeaderError, tls.AlertError,
		x509.UnknownAuthorityError, x509.HostnameError, x509.CertificateInvalidError:
		return Network
	}
	for _, cut := range []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed} {
		if errors.Is(err, cut) {
			return Network
		}
	}
	return Unknown
}

// ofErrno separates the numbers of the network from those of files and processes.
func ofErrno(errno syscall.Errno) Class {
	switch errno {
	case syscall.ETIMEDOUT:
		return Timeout
	case syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE, syscall.EHOSTUNREACH,
		syscall.EHOSTDOWN, syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EADDRNOTAVAIL:
		return Network
	}
	return Unknown
}

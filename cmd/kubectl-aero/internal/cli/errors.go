package cli

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
)

// usageError is what is wrong with the command line, in several lines: nothing of a cluster is in it.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// manifestError is what is wrong with the caller's manifests, in several lines. What it quotes of them may control a terminal.
type manifestError struct{ error }

// describe is what a user reads of an error, in kubectl's form where the API server has returned it. What it quotes controls no terminal.
func describe(err error) string {
	var several utilerrors.Aggregate
	if errors.As(err, &several) {
		var lines []string
		for _, one := range utilerrors.Flatten(several).Errors() {
			lines = append(lines, describe(one))
		}
		return strings.Join(lines, "\n")
	}
	var answer apierrors.APIStatus
	if errors.As(err, &answer) && answer.Status().Reason != "" {
		return table.Escape(fmt.Sprintf("Error from server (%s): %s", answer.Status().Reason, answer.Status().Message))
	}
	var unreached *url.Error
	if errors.As(err, &unreached) {
		server := unreached.URL
		if parsed, parseErr := url.Parse(unreached.URL); parseErr == nil {
			server = parsed.Scheme + "://" + parsed.Host
		}
		return table.Escape(fmt.Sprintf("error: the API server %s can't be reached: %v. Check that the cluster runs, "+
			"and that `kubectl config current-context` is the right one", server, unreached.Err))
	}
	text := "error: " + strings.TrimPrefix(err.Error(), "error: ")
	var own usageError
	if errors.As(err, &own) {
		return text
	}
	var coded codedError
	if errors.As(err, &coded) {
		err = coded.error
	}
	var manifests manifestError
	if !errors.As(err, &manifests) {
		return table.Escape(text) // a line of a message of the cluster must not pass as one of this program
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = table.Escape(line)
	}
	return strings.Join(lines, "\n")
}

package process

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// ExitInterrupted is what a shell reports for a program ended by Ctrl-C.
const ExitInterrupted = 130

// ErrInterrupted is why a command ends that was interrupted.
var ErrInterrupted = errors.New("interrupted")

// Interruptible cancels with ErrInterrupted on the first signal and swallows all
// that follow: a user who presses Ctrl-C twice must not be left with half of a
// control plane. A reader that is gone, as in `demo | head`, is an interrupt too.
func Interruptible(parent context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	go func() {
		<-signals
		cancel(ErrInterrupted)
	}()
	return ctx, cancel
}

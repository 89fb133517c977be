package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"syscall"
)

const (
	// ListenerEnv makes a program a server: it is the number of a file, the listener. ServerEnv is the path at which clients find it.
	ListenerEnv, ServerEnv = "KUBECTL_LISTENER", "KUBECTL_SERVER"
)

// network keeps the borders of messages.
const network = "unixpacket"

// maxMessage is more than arguments and an environment take, in bytes.
const maxMessage = 128 << 10

// files are those of a command: its input, output and errors.
const files = 3

// command is what a client sends, with the files of the command.
type command struct {
	Args        []string `json:"args"`
	Environment []string `json:"environment"`
	Folder      string   `json:"folder"`
}

// answer is what it gets when the command has ended, or before it began.
type answer struct {
	Occupied bool `json:"occupied,omitempty"`
	Code     int  `json:"code"`
}

func send(c *net.UnixConn, message any, descriptors ...int) error {
	text, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encoding a message: %w", err)
	}
	_, _, err = c.WriteMsgUnix(text, syscall.UnixRights(descriptors...), nil)
	return err
}

// receive reads a message, and returns the files that came with it.
func receive(c *net.UnixConn, message any) (descriptors []int, err error) {
	text, control := make([]byte, maxMessage), make([]byte, syscall.CmsgSpace(files*4))
	n, m, flags, _, err := c.ReadMsgUnix(text, control)
	if err != nil {
		return nil, err
	}
	if flags&(syscall.MSG_TRUNC|syscall.MSG_CTRUNC) != 0 {
		return nil, errors.New("the message is too long")
	}
	controls, err := syscall.ParseSocketControlMessage(control[:m])
	if err != nil {
		return nil, err
	}
	for i := range controls {
		some, err := syscall.ParseUnixRights(&controls[i])
		if err != nil {
			return nil, err
		}
		descriptors = append(descriptors, some...)
	}
	return descriptors, json.Unmarshal(text[:n], message)
}

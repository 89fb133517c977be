package kafka

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// Parts of Kafka's protocol: a frame is its size and a body. The body of a request begins with its key, its version and
// its id, that of an answer with the id.
const (
	sizeBytes   = 4
	idBytes     = 4
	headerBytes = 8
	maxFrame    = 100 << 20
)

// translated are the keys of requests whose answers have the address of the broker, or the requests that it knows.
var translated = map[int16]bool{
	kmsg.Metadata.Int16(): true, kmsg.FindCoordinator.Int16(): true, kmsg.DescribeCluster.Int16(): true, kmsg.ApiVersions.Int16(): true,
}

// translation replaces the broker's address in the answers of one connection, and announces what Kafka does.
type translation struct {
	at engine.Endpoint

	mu    sync.Mutex
	asked map[int32]question // by the ids of requests
}

// question is what an answer has to be read as.
type question struct{ key, version int16 }

// request notes a request whose answer will need changes.
func (t *translation) request(body []byte) ([]byte, error) {
	if len(body) < headerBytes {
		return nil, errors.New("a request without a header")
	}
	q := question{int16At(body, 0), int16At(body, 2)}
	if translated[q.key] {
		t.mu.Lock()
		t.asked[int32At(body, sizeBytes)] = q
		t.mu.Unlock()
	}
	return body, nil
}

// answer changes an answer that is to be translated.
func (t *translation) answer(body []byte) ([]byte, error) {
	if len(body) < idBytes {
		return nil, errors.New("an answer without an id")
	}
	id := int32At(body, 0)
	t.mu.Lock()
	q, ok := t.asked[id]
	delete(t.asked, id)
	t.mu.Unlock()
	if !ok {
		return body, nil
	}
	response := kmsg.ResponseForKey(q.key)
	response.SetVersion(q.version)
	header := idBytes
	if q.key == kmsg.ApiVersions.Int16() {
		if len(body) >= header+2 && int16At(body, header) == kerr.UnsupportedVersion.Code {
			return body, nil // it has the first version, and those of this request alone
		}
	} else if response.IsFlexible() {
		header++ // the number of tags, which is zero; a client that asks for the versions doesn't know tags yet
	}
	if err := response.ReadFrom(body[header:]); err != nil {
		return nil, fmt.Errorf("reading an answer: %w", err)
	}
	t.translate(response)
	return response.AppendTo(body[:header:header]), nil
}

func (t *translation) translate(response kmsg.Response) {
	port := int32(t.at.Port) // a port
	switch r := response.(type) {
	case *kmsg.ApiVersionsResponse:
		for i := range r.ApiKeys {
			if r.ApiKeys[i].ApiKey == kmsg.SASLHandshake.Int16() {
				r.ApiKeys[i].MinVersion = 0 // librdkafka wants to see it, and uses the next one
			}
		}
	case *kmsg.MetadataResponse:
		for i := range r.Brokers {
			r.Brokers[i].Host, r.Brokers[i].Port = t.at.Host, port
		}
	case *kmsg.DescribeClusterResponse:
		for i := range r.Brokers {
			r.Brokers[i].Host, r.Brokers[i].Port = t.at.Host, port
		}
	case *kmsg.FindCoordinatorResponse:
		if r.Host != "" { // empty where there is none, and where the list is used
			r.Host, r.Port = t.at.Host, port
		}
		for i := range r.Coordinators {
			if r.Coordinators[i].Host != "" {
				r.Coordinators[i].Host, r.Coordinators[i].Port = t.at.Host, port
			}
		}
	}
}

// passOn copies frames until one end is closed.
func passOn(from io.Reader, to io.WriteCloser, change func([]byte) ([]byte, error)) error {
	defer func() { _ = to.Close() }()
	for {
		body, err := readFrame(from)
		if err != nil {
			return err
		}
		if body, err = change(body); err != nil {
			return err
		}
		frame := binary.BigEndian.AppendUint32(make([]byte, 0, sizeBytes+len(body)), uint32(len(body))) // bounded
		if _, err := to.Write(append(frame, body...)); err != nil {
			return err
		}
	}
}

// exchange sends a request and reads its answer.
func exchange(conn net.Conn, request kmsg.Request, answer kmsg.Response) error {
	if _, err := conn.Write(kmsg.NewRequestFormatter().AppendRequest(nil, request, 0)); err != nil {
		return err
	}
	body, err := readFrame(conn)
	if err != nil {
		return err
	}
	if len(body) < idBytes {
		return errors.New("an answer without an id")
	}
	answer.SetVersion(request.GetVersion())
	return answer.ReadFrom(body[idBytes:])
}

func readFrame(from io.Reader) ([]byte, error) {
	var size [sizeBytes]byte
	if _, err := io.ReadFull(from, size[:]); err != nil {
		return nil, err
	}
	n := int32At(size[:], 0)
	if n < 0 || n > maxFrame {
		return nil, fmt.Errorf("a frame of %d bytes", n)
	}
	body := make([]byte, n)
	_, err := io.ReadFull(from, body)
	return body, err
}

func int16At(body []byte, i int) int16 {
	return int16(binary.BigEndian.Uint16(body[i:])) // as the protocol has it
}

func int32At(body []byte, i int) int32 {
	return int32(binary.BigEndian.Uint32(body[i:])) // as the protocol has it
}

// Package admin is a client of a local Aiven's administration API, for tests and demos that start it as a process of its own. In
// process, the methods of localaiven.Server do the same.
package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/aero-operator/aero/tests/localaiven"
)

// Client talks to one local Aiven. Any answer but 200 is an error.
type Client struct {
	// URL is where the local Aiven listens, such as http://127.0.0.1:18080.
	URL string
	// HTTP is the client to use; nil is http.DefaultClient.
	HTTP *http.Client
}

// Stats returns the counts since the start or the last Reset.
func (c *Client) Stats(ctx context.Context) (localaiven.Stats, error) {
	var out localaiven.Stats
	err := c.do(ctx, http.MethodGet, "/stats", nil, &out)
	return out, err
}

// Reset zeroes the counts and the journal; resources and faults stay.
func (c *Client) Reset(ctx context.Context) error {
	return c.do(ctx, http.MethodPost, "/reset", nil, nil)
}

// Journal returns the calls with a higher number than seq, oldest first.
func (c *Client) Journal(ctx context.Context, seq int64) ([]localaiven.Entry, error) {
	body, err := c.read(ctx, http.MethodGet, "/journal?after="+strconv.FormatInt(seq, 10), nil)
	if err != nil {
		return nil, err
	}
	var out []localaiven.Entry
	for decoder := json.NewDecoder(bytes.NewReader(body)); ; {
		var entry localaiven.Entry
		switch err := decoder.Decode(&entry); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("reading the journal: %w", err)
		}
		out = append(out, entry)
	}
}

// AddFault adds a fault and returns its id.
func (c *Client) AddFault(ctx context.Context, fault localaiven.Fault) (string, error) {
	var out struct{ ID string }
	err := c.do(ctx, http.MethodPost, "/faults", fault, &out)
	return out.ID, err
}

// Fault returns a fault, and whether it holds a call.
func (c *Client) Fault(ctx context.Context, id string) (localaiven.FaultState, error) {
	var out localaiven.FaultState
	err := c.do(ctx, http.MethodGet, "/faults/"+url.PathEscape(id), nil, &out)
	return out, err
}

// Release lets the calls that a fault holds go on, and returns their number.
func (c *Client) Release(ctx context.Context, id string) (int, error) {
	var out struct{ Released int }
	err := c.do(ctx, http.MethodPost, "/faults/"+url.PathEscape(id)+"/release", nil, &out)
	return out.Released, err
}

// RemoveFault removes one fault; held calls go on.
func (c *Client) RemoveFault(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, "/faults/"+url.PathEscape(id), nil, nil)
}

// RemoveFaults removes all faults; held calls go on.
func (c *Client) RemoveFaults(ctx context.Context) error {
	return c.do(ctx, http.MethodDelete, "/faults", nil, nil)
}

// Patch changes the remote state of a service, as a user of the console would. See localaiven.Server.Patch.
func (c *Client) Patch(ctx context.Context, project, service string, fields map[string]any) error {
	path := "/project/" + url.PathEscape(project) + "/service/" + url.PathEscape(service)
	return c.do(ctx, http.MethodPatch, path, fields, nil)
}

// PatchVPC sets the state of a VPC. See localaiven.Server.PatchVPC.
func (c *Client) PatchVPC(ctx context.Context, project, id, state string) error {
	path := "/project/" + url.PathEscape(project) + "/vpcs/" + url.PathEscape(id)
	return c.do(ctx, http.MethodPatch, path, map[string]string{"state": state}, nil)
}

// PatchIntegration changes a service integration. See localaiven.Server.PatchIntegration.
func (c *Client) PatchIntegration(ctx context.Context, project, id string, fields map[string]any) error {
	path := "/project/" + url.PathEscape(project) + "/integration/" + url.PathEscape(id)
	return c.do(ctx, http.MethodPatch, path, fields, nil)
}

// PatchProject sets what is still to be paid for a project. See localaiven.Server.PatchProject.
func (c *Client) PatchProject(ctx context.Context, project, estimatedBalance string) error {
	return c.do(ctx, http.MethodPatch, "/project/"+url.PathEscape(project), map[string]string{"estimated_balance": estimatedBalance}, nil)
}

// Resources lists everything that exists at the remote side.
func (c *Client) Resources(ctx context.Context) ([]localaiven.Resource, error) {
	var out []localaiven.Resource
	err := c.do(ctx, http.MethodGet, "/resources", nil, &out)
	return out, err
}

// do sends in and reads the answer into out; nil is nothing, either way.
func (c *Client) do(ctx context.Context, method, path string, in, out any) error {
	body, err := c.read(ctx, method, path, in)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("reading the answer to %s %s: %w", method, path, err)
	}
	return nil
}

func (c *Client) read(ctx context.Context, method, path string, in any) ([]byte, error) {
	var body io.Reader
	if in != nil {
		encoded, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("encoding %s %s: %w", method, path, err)
		}
		body = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.URL, "/")+"/_local"+path, body)
	if err != nil {
		return nil, fmt.Errorf("making a request: %w", err)
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("calling the administration API: %w", err)
	}
	answer, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, fmt.Errorf("reading the answer to %s %s: %w", method, path, err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s: status %d: %s", method, path, response.StatusCode, answer)
	}
	return answer, nil
}

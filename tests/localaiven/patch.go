package localaiven

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	client "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// consoleChange is what a user of the console can do to a service.
type consoleChange struct {
	client.ServiceUpdateIn
	State      string             `json:"state"`
	CloudName  *string            `json:"cloud_name"`
	Tags       *map[string]string `json:"tags"`
	Users      []consoleUser      `json:"users"`
	NodeStates []consoleNode      `json:"node_states"`
	Topics     []consoleTopic     `json:"topics"`
	Connectors []consoleConnector `json:"connectors"`
	// ClickHouseDatabases are databases of ClickHouse.
	ClickHouseDatabases []consoleDatabase `json:"clickhouse_databases"`
	// UpgradeCheck is what the next checks before an upgrade find; empty is nothing.
	UpgradeCheck *string `json:"upgrade_check"`
	consoleNotices
}

// consoleTopic changes the state of a topic.
type consoleTopic struct {
	TopicName string `json:"topic_name"`
	State     string `json:"state"`
}

// consoleUser changes or adds a user. A null password is one that was changed inside the database.
type consoleUser struct {
	Username      string          `json:"username"`
	Password      json.RawMessage `json:"password"`
	AccessControl map[string]any  `json:"access_control"`
	Type          string          `json:"type"`
	// Certificate replaces that of the user.
	Certificate *consoleCertificate `json:"certificate"`
}

// consoleDatabase sets the state that is shown of a database.
type consoleDatabase struct {
	Name  string `json:"name"`
	State string `json:"state"`
}

type consoleNode struct {
	Name  string `json:"name"`
	State string `json:"state"`
}

// Patch changes the remote state of a service, as a user of the console would. Fields are those of ServiceGet: state
// (which stays until the next change by the API), plan, cloud_name, project_vpc_id, disk_space_mb, tags (as a whole),
// tech_emails, maintenance, termination_protection, user_config (merged), users (merged by username: password,
// access_control; an unknown one is added), node_states (by name), topics (by topic_name: state, which stays until the next
// change by the API; empty is the topic's own), clickhouse_databases (by name: state) and connectors (by name: state, and tasks by id: state and trace, in the same
// way), upgrade_check (what checks before an upgrade find from now on; empty is nothing), maintenance_updates, service_notifications and
// backups (their times), each as a whole. A user may also have a certificate (until, and previous_until while Aiven shows that of the one
// before). The state machine doesn't move.
func (s *Server) Patch(project, name string, fields map[string]any) error {
	body, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("encoding fields: %w", err)
	}
	if fail := s.patch(project, name, body); fail != nil {
		return fail
	}
	return nil
}

func (s *Server) patch(projectName, name string, body []byte) *apiError {
	p, fail := s.project(projectName)
	if fail != nil {
		return fail
	}
	svc, fail := p.service(name)
	if fail != nil {
		return fail
	}
	var change consoleChange
	c := &call{body: body}
	if fail := c.decode(&change); fail != nil {
		return fail
	}
	if change.Powered != nil {
		return badRequest("Invalid powered: set state instead")
	}
	if change.CloudName != nil {
		change.Cloud = change.CloudName
	}
	svc.work.Lock()
	defer svc.work.Unlock()
	if err := svc.patchRoles(change.Users); err != nil {
		return badRequest("Changing users: %v", err)
	}
	if fail := svc.patch(change, c.names("project_vpc_id"), s.clock.Now()); fail != nil {
		return fail
	}
	s.relog(svc)
	return nil
}

// patch applies what needs no engine.
func (svc *service) patch(change consoleChange, vpcNamed bool, now time.Time) *apiError {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	if !vpcNamed && svc.vpcID != "" {
		change.ProjectVpcId = &svc.vpcID
	}
	if fail := svc.change(change, now); fail != nil {
		return fail
	}
	svc.changed(now)
	svc.mirror(now)
	return nil
}

// change is patch without what follows from it. The caller holds mu.
func (svc *service) change(change consoleChange, now time.Time) *apiError {
	for _, t := range change.Topics {
		if svc.topic(t.TopicName) == nil {
			return notFound("Topic " + t.TopicName)
		}
	}
	if fail := svc.checkConnectors(change.Connectors); fail != nil {
		return fail
	}
	if fail := svc.patchClickHouse(change.ClickHouseDatabases); fail != nil {
		return fail
	}
	if fail := svc.configure(change.ServiceUpdateIn, svc.kind); fail != nil {
		return fail
	}
	if change.Tags != nil {
		svc.tags = *change.Tags
	}
	if change.State != "" {
		svc.forced = change.State
	}
	if change.UpgradeCheck != nil {
		svc.upgradeFinding = *change.UpgradeCheck
	}
	for _, node := range change.NodeStates {
		svc.nodes[node.Name] = node.State
	}
	for _, t := range change.Topics {
		svc.topic(t.TopicName).forced = t.State
	}
	svc.patchConnectors(change.Connectors)
	svc.notices.set(change.consoleNotices)
	for _, u := range change.Users {
		if err := svc.patchUser(u, now); err != nil {
			return badRequest("Changing user %s: %v", u.Username, err)
		}
	}
	return nil
}

// patchRoles gives the real roles their passwords, their certificates and their access first.
func (svc *service) patchRoles(users []consoleUser) error {
	instance := svc.backing.get()
	var errs []error
	for _, u := range users {
		password, err := u.password()
		if u.Username == "" {
			err = errors.New("username is required")
		}
		if err == nil && u.Certificate != nil {
			err = svc.renew(svc.user(u.Username), u.Certificate)
		}
		switch {
		case err != nil:
		case instance != nil:
			err = svc.patchRole(u, password, instance)
		case !svc.backing.up() && (password != nil || u.AccessControl != nil || u.Certificate != nil):
			err = fmt.Errorf("user %s has a role in a database that isn't running", u.Username)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (svc *service) patchRole(change consoleUser, password *string, instance engine.Instance) error {
	credential := engine.Credential{Username: change.Username, Access: engineAccess(svc.kind.newAccess(svc.userConfig, false))}
	if u := svc.user(change.Username); u != nil {
		credential = u.credential()
	}
	if change.AccessControl != nil {
		credential.Access = engineAccess(change.AccessControl)
	}
	if c := change.Certificate; c != nil {
		credential.Certificate, credential.Former = c.issued.cert, c.issued.former
	}
	if password != nil {
		credential.Password = *password
	}
	switch {
	case password != nil || change.Certificate != nil:
		return setUser(svc, instance, credential)
	case change.AccessControl != nil:
		return setRole(svc, instance, credential)
	}
	return nil
}

// password is nil when none is given, and when it is null.
func (u consoleUser) password() (*string, error) {
	if len(u.Password) == 0 {
		return nil, nil
	}
	var password *string
	if err := json.Unmarshal(u.Password, &password); err != nil {
		return nil, errors.New("password must be a string or null")
	}
	return password, nil
}

func (svc *service) patchUser(change consoleUser, now time.Time) error {
	u := svc.user(change.Username)
	if u == nil {
		added, err := svc.newUser(change.Username, svc.kind.newAccess(svc.userConfig, false))
		if err != nil {
			return err
		}
		u, added.passwordSet = added, now
		svc.users = append(svc.users, u)
	}
	if password, err := change.password(); err == nil && (password != nil || bytes.Equal(change.Password, []byte("null"))) {
		u.password, u.passwordSet = password, now
	}
	if change.AccessControl != nil {
		u.access = change.AccessControl
	}
	if change.Type != "" {
		u.kind = change.Type
	}
	if change.Certificate != nil {
		u.certificate = change.Certificate.issued
	}
	return nil
}

// PatchVPC sets the state of a VPC, as if Aiven were slow or stuck. It stays until the VPC is deleted; an empty one is the
// VPC's own again.
func (s *Server) PatchVPC(project, id, state string) error {
	if fail := s.patchVPC(project, id, state); fail != nil {
		return fail
	}
	return nil
}

func (s *Server) patchVPC(projectName, id, state string) *apiError {
	p, fail := s.project(projectName)
	if fail != nil {
		return fail
	}
	now := s.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	v, fail := p.vpc(id, now)
	if fail != nil {
		return fail
	}
	v.life.Force(state)
	v.updated = now
	p.touched(now)
	return nil
}

package aiven

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/aiven/go-client-codegen/handler/service"
)

// FromGet fills a Service from the answer to ServiceGet. The result shares maps and slices with out.
func FromGet(project string, out *service.ServiceGetOut) *Service {
	s := &Service{
		Project:               project,
		Name:                  out.ServiceName,
		Type:                  out.ServiceType,
		Plan:                  out.Plan,
		Cloud:                 out.CloudName,
		State:                 string(out.State),
		ProjectVPCID:          out.ProjectVpcId,
		TerminationProtection: out.TerminationProtection,
		Tags:                  out.Tags,
		UserConfig:            out.UserConfig,
		URI:                   out.ServiceUri,
		URIParams:             out.ServiceUriParams,
		ConnectionInfo:        out.ConnectionInfo,
		Components:            out.Components,
		NodeStates:            out.NodeStates,
		Integrations:          out.ServiceIntegrations,
		Users:                 byName(out.Users, func(u User) string { return u.Username }),
		Pools:                 byName(out.ConnectionPools, func(p Pool) string { return p.PoolName }),
		Topics:                byName(out.Topics, func(t Topic) string { return t.TopicName }),
		Databases:             setOf(out.Databases),
		ACLs:                  out.Acl,
		KafkaACLs:             out.KafkaAcl,
		SchemaRegistryACLs:    out.SchemaRegistryAcl,
		UpdateTime:            out.UpdateTime,
		Notices:               Notices{Notifications: out.ServiceNotifications, Backups: out.Backups, Metadata: out.Metadata},
	}
	if out.DiskSpaceMb != nil {
		s.DiskSpaceMB = *out.DiskSpaceMb
	}
	if out.Maintenance != nil {
		s.Maintenance = Maintenance{Dow: string(out.Maintenance.Dow), Time: out.Maintenance.Time}
		s.Notices.Updates = out.Maintenance.Updates
	}
	for _, email := range out.TechEmails {
		s.TechEmails = append(s.TechEmails, email.Email)
	}
	return s
}

// item is the one layout that an element of ServiceList and the answers to ServiceCreate and ServiceUpdate share.
type item interface {
	service.ServiceOut | service.ServiceCreateOut | service.ServiceUpdateOut
}

// From fills a Service from an element of ServiceList, or from the answer to ServiceCreate or ServiceUpdate. It fails
// if it holds no service, or a connection info of another shape than ServiceGet's.
func From[T item](project string, out *T) (*Service, error) {
	listed := service.ServiceOut(*out)
	got, err := asGet(&listed)
	if err == nil {
		err = checkService("Service", "", got)
	}
	if err != nil {
		return nil, fmt.Errorf("decoding service %s of project %s: %w", listed.ServiceName, project, err)
	}
	return FromGet(project, got), nil
}

// asGet converts an answer to the type of the answer to ServiceGet. The generated types differ in two fields only, so all
// others are copied by their names. A test compares both ways field by field.
func asGet(out *service.ServiceOut) (*service.ServiceGetOut, error) {
	info, err := connectionInfo(out.ConnectionInfo)
	if err != nil {
		return nil, err
	}
	got := &service.ServiceGetOut{ConnectionInfo: info, ServiceUriParams: texts(out.ServiceUriParams)}
	from, to := reflect.ValueOf(out).Elem(), reflect.ValueOf(got).Elem()
	for i := range to.NumField() {
		field := from.FieldByName(to.Type().Field(i).Name)
		if field.IsValid() && field.Type() == to.Field(i).Type() {
			to.Field(i).Set(field)
		}
	}
	return got, nil
}

// connectionInfo converts the loose form to its type, by the JSON that both came from.
func connectionInfo(loose map[string]any) (*ConnectionInfo, error) {
	if loose == nil {
		return nil, nil
	}
	info := new(ConnectionInfo)
	raw, err := json.Marshal(loose)
	if err = errors.Join(err, json.Unmarshal(raw, info)); err != nil {
		return nil, fmt.Errorf("decoding connection info: %w", err)
	}
	return info, nil
}

// texts renders values as the typed form has them: null is empty there.
func texts(loose map[string]any) map[string]string {
	if loose == nil {
		return nil
	}
	strict := make(map[string]string, len(loose))
	for key, value := range loose {
		if value == nil {
			strict[key] = ""
			continue
		}
		strict[key] = fmt.Sprint(value)
	}
	return strict
}

// byName indexes a list and keeps the difference between no list and an empty one.
func byName[T any](list []T, name func(T) string) map[string]*T {
	if list == nil {
		return nil
	}
	index := make(map[string]*T, len(list))
	for i := range list {
		index[name(list[i])] = &list[i]
	}
	return index
}

func setOf(names []string) map[string]bool {
	if names == nil {
		return nil
	}
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

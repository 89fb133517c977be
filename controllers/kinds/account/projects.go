package account

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	avnprojects "github.com/aiven/go-client-codegen/handler/organizationprojects"
	avnproject "github.com/aiven/go-client-codegen/handler/project"
	avnvpc "github.com/aiven/go-client-codegen/handler/vpc"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/resource"
)

// What the kinds Project and OrganizationProject have in common: both describe a project, from two sides of the API.

// projectIdentity is the same for both kinds: the names of projects are unique in all of Aiven.
func projectIdentity(name string) controllers.Identity {
	return controllers.Identity{Group: ownership.ProjectGroup, Name: name}
}

// nameTaken is the error of a project that can't be created, as another one has the name.
func nameTaken(path string) error {
	return fault.InvalidSpec(path, "the name is taken: the user of the token isn't a member of that project. Recreate the object with "+
		"another name, as they are unique in all of Aiven, or give the user access")
}

var projectName = regexp.MustCompile("^[a-zA-Z0-9_-]{1,63}$")

// checkProjectName refuses a name of an object that no project can have, before anything is sent.
func checkProjectName(name string) error {
	if projectName.MatchString(name) {
		return nil
	}
	return fault.InvalidSpec("metadata.name", fmt.Sprintf("a project can't be named %q: names have 1 to 63 letters, digits, hyphens and "+
		"underscores. Recreate the object under another name", name))
}

// checkCopy refuses a copy of the project itself.
func checkCopy(obj *v1alpha1.Project) error {
	if obj.Spec.CopyFromProject != obj.GetName() {
		return nil
	}
	return fault.InvalidSpec("spec.copyFromProject", "a project can't be a copy of itself. Remove the field, or recreate the object "+
		"with another project")
}

// getProject reads a project that the shared list doesn't show: the list may be too old, or the user of the token no member of
// the project. listErr is the error of the list. A 404 is an absence, and a 403 isn't: right after its creation a project has no
// members, and before it the project is that of another customer. A deletion needs the list, as a 404 of the project alone
// proves nothing.
func getProject[R any](obj controllers.Object, path string, listErr error, get func() (*R, error)) (*R, error) {
	switch {
	case obj.GetDeletionTimestamp() != nil && fault.Is(listErr, fault.Forbidden):
		return nil, deletion.NotPermitted("list projects")
	case obj.GetDeletionTimestamp() != nil:
		return nil, listErr
	case listErr != nil && !fault.Is(listErr, fault.Forbidden) && !errors.Is(listErr, aiven.ErrCutOff):
		return nil, listErr
	}
	found, err := get()
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, nil
	case fault.IsStranger(err) && !ownership.Owns(obj):
		return nil, nameTaken(path)
	case err != nil:
		return nil, fmt.Errorf("reading project: %w", err)
	}
	return found, nil
}

// refusedName returns an error of class Invalid where Aiven refuses to create a project because its name is taken, and
// doesn't show who has it. Within the lag of Aiven's reads it may be our own, created by an earlier process.
func refusedName[R any](s resource.Scope, path string, refusal error, get func() (*R, error)) error {
	if !fault.Is(refusal, fault.Exists, fault.Conflict) || s.Reads.EarlierWritesPending() {
		return refusal
	}
	if _, err := get(); !fault.Is(err, fault.NotFound, fault.Forbidden) {
		return refusal
	}
	return nameTaken(path)
}

// madeProject records the project of the answer to its creation. An answer about another project, or none, is none: nil makes the project
// be read.
func madeProject(obj *v1alpha1.Project, answer *avnproject.ProjectOut) *avnproject.ProjectOut {
	if answer.ProjectName != obj.GetName() {
		return nil
	}
	return recordProject(obj, answer)
}

// addresses are email addresses as Aiven stores them: with the domain in lower case, and without duplicates. They are
// sorted, as their order means nothing.
func addresses(list []string) []string {
	out := make([]string, 0, len(list))
	for _, address := range list {
		if at := strings.LastIndex(address, "@"); at >= 0 {
			address = address[:at] + strings.ToLower(address[at:])
		}
		out = append(out, address)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// addressesIn are email addresses in a request, where no list means none.
func addressesIn[E avnproject.TechEmailIn | avnproject.BillingEmailIn | avnprojects.TechEmailIn](list []string) *[]E {
	in := []E{}
	for _, address := range addresses(list) {
		in = append(in, E{Email: address})
	}
	return &in
}

// diffAddresses compares email addresses of the spec with those in an answer. Without a list in the spec they aren't managed.
func diffAddresses[E avnproject.TechEmailOut | avnproject.BillingEmailOut | avnprojects.TechEmailOut](
	diff *controllers.Diff, path string, wanted []string, found []E,
) {
	list := make([]string, 0, len(found))
	for _, e := range found {
		list = append(list, avnproject.TechEmailOut(e).Email)
	}
	if want, have := addresses(wanted), addresses(list); wanted != nil && !slices.Equal(want, have) {
		diff.Add(path, want, have)
	}
}

// caGrace is how long the CA of a project may be unreadable after the creation of the project.
const caGrace = time.Minute

// publisher is an object of either kind.
type publisher interface {
	controllers.Object
	GetSecretFields() *v1alpha1.SecretFields
}

// caDetails have the CA of a project. Right after the creation of the project it can't be read: there are no details yet, for an
// object whose Secret wasn't published. Where none is to be published, or nothing is managed, it isn't needed.
func caDetails(ctx context.Context, s resource.Scope, obj publisher, project string) (connection.Info, error) {
	ca, err := s.Client.CA(ctx, project)
	status, disabled := obj.GetCommonStatus(), obj.GetSecretFields().ConnInfoSecretTargetDisabled
	spared := status.Provenance == nil || ptr.Deref(disabled, false) || time.Since(status.Provenance.Time.Time) < caGrace
	switch {
	case spared && status.Binding == nil && fault.Is(err, fault.Forbidden, fault.NotFound):
		return connection.Info{}, nil
	case err != nil:
		return connection.Info{}, err
	}
	layout := connection.Layout{Prefixed: map[string]connection.Value{"CA_CERT": connection.CACert}}
	return resource.Dated(connection.Info{CACert: ca, Layout: layout}, nil), nil
}

// deleteIfEmpty deletes a project that has nothing in it.
func deleteIfEmpty(ctx context.Context, s resource.Scope, name string, call func() error) error {
	if err := projectInUse(ctx, s, name); err != nil {
		return err
	}
	if err := call(); err != nil {
		return fmt.Errorf("deleting project: %w", err)
	}
	return nil
}

// projectInUse returns a *deletion.BlockedError that names what is in a project: it has to be deleted first, whatever Aiven
// would do about it.
func projectInUse(ctx context.Context, s resource.Scope, name string) error {
	services, err := s.Client.API().ServiceList(ctx, name)
	if err != nil {
		return unreadable("services", name, err)
	}
	networks, err := s.Client.API().VpcList(ctx, name)
	if err != nil {
		return unreadable("VPCs", name, err)
	}
	var inside []string
	for i := range services {
		inside = append(inside, "service "+services[i].ServiceName)
	}
	for i := range networks {
		if networks[i].State != avnvpc.VpcStateTypeDeleted {
			inside = append(inside, "VPC "+networks[i].CloudName+" "+networks[i].NetworkCidr)
		}
	}
	switch {
	case services == nil || networks == nil:
		return fmt.Errorf("listing what is in project %s: Aiven's answer holds no list", name)
	case len(inside) > 0:
		return &deletion.BlockedError{Reason: fmt.Sprintf("Project %s has %s in it. Delete what is in it first", name, fault.Few(inside, fault.ListLimit))}
	}
	return nil
}

// unreadable is the error of a list of what is in a project. A 404 means that the project is gone, or hidden for a moment with
// all that is in it: nothing is deleted then, and the list of projects decides.
func unreadable(what, name string, err error) error {
	if fault.Is(err, fault.Forbidden) {
		return deletion.NotPermitted("list the " + what + " of project " + name)
	}
	return fmt.Errorf("listing the %s of the project: %w", what, err)
}

// checkNotMoved returns a *deletion.BlockedError for a project that its organization doesn't have, and that exists. Of one that was
// deleted Aiven lists no services.
func checkNotMoved(ctx context.Context, s resource.Scope, name string) error {
	err := s.Client.CheckProject(ctx, name)
	switch {
	case err == nil:
		return deletion.Moved(s.Organization, name)
	case errors.Is(err, aiven.ErrUnknownProject):
		return nil
	default:
		return unreadable("services", name, err)
	}
}

const pathOrganization = "spec.organizationId"

// unknownOrganizationError is the id of an organization for whose lists Aiven answers 404: no list is missing, nor empty.
type unknownOrganizationError string

func (o unknownOrganizationError) Error() string {
	return fmt.Sprintf(pathOrganization+": Aiven knows no organization %s, or the token has no access to it. "+
		"Recreate the object with one that this command lists: avn organization list", string(o))
}

// withoutList is the error of a list without the list's name, where the organization is what isn't known. It is an invalid spec
// unless the object was right before.
func withoutList(obj controllers.Object, err error) error {
	var unknown unknownOrganizationError
	switch {
	case !errors.As(err, &unknown):
		return err
	case ownership.Owns(obj) || obj.GetDeletionTimestamp() != nil:
		return unknown
	}
	return fault.InvalidSpec("", unknown.Error())
}

// atField names the field that a refusal is about: of a value, or of something that doesn't exist.
func atField(fields fault.Fields, err error) error { return fields.Missing(fields.Of(err)) }

// projectFields are the fields of a project by what Aiven's answers call them: parameters, and things that don't exist.
func projectFields() fault.Fields {
	account := fault.Field{Path: "spec.accountId", Remedy: "List the accounts with: avn account list"}
	return fault.Fields{
		"project name": fault.NameField("", ""), "account_id": account, "account": account,
		"billing_group_id": fault.Fixed("spec.billingGroupId"), "billing group": fault.Fixed("spec.billingGroupId"),
		"card_id": {Path: "spec.cardId"}, "credit card": {Path: "spec.cardId"}, "cloud": {Path: "spec.cloud"},
		"country_code": {Path: "spec.countryCode"}, "billing_currency": {Path: "spec.billingCurrency"},
		"billing_emails": {Path: "spec.billingEmails"}, "tech_emails": {Path: "spec.technicalEmails"},
		"billing_address": {Path: "spec.billingAddress"}, "billing_extra_text": {Path: "spec.billingExtraText"},
		"tags": {Path: "spec.tags"}, "tag": {Path: "spec.tags"},
	}
}

// copyFields are those of a creation: a project that it doesn't find is the one to copy.
func copyFields() fault.Fields {
	fields := projectFields()
	fields["copy_from_project"], fields["project"] = fault.Fixed("spec.copyFromProject"), fault.Fixed("spec.copyFromProject")
	return fields
}

// organizationProjectFields are the fields of a project of an organization by what Aiven's answers call them.
func organizationProjectFields() fault.Fields {
	group := fault.Field{Path: "spec.billingGroupId", Remedy: "List the billing groups with: avn billing-group list"}
	return fault.Fields{
		"project_id": fault.Fixed("spec.projectId"), "project name": fault.Fixed("spec.projectId"),
		"billing_group_id": group, "billing group": group,
		"parent_id": {Path: "spec.parentId"}, "organization or organizational unit": {Path: "spec.parentId"},
		"organization_id": fault.Fixed(pathOrganization), "organization": fault.Fixed(pathOrganization),
		"base_port": {Path: "spec.basePort"}, "tags": {Path: "spec.tags"}, "tag": {Path: "spec.tags"},
		"tech_emails": {Path: "spec.technicalEmails"},
	}
}

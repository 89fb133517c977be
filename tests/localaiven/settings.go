package localaiven

import (
	"regexp"
	"slices"

	client "github.com/aiven/go-client-codegen/handler/service"
)

type techEmail struct {
	Email string `json:"email"`
}

type maintenance struct {
	Dow     string              `json:"dow"`
	Enabled bool                `json:"enabled"`
	Time    string              `json:"time"`
	Updates []maintenanceUpdate `json:"updates"`
}

var (
	clockTime = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$`)
	email     = regexp.MustCompile(`^[^@\s]+@[^@\s]+$`)
)

// defaultMaintenance spreads services over the week, but always in the same way.
func defaultMaintenance(name string) maintenance {
	days := client.DowTypeChoices()
	day := days[int(digest(name, 1)[0])%len(days)]
	return maintenance{Dow: day, Enabled: true, Time: "02:30:00", Updates: []maintenanceUpdate{}}
}

// configure applies a request to settings of their own or leaves them as they are; the caller holds the service's mu.
// An absent VPC is none.
func (current *settings) configure(in client.ServiceUpdateIn, k *kind) *apiError {
	next := *current
	if fail := next.place(in, k); fail != nil {
		return fail
	}
	if in.UserConfig != nil || len(next.userConfig) == 0 {
		var changes map[string]any
		if in.UserConfig != nil {
			changes = *in.UserConfig
		}
		config, fail := k.config(current.userConfig, changes)
		if fail != nil {
			return fail
		}
		next.userConfig = config
	}
	if in.Maintenance != nil {
		if fail := next.maintenance.set(*in.Maintenance); fail != nil {
			return fail
		}
	}
	if in.TechEmails != nil {
		next.techEmails = nil
		for _, e := range *in.TechEmails {
			if !email.MatchString(e.Email) {
				return badRequest("Invalid tech_emails: '%s' is not an email address", e.Email)
			}
			next.techEmails = append(next.techEmails, techEmail(e))
		}
	}
	if in.TerminationProtection != nil {
		next.protected = *in.TerminationProtection
	}
	if in.SchemaRegistryAuthz != nil {
		next.openRegistry = !*in.SchemaRegistryAuthz
	}
	*current = next
	return nil
}

// place applies plan, disk, cloud and VPC. Disk space that was added stays added when the plan changes.
func (current *settings) place(in client.ServiceUpdateIn, k *kind) *apiError {
	wanted := in.DiskSpaceMb
	if in.Plan != nil && *in.Plan != current.plan.name {
		p, fail := k.plan(*in.Plan)
		if fail != nil {
			return fail
		}
		if wanted == nil && current.diskMB > current.plan.diskMB {
			bigger := max(current.diskMB, p.diskMB)
			wanted = &bigger
		}
		current.plan, current.diskMB = p, p.diskMB
	}
	if wanted != nil {
		disk, fail := current.plan.disk(wanted)
		if fail != nil {
			return fail
		}
		current.diskMB = disk
	}
	if in.Cloud != nil {
		if fail := cloud(*in.Cloud); fail != nil {
			return fail
		}
		current.cloud = *in.Cloud
	}
	current.vpcID = ""
	if in.ProjectVpcId != nil {
		current.vpcID = *in.ProjectVpcId
	}
	return nil
}

func (m *maintenance) set(in client.MaintenanceIn) *apiError {
	if in.Dow != "" {
		if !slices.Contains(client.MaintenanceDowTypeChoices(), string(in.Dow)) {
			return badRequest("Invalid maintenance.dow '%s'", in.Dow)
		}
		m.Dow = string(in.Dow)
	}
	if in.Time != nil {
		if !clockTime.MatchString(*in.Time) {
			return badRequest("Invalid maintenance.time '%s': must be HH:MM:SS", *in.Time)
		}
		m.Time = *in.Time
	}
	return nil
}

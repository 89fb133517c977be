package service

import (
	"regexp"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// projectField is the project of a service.
var projectField = fault.Field{
	Path: "spec.project", Remedy: "Create the project at Aiven, give the token access to it, or recreate the object with another spec.project",
}

// aboutVPC begins Aiven's sentence about a VPC that doesn't exist. Any other 404 of a creation is about the project.
var aboutVPC = regexp.MustCompile(`(?i)^VPC\b`)

// missing names the field of what doesn't exist at Aiven.
func (c *controller[T]) missing(obj T, w desired, err error) error {
	var none *fault.Secrets
	if w.vpc == "" || !aboutVPC.MatchString(none.Sentence(err)) {
		return fault.AtField(projectField, w.project, err)
	}
	field := c.fields(obj)["project_vpc_id"]
	field.Remedy = "Create the VPC in project " + w.project + ", or correct " + field.Path
	return fault.AtField(field, w.vpc, err)
}

// fields are the fields of a service by the parameters that they are sent as.
func (c *controller[T]) fields(obj T) fault.Fields {
	spec := obj.GetBaseServiceFields()
	fields := fault.Fields{
		"service_name":           fault.NameField("", ""),
		"plan":                   {Path: pathPlan, Remedy: "List the plans with: avn service plans --service-type " + c.Type},
		"cloud":                  {Path: pathCloud, Remedy: "List the clouds with: avn cloud list"},
		"project_vpc_id":         {Path: pathVPC},
		"disk_space_mb":          {Path: pathDisk},
		"maintenance.dow":        {Path: "spec.maintenanceWindowDow"},
		"maintenance.time":       {Path: "spec.maintenanceWindowTime"},
		"termination_protection": {Path: "spec.terminationProtection"},
		"tech_emails":            {Path: "spec.technicalEmails"},
		"tag":                    {Path: pathTags},
		"tags":                   {Path: pathTags},
		"service_integrations":   fault.Fixed("spec.serviceIntegrations"),
		"user_config":            {Path: pathOptions, Tree: true},
	}
	if spec.ProjectVPCID == "" {
		fields["project_vpc_id"] = fault.Field{Path: VPC.Field}
	}
	if c.migrates(obj) {
		fields["user_config."+optionMigration] = fault.Field{Path: pathMigration, Remedy: "Change the Secret"}
	}
	return fields
}

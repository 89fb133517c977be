package service

import (
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// surroundings are the fields of what a new service is put into, by what Aiven calls it.
func (w *desired) surroundings(obj Object) fault.Fields {
	vpc := fault.Field{Path: pathVPC, Value: w.vpc, Remedy: "Correct the id, or create the VPC"}
	if obj.GetBaseServiceFields().ProjectVPCID == "" {
		vpc.Path, vpc.Remedy = VPC.Field, "Check the ProjectVPC that it names"
	}
	return fault.Fields{
		"project": {
			Path: "spec.project", Value: w.project,
			Remedy: "Create the project at Aiven, give the token access to it, or recreate the object with another spec.project",
		},
		"vpc": vpc, "project vpc": vpc, "project_vpc_id": vpc,
	}
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
		"service_integrations":   fault.Fixed(pathIntegrations),
		"integration_type":       fault.Fixed(pathIntegrations),
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

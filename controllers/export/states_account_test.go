package export

import (
	"fmt"
	"math/rand/v2"
	"reflect"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

// randomProject are the fields of a project in both of the answers that have it.
func randomProject(r *rand.Rand, organization string) aiventest.Object {
	fields := aiventest.Object{
		"project_name": aiventest.Project, "project_id": aiventest.Project, "organization_id": organization, "account_id": "a1",
		"parent_id": pick(r, "a1", "org1"), "billing_group_id": "bg1", "base_port": 12000 + r.IntN(9), "default_cloud": pick(r, "google-europe-west1", ""),
		"tags": aiventest.Object{}, "tech_emails": some(r, aiventest.Object{"email": "Ops@example.com"}),
		"billing_emails": some(r, aiventest.Object{"email": "pay@example.com"}), "vat_id": "FI1", "country": "Finland", "country_code": "FI",
		"available_credits": "1.00", "estimated_balance": "12.50", "payment_method": "card",
		"card_info": aiventest.Object{"card_id": "card-1", "last4": "4242"},
	}
	if r.IntN(2) == 0 {
		fields["tags"] = aiventest.Object{randomName(r): randomName(r), "true": "007"}
	}
	return fields
}

func projectState(r *rand.Rand, a *aiventest.Aiven) int {
	project := randomProject(r, pick(r, "", "org1"))
	a.On("GET /v1/project/demo", aiventest.OK(aiventest.Object{"project": project}))
	a.On("GET /v1/project", aiventest.OK(aiventest.Object{"projects": []any{project}}))
	return 1
}

func organizationProjectState(r *rand.Rand, a *aiventest.Aiven) int {
	project := randomProject(r, "org1")
	a.On("GET /v1/project/demo", aiventest.OK(aiventest.Object{"project": project}))
	a.On("GET /v1/organization/org1/project/demo", aiventest.OK(project))
	a.On("GET /v1/organization/org1", aiventest.OK(aiventest.Object{"organization_id": "org1", "account_id": "a1"}))
	a.On("GET /v1/organization/org1/projects", aiventest.OK(aiventest.Object{"projects": []any{project}, "total_project_count": 1}))
	return 1
}

// vpcState is for VPCs in all states. Those that Aiven deletes aren't exported.
func vpcState(r *rand.Rand, a *aiventest.Aiven) int {
	listed, exported := []any{}, 0
	for i := range 1 + r.IntN(3) {
		state, id := pick(r, "ACTIVE", "ACTIVE", "APPROVED", "DELETING", "DELETED"), fmt.Sprint(i)
		vpc := aiventest.Object{
			"project_vpc_id": id, "cloud_name": pick(r, "aws-eu-west-1", "google-europe-west1"), "network_cidr": fmt.Sprintf("10.%d.0.0/24", i), "state": state,
			"create_time": "2026-01-01T00:00:00Z", "update_time": "2026-01-01T00:00:00Z", "peering_connections": []any{},
		}
		listed = append(listed, vpc)
		a.On("GET vpcs/"+id, aiventest.OK(vpc))
		if state != "DELETING" && state != "DELETED" {
			exported++
		}
	}
	a.On("GET vpcs", aiventest.OK(aiventest.Object{"vpcs": listed}))
	return exported
}

func stepState(r *rand.Rand, a *aiventest.Aiven) int {
	steps := []any{}
	for i := range r.IntN(4) {
		steps = append(steps, aiventest.Object{
			"step_id": fmt.Sprint(r.IntN(99)), "auto_validation_delay_days": r.IntN(3), "last_validation": nil,
			"source_project_name": aiventest.Project, "source_service_name": pick(r, "pg", "other"),
			"destination_project_name": pick(r, aiventest.Project, "production"), "destination_service_name": fmt.Sprintf("pg-%d", i),
		})
	}
	a.On("GET /v1/project/demo", aiventest.OK(aiventest.Object{"project": randomProject(r, "org1")}))
	a.On("GET /v1/organization/org1/upgrade-pipeline/steps", aiventest.OK(aiventest.Object{"steps": steps, "total_count": len(steps)}))
	return len(steps)
}

// integrationState is for integrations of a random type with random options, between services, and to an endpoint; of two that are
// the same, one is exported.
func integrationState(r *rand.Rand, a *aiventest.Aiven) int {
	links, of := []any{}, pick(r, integrationTypes...)
	for i := range 2 {
		link := aiventest.Object{
			"service_integration_id": fmt.Sprint(r.IntN(50) + 50*i), "integration_type": of, "active": true, "enabled": true, "source_project": aiventest.Project,
			"source_service": "my-pg", "dest_project": aiventest.Project, "dest_service": "my-kafka", "user_config": integrationOptions(r, of),
		}
		links = append(links, link)
	}
	other := aiventest.Object{
		"service_integration_id": "99", "integration_type": "rsyslog", "active": true, "enabled": true, "source_project": aiventest.Project,
		"source_service": "my-pg", "dest_project": aiventest.Project, "dest_service": nil, "dest_endpoint_id": "e", "user_config": aiventest.Object{},
	}
	inProject(a, aiventest.Object{"service_integrations": append(links, other)},
		aiventest.Object{"service_name": "my-kafka", "service_type": "kafka", "user_config": aiventest.Object{}, "service_integrations": links})
	return 2
}

func integrationOptions(r *rand.Rand, of string) aiventest.Object {
	return blockOptions(r, reflect.ValueOf(&v1alpha1.ServiceIntegrationSpec{}).Elem(), of)
}

// blockOptions are random options of a type of integration or endpoint, as Aiven reports them.
func blockOptions(r *rand.Rand, spec reflect.Value, of string) aiventest.Object {
	field, _ := block(spec, of)
	if !field.IsValid() || r.IntN(4) == 0 {
		return aiventest.Object{}
	}
	return randomTree(r, field.Type().Elem())
}

// endpointState is for an endpoint of each type, most of which have credentials.
func endpointState(r *rand.Rand, a *aiventest.Aiven) int {
	listed := []any{}
	for i, of := range endpointTypes() {
		endpoint := aiventest.Object{
			"endpoint_id": fmt.Sprint("e", i), "endpoint_name": of + " of " + randomName(r), "endpoint_type": of, "endpoint_config": aiventest.Object{},
			"user_config": blockOptions(r, reflect.ValueOf(&v1alpha1.ServiceIntegrationEndpointSpec{}).Elem(), of),
		}
		listed = append(listed, endpoint)
		a.On(fmt.Sprintf("GET integration_endpoint/e%d", i), aiventest.OK(aiventest.Object{"service_integration_endpoint": endpoint}))
	}
	a.On("GET integration_endpoint", aiventest.OK(aiventest.Object{"service_integration_endpoints": listed}))
	return len(listed)
}

package service

import (
	"encoding/json"
	"testing"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

func TestDiskMB(t *testing.T) {
	for name, tc := range map[string]struct {
		size string
		want int
		bad  bool
	}{
		"no size is left to the plan":        {size: "", want: 0},
		"GiB":                                {size: "90GiB", want: 92160},
		"G means GiB":                        {size: "90G", want: 92160},
		"a bare number means GiB":            {size: "90", want: 92160},
		"case doesn't matter":                {size: "90gIb", want: 92160},
		"a unit alone is refused":            {size: "GiB", bad: true},
		"another unit is refused":            {size: "90TiB", bad: true},
		"letters in another order":           {size: "90biG", bad: true},
		"nothing is refused":                 {size: "0", bad: true},
		"a negative size is refused":         {size: "-1G", bad: true},
		"a size beyond all reason is caught": {size: "99999999999999999999G", bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := diskMB(tc.size)
			assert.Equal(t, tc.want, got)
			if tc.bad {
				assert.Equal(t, fault.Invalid, fault.Of(err).Class)
				assert.ErrorContains(t, err, "spec.disk_space")
				return
			}
			require.NoError(t, err)
		})
	}
}

func TestClock(t *testing.T) {
	for given, want := range map[string]string{
		"": "", "3am": "3am", "noon:30": "noon:30", "9:00": "09:00:00", "09:00": "09:00:00", "09:00:00": "09:00:00", "9": "09:00:00", "23:59:59": "23:59:59",
	} {
		assert.Equal(t, want, clock(given), "for %q", given)
	}
}

func TestAppliedAsync(t *testing.T) {
	for path, want := range map[string]bool{
		"spec.plan": true, "spec.cloudName": true, "spec.projectVpcId": true, "spec.disk_space": true, "spec.powered": true,
		"spec.userConfig.pg_version": true, "spec.userConfig.pg.log_version": false, "spec.userConfig.ip_filter": false,
		"spec.tags": false, "spec.technicalEmails": false, "spec.maintenanceWindowDow": false,
		"spec.terminationProtection": false,
	} {
		assert.Equal(t, want, appliedAsync(path), path)
	}
}

func found() *aiven.Service {
	return &aiven.Service{
		Project: "demo", Name: "my-pg", Type: "pg", Plan: "startup-4", Cloud: "google-europe-west1", State: aiven.StateRunning,
		ProjectVPCID: "vpc-1", DiskSpaceMB: 81920, Maintenance: aiven.Maintenance{Dow: "sunday", Time: "03:00:00"},
		Tags: map[string]string{"team": "orders"}, TechEmails: []string{"b@example.com", "a@example.com"},
		UserConfig: map[string]any{"backup_hour": 3.0, "pg_version": "17"}, Integrations: []aiven.Integration{},
	}
}

func TestCompare(t *testing.T) {
	tags := map[string]string{"team": "orders"}
	for name, tc := range map[string]struct {
		wants     desired
		found     func(*aiven.Service)
		paths     []string
		writeOnly []string
	}{
		"what the spec leaves open isn't compared": {
			wants: desired{powered: true, tags: tags},
		},
		"the same everywhere": {
			wants: desired{
				powered: true, plan: "startup-4", cloud: "google-europe-west1", vpc: "vpc-1", diskMB: 81920, day: "sunday",
				time: "3:00", protection: ptr.To(false), tags: tags, emails: []string{"A@example.com", "b@example.com"},
				update: map[string]any{"backup_hour": 3, "pg_version": "17"},
			},
		},
		"another one everywhere": {
			wants: desired{
				plan: "startup-8", cloud: "aws-eu-west-1", vpc: "vpc-2", diskMB: 92160, day: "monday", time: "04:00:00",
				protection: ptr.To(true), tags: map[string]string{}, emails: []string{"c@example.com"},
				update: map[string]any{"backup_hour": 4},
			},
			paths: []string{
				"spec.plan", "spec.cloudName", "spec.projectVpcId", "spec.disk_space", "spec.maintenanceWindowDow",
				"spec.maintenanceWindowTime", "spec.terminationProtection", "spec.powered", "spec.tags",
				"spec.technicalEmails", "spec.userConfig.backup_hour",
			},
		},
		"tags that the spec has and Aiven hasn't": {
			wants: desired{powered: true, tags: map[string]string{"team": "orders", "tier": "1"}},
			paths: []string{"spec.tags"},
		},
		"no tags on either side": {
			wants: desired{powered: true, tags: map[string]string{}},
			found: func(s *aiven.Service) { s.Tags = nil },
		},
		"off, and to be on": {
			wants: desired{powered: true, tags: tags},
			found: func(s *aiven.Service) { s.State = aiven.StatePoweroff },
			paths: []string{"spec.powered"},
		},
		"off, and to be off": {
			wants: desired{tags: tags},
			found: func(s *aiven.Service) { s.State = aiven.StatePoweroff },
		},
		"options that can only be chosen at creation": {
			wants: desired{powered: true, tags: tags, create: map[string]any{"admin_username": "root"}},
		},
		"options that Aiven doesn't report": {
			wants:     desired{powered: true, tags: tags, update: map[string]any{"shared_buffers_percentage": 30}},
			writeOnly: []string{"spec.userConfig.shared_buffers_percentage"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := found()
			if tc.found != nil {
				tc.found(s)
			}
			diff, writeOnly := tc.wants.compare(s)
			assert.ElementsMatch(t, tc.paths, diff.Paths())
			assert.Equal(t, tc.writeOnly, writeOnly)
		})
	}
}

func body(t *testing.T, request any) string {
	raw, err := json.Marshal(request)
	require.NoError(t, err)
	return string(raw)
}

func TestCreateRequest(t *testing.T) {
	source := "main"
	for name, tc := range map[string]struct {
		wants desired
		want  string
	}{
		"the least, and the VPC is named even if there is none": {
			wants: desired{name: "my-pg", plan: "hobbyist", powered: true, tags: map[string]string{}},
			want:  `{"plan":"hobbyist","project_vpc_id":null,"service_name":"my-pg","service_type":"pg"}`,
		},
		"everything": {
			wants: desired{
				name: "my-pg", plan: "startup-4", cloud: "aws", vpc: "vpc-1", diskMB: 1024, day: "monday", time: "9:00",
				protection: ptr.To(true), tags: map[string]string{"a": "b"}, emails: []string{"a@example.com"},
				create: map[string]any{"admin_password": userconfig.NewSecret("hunter2hunter2")},
				update: map[string]any{"backup_hour": 1},
				integrations: []avnservice.ServiceIntegrationIn{
					{IntegrationType: avnservice.IntegrationTypeReadReplica, SourceService: &source},
				},
			},
			want: `{"cloud":"aws","disk_space_mb":1024,"maintenance":{"dow":"monday","time":"09:00:00"},
				"plan":"startup-4","project_vpc_id":"vpc-1",
				"service_integrations":[{"integration_type":"read_replica","source_service":"main"}],
				"service_name":"my-pg","service_type":"pg","tags":{"a":"b"},"tech_emails":[{"email":"a@example.com"}],
				"termination_protection":true,"user_config":{"admin_password":"hunter2hunter2"}}`,
		},
		"half a maintenance window": {
			wants: desired{name: "my-pg", plan: "startup-4", day: "monday"},
			want: `{"maintenance":{"dow":"monday"},"plan":"startup-4","project_vpc_id":null,"service_name":"my-pg",
				"service_type":"pg"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.JSONEq(t, tc.want, body(t, tc.wants.createRequest("pg")))
		})
	}
}

func TestUpdateRequest(t *testing.T) {
	for name, tc := range map[string]struct {
		wants desired
		found func(*aiven.Service)
		want  string
	}{
		"the VPC that the service is in is named, or it would leave it": {
			wants: desired{plan: "startup-4", powered: true},
			want:  `{"plan":"startup-4","powered":true,"project_vpc_id":"vpc-1"}`,
		},
		"another VPC": {
			wants: desired{plan: "startup-4", powered: true, vpc: "vpc-2"},
			want:  `{"plan":"startup-4","powered":true,"project_vpc_id":"vpc-2"}`,
		},
		"power off": {
			wants: desired{plan: "startup-4"},
			want:  `{"plan":"startup-4","powered":false,"project_vpc_id":"vpc-1"}`,
		},
		"half a maintenance window is completed with Aiven's half": {
			wants: desired{plan: "startup-4", powered: true, day: "monday"},
			want: `{"maintenance":{"dow":"monday","time":"03:00:00"},"plan":"startup-4","powered":true,
				"project_vpc_id":"vpc-1"}`,
		},
		"options that can be changed, an empty list among them": {
			wants: desired{
				plan: "startup-4", powered: true, create: map[string]any{"admin_username": "root"},
				update: map[string]any{"ip_filter": []any{}},
			},
			want: `{"plan":"startup-4","powered":true,"project_vpc_id":"vpc-1","user_config":{"ip_filter":[]}}`,
		},
		"a disk beside an autoscaler is left to it": {
			wants: desired{plan: "startup-4", powered: true, diskMB: 92160},
			found: func(s *aiven.Service) {
				s.Integrations = []aiven.Integration{{IntegrationType: avnservice.IntegrationTypeAutoscaler}}
			},
			want: `{"plan":"startup-4","powered":true,"project_vpc_id":"vpc-1"}`,
		},
		"a disk beside what may be an autoscaler is left to it": {
			wants: desired{plan: "startup-4", powered: true, diskMB: 92160},
			found: func(s *aiven.Service) { s.Integrations = nil },
			want:  `{"plan":"startup-4","powered":true,"project_vpc_id":"vpc-1"}`,
		},
		"a disk": {
			wants: desired{plan: "startup-4", powered: true, diskMB: 92160},
			want:  `{"disk_space_mb":92160,"plan":"startup-4","powered":true,"project_vpc_id":"vpc-1"}`,
		},
		"what is off already isn't powered off again, which Aiven refuses of a protected service": {
			wants: desired{plan: "startup-8", protection: ptr.To(true)},
			found: func(s *aiven.Service) { s.State = aiven.StatePoweroff },
			want:  `{"plan":"startup-8","project_vpc_id":"vpc-1","termination_protection":true}`,
		},
		"power on": {
			wants: desired{plan: "startup-4", powered: true},
			found: func(s *aiven.Service) { s.State = aiven.StatePoweroff },
			want:  `{"plan":"startup-4","powered":true,"project_vpc_id":"vpc-1"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := found()
			if tc.found != nil {
				tc.found(s)
			}
			assert.JSONEq(t, tc.want, body(t, tc.wants.updateRequest(s)))
		})
	}
}

func TestNamesThatNoServiceCanHave(t *testing.T) {
	for name, valid := range map[string]bool{
		"my-pg": true, "a": true, "p0": true, "0pg": false, "my.pg": false, "-pg": false,
		"a23456789012345678901234567890123456789012345678901234567890abcd":  true,
		"a23456789012345678901234567890123456789012345678901234567890abcde": false,
	} {
		c := &controller[*v1alpha1.PostgreSQL]{Definition: definition()}
		_, err := c.desired(&v1alpha1.PostgreSQL{ObjectMeta: metav1.ObjectMeta{Name: name}})
		if valid {
			assert.NoError(t, err, name)
			continue
		}
		assert.Equal(t, fault.Invalid, fault.Of(err).Class, name)
		assert.ErrorContains(t, err, "metadata.name")
	}
}

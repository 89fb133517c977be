package localaiven

// dashboards is the component and the key of user_config of the web interface of OpenSearch.
const dashboards = "opensearch_dashboards"

func openSearch() *kind {
	return &kind{
		name: kindOpenSearch, description: "OpenSearch - Search & Analyze Data in Real Time, derived from Elasticsearch v7.10.2",
		families: nodes(1, 3, 6).with(small), versionKey: "opensearch_version", version: "3.6",
		ports: []string{kindOpenSearch}, extras: []string{dashboards},
		connect: (*service).connectOpenSearch,
	}
}

type openSearchInfo struct {
	OpenSearch    []string `json:"opensearch"`
	DashboardsURI *string  `json:"opensearch_dashboards_uri"`
	Password      string   `json:"opensearch_password"`
	Username      string   `json:"opensearch_username"`
}

func (svc *service) connectOpenSearch(b *serviceBody, secrets bool) {
	admin := svc.admin()
	password := admin.shown(secrets)
	uri := webURI(admin.name, password, svc.endpoints[kindOpenSearch])
	svc.connectWeb(b, uri, secrets)
	info := openSearchInfo{[]string{uri}, nil, password, admin.name}
	if svc.hasDashboards() {
		at := svc.endpoints[dashboards]
		dashboardsURI := webURI(admin.name, password, at)
		info.DashboardsURI = &dashboardsURI
		b.Components = append(b.Components, newComponent(dashboards, at))
	}
	b.ConnectionInfo = info
}

// hasDashboards reports whether there is a web interface. There is, unless user_config says otherwise.
func (svc *service) hasDashboards() bool {
	set, _ := svc.userConfig[dashboards].(map[string]any)
	enabled, given := set["enabled"].(bool)
	return enabled || !given
}

package serviceintegration

// Endpoint is something outside of Aiven that services can be integrated with.
type Endpoint struct {
	EndpointConfig map[string]any `json:"endpoint_config"`
	EndpointID     string         `json:"endpoint_id"`
	EndpointName   string         `json:"endpoint_name"`
	EndpointType   string         `json:"endpoint_type"`
	UserConfig     map[string]any `json:"user_config"`
}

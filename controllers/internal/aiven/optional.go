package aiven

// Optional is nil for the zero value, which is how a spec leaves something open and a request leaves it out.
func Optional[V comparable](v V) *V {
	var open V
	if v == open {
		return nil
	}
	return &v
}

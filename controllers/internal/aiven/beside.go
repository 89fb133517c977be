package aiven

// beside is the answer to a call about a service, and the read of the service that it belongs to.
type beside struct {
	of    *Service
	value any
}

// Beside makes a call about a service that was read, once for each read of it: where an attempt then has no turn for another
// call, the next attempt gets the same read, and this answer. Errors aren't kept. The answer must not be changed.
func Beside[T any](c *Client, s *Service, operation string, call func() (T, error)) (T, error) {
	key := ServiceKey{Project: s.Project, Service: s.Name}
	c.mu.Lock()
	known := c.snapshot(key).beside[operation]
	c.mu.Unlock()
	if value, ok := known.value.(T); ok && known.of == s {
		return value, nil
	}
	value, err := call()
	if err != nil {
		return value, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.snapshot(key)
	if kept.beside == nil {
		kept.beside = map[string]beside{}
	}
	kept.beside[operation] = beside{of: s, value: value}
	return value, nil
}

package localaiven

// migrationGet says how far the migration in user_config is: there is no source to read from, so it is done as soon as
// the service runs.
func (s *Server) migrationGet(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	config, ok := svc.userConfig["migration"].(map[string]any)
	if !ok {
		return nil, notFound("Migration")
	}
	method, ok := config["method"].(string)
	if !ok || method == "dump" {
		method = svc.kind.dump
	}
	status := "done"
	if svc.state(s.clock.Now()) != stateRunning {
		status = "running"
	}
	return map[string]any{
		"migration":        map[string]string{"method": method, "status": status},
		"migration_detail": []map[string]string{{"dbname": svc.kind.database, "method": method, "status": status}},
	}, nil
}

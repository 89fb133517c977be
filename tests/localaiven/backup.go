package localaiven

import "time"

type backup struct {
	BackupName string `json:"backup_name"`
	BackupTime string `json:"backup_time"`
	DataSize   int    `json:"data_size"`
}

// backups are the one that Aiven takes of a new service, where it takes any, or those that were set at the console. The caller holds mu.
func (svc *service) backups() []backup {
	taken := []time.Time{svc.created}
	if svc.notices.backupTimes != nil {
		taken = svc.notices.backupTimes
	}
	out := []backup{}
	for _, t := range taken {
		if !svc.noBackups {
			out = append(out, backup{
				BackupName: t.Format("2006-01-02_15-04") + "_0.00000000.pghoard", BackupTime: timestamp(t), DataSize: 32 << 20,
			})
		}
	}
	return out
}

func (s *Server) backupsGet(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	return map[string]any{
		"backups": svc.backups(),
		"scheduled_backup_time": map[string]int{
			"backup_hour": svc.created.Hour(), "backup_minute": svc.created.Minute(),
			"backup_interval_hours": int((24 * time.Hour).Hours()),
		},
	}, nil
}

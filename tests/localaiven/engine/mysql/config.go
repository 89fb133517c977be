package mysql

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aero-operator/aero/tests/localaiven/engine/daemon"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

// sqlMode is MySQL's own. The scripts that make the system's tables are written for MariaDB's.
const sqlMode = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"

// config is that of a small server whose data needn't survive a crash: dozens of them share one laptop.
func config(s *daemon.Server) string {
	settings := [][2]string{
		{"datadir", s.Path("data")},
		{"tmpdir", s.Path("tmp")},
		{"socket", s.Socket},
		{"pid-file", s.Path("pid")},
		{"bind-address", strings.Join(process.Addresses(), ",")},
		{"skip-name-resolve", "ON"},
		{"ssl-cert", s.Cert()},
		{"ssl-key", s.Key()},
		{"require-secure-transport", "ON"},
		{"local-infile", "OFF"},
		{"character-set-server", "utf8mb4"},
		{"collation-server", "utf8mb4_unicode_520_ci"},
		{"max-connections", "100"},
		{"performance-schema", "OFF"},
		{"key-buffer-size", "1M"},
		{"aria-pagecache-buffer-size", "1M"},
		{"aria-log-file-size", "8M"},
		{"table-open-cache", "64"},
		{"table-definition-cache", "400"},
		{"query-cache-size", "0"},
		{"innodb-buffer-pool-size", "8M"},
		{"innodb-buffer-pool-dump-at-shutdown", "OFF"},
		{"innodb-buffer-pool-load-at-startup", "OFF"},
		{"innodb-log-file-size", "4M"},
		{"innodb-data-file-path", "ibdata1:2M:autoextend"},
		{"innodb-temp-data-file-path", "ibtmp1:1M:autoextend"},
		{"innodb-autoextend-increment", "1"},
		{"innodb-undo-tablespaces", "0"},
		{"innodb-flush-method", "nosync"},
		{"innodb-flush-log-at-trx-commit", "0"},
		{"innodb-doublewrite", "0"},
		// Kernel rings count against a limit that is tiny in containers.
		{"innodb-use-native-aio", "0"},
		{"innodb-purge-threads", "1"},
	}
	var conf strings.Builder
	conf.WriteString("[mariadbd]\n")
	for _, setting := range settings {
		conf.WriteString(setting[0] + "=" + quote(setting[1]) + "\n")
	}
	return conf.String()
}

func quote(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// shares are where distributions put the scripts that make the system's tables.
var shares = []string{"/usr/share/mysql", "/usr/share/mariadb", "/opt/homebrew/share/mysql", "/opt/homebrew/share/mariadb"}

// scripts are the statements that make the system's tables. Newer versions call the files mariadb, not mysql.
func scripts() (string, error) {
	for _, share := range shares {
		for _, prefix := range []string{"mysql_", "mariadb_"} {
			var all strings.Builder
			for _, name := range []string{
				prefix + "system_tables.sql", prefix + "performance_tables.sql", prefix + "system_tables_data.sql",
				"maria_add_gis_sp_bootstrap.sql", prefix + "sys_schema.sql",
			} {
				content, err := os.ReadFile(filepath.Join(share, name))
				if errors.Is(err, fs.ErrNotExist) {
					all.Reset()
					break
				}
				if err != nil {
					return "", err
				}
				all.Write(content)
			}
			if all.Len() > 0 {
				return all.String(), nil
			}
		}
	}
	return "", errors.New(missing)
}

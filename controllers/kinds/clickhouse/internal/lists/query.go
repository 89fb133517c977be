package lists

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	avnclickhouse "github.com/aiven/go-client-codegen/handler/clickhouse"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/resource"
)

// SystemDatabase has the tables of users, roles and grants. No query needs another one: names are qualified.
const SystemDatabase = "system"

// Quote writes a name in SQL as an identifier, whatever characters it has.
func Quote(name string) string {
	var quoted strings.Builder
	quoted.WriteByte('`')
	for _, char := range name {
		switch {
		case char == '`', char == '\\':
			quoted.WriteByte('\\')
			quoted.WriteRune(char)
		case char < ' ', char == '\x7f':
			fmt.Fprintf(&quoted, `\x%02X`, char)
		default:
			quoted.WriteRune(char)
		}
	}
	quoted.WriteByte('`')
	return quoted.String()
}

// Execute runs a statement that changes something. Every name in it has to be quoted.
func Execute(ctx context.Context, s resource.Scope, statement string) error {
	_, err := run(ctx, s, statement)
	return err
}

// selectFrom reads columns of all rows of a system table. R is a struct whose JSON names are the columns, with pointers for
// those that can be NULL. An answer that doesn't hold these columns is an error: it says nothing about what exists.
func selectFrom[R any](ctx context.Context, s resource.Scope, table string, columns ...string) ([]R, error) {
	answer, err := run(aiven.WithRead(ctx), s, "SELECT "+strings.Join(columns, ", ")+" FROM "+SystemDatabase+"."+table)
	if err != nil {
		return nil, err
	}
	rows, err := decodeRows[R](answer, columns)
	if err != nil {
		return nil, fmt.Errorf("reading table %s.%s: %w", SystemDatabase, table, err)
	}
	return rows, nil
}

func run(ctx context.Context, s resource.Scope, statement string) (*avnclickhouse.ServiceClickHouseQueryOut, error) {
	in := &avnclickhouse.ServiceClickHouseQueryIn{Database: SystemDatabase, Query: statement}
	return s.Client.API().ServiceClickHouseQuery(ctx, s.Project, s.ServiceName, in)
}

// decodeRows returns nil if the answer holds no rows, not even an empty list.
func decodeRows[R any](answer *avnclickhouse.ServiceClickHouseQueryOut, columns []string) ([]R, error) {
	found := make([]string, 0, len(answer.Meta))
	for _, column := range answer.Meta {
		found = append(found, column.Name)
	}
	if !slices.Equal(found, columns) {
		return nil, fmt.Errorf("the answer has the columns %q instead of %q", found, columns)
	}
	if answer.Data == nil {
		return nil, nil
	}
	rows := make([]R, len(answer.Data))
	for i, values := range answer.Data {
		if len(values) != len(columns) {
			return nil, fmt.Errorf("row %d of the answer has %d columns instead of %d", i, len(values), len(columns))
		}
		fields := make(map[string]any, len(columns))
		for at, column := range columns {
			fields[column] = values[at]
		}
		raw, err := json.Marshal(fields)
		if err == nil {
			err = json.Unmarshal(raw, &rows[i])
		}
		if err != nil {
			return nil, fmt.Errorf("decoding row %d of the answer: %w", i, err)
		}
	}
	return rows, nil
}

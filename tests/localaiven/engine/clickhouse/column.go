package clickhouse

import (
	"fmt"
	"strings"

	"github.com/ClickHouse/ch-go/proto"
	"github.com/google/uuid"

	"github.com/aero-operator/aero/tests/localaiven/clickhousesql"
)

// column is one that values can be added to.
type column struct {
	proto.ColInput
	add func(any) error
}

// encode turns rows into columns.
func encode(result clickhousesql.Result) ([]proto.InputColumn, error) {
	out := make([]proto.InputColumn, 0, len(result.Columns))
	for i, c := range result.Columns {
		data, err := newColumn(c.Type)
		if err != nil {
			return nil, err
		}
		for _, row := range result.Rows {
			if err := data.add(row[i]); err != nil {
				return nil, fmt.Errorf("column %s of type %s: %w", c.Name, c.Type, err)
			}
		}
		out = append(out, proto.InputColumn{Name: c.Name, Data: data.ColInput})
	}
	return out, nil
}

func newColumn(kind string) (column, error) {
	switch kind {
	case "String":
		to := &proto.ColStr{}
		return column{to, adder(to.Append)}, nil
	case "Nullable(String)":
		to := proto.NewColNullable[string](&proto.ColStr{})
		return column{to, func(v any) error {
			text, ok := v.(string)
			to.Append(proto.Nullable[string]{Value: text, Set: ok})
			return nil
		}}, nil
	case "UInt8":
		to := &proto.ColUInt8{}
		return column{to, adder(func(n uint64) { to.Append(uint8(n)) })}, nil // that's what its type says
	case "UInt64":
		to := &proto.ColUInt64{}
		return column{to, adder(to.Append)}, nil
	case "UUID":
		to := &proto.ColUUID{}
		return column{to, func(v any) error {
			id, err := uuid.Parse(fmt.Sprint(v))
			to.Append(id)
			return err
		}}, nil
	}
	if kind == "Array(String)" {
		to := proto.NewArray[string](&proto.ColStr{})
		return column{to, adder(to.Append)}, nil
	}
	if inner, ok := strings.CutPrefix(kind, "Nullable("); ok {
		return nullableEnum(strings.TrimSuffix(inner, ")"))
	}
	if strings.HasPrefix(kind, "Enum") {
		to := &proto.ColEnum{}
		return column{to, adder(to.Append)}, to.Infer(proto.ColumnType(kind))
	}
	return column{}, fmt.Errorf("type %s has no column", kind)
}

// nullableEnum is a column of an Enum and NULLs, for which it has to have a value, too: the first of its own.
func nullableEnum(kind string) (column, error) {
	values := &proto.ColEnum{}
	if err := values.Infer(proto.ColumnType(kind)); err != nil {
		return column{}, err
	}
	_, first, _ := strings.Cut(kind, "'")
	first, _, _ = strings.Cut(first, "'")
	to := proto.NewColNullable[string](values)
	return column{to, func(v any) error {
		text, ok := v.(string)
		if !ok {
			text = first
		}
		to.Append(proto.Nullable[string]{Value: text, Set: ok})
		return nil
	}}, nil
}

// adder adds values of one type.
func adder[T any](add func(T)) func(any) error {
	return func(v any) error {
		value, ok := v.(T)
		if !ok {
			return fmt.Errorf("a value is %T", v)
		}
		add(value)
		return nil
	}
}

package clickhousesql

import (
	"fmt"
	"slices"
)

func (s *selection) run(r *run) (Result, *Error) {
	source := Result{Rows: [][]any{{}}}
	if s.from != nil {
		from := s.from.in(r.session)
		var err *Error
		if source, err = r.table(from); err != nil {
			return Result{}, err
		}
		if from.database != systemDatabase { // whose tables ask for themselves
			if err := s.mayRead(r, from, source.Columns); err != nil {
				return Result{}, err
			}
		}
	}
	rows, err := s.matching(r, source)
	if err != nil {
		return Result{}, err
	}
	head := row{run: r, columns: source.Columns}
	if s.counts() {
		all := uint64(len(rows))
		head = row{run: r, all: &all}
		rows = []row{head}
	} else if err := s.sort(rows); err != nil {
		return Result{}, err
	}
	out, err := s.project(head, rows)
	if err != nil {
		return Result{}, err
	}
	out.Rows = s.page(out.Rows)
	return out, nil
}

// matching are the rows that the condition lets through.
func (s *selection) matching(r *run, source Result) ([]row, *Error) {
	nothing := row{run: r, columns: source.Columns, values: make([]any, len(source.Columns))}
	for _, e := range s.conditions() { // a wrong name is wrong even where there are no rows
		if _, err := e.value(nothing); err != nil {
			return nil, err
		}
	}
	var out []row
	for _, values := range source.Rows {
		one := row{run: r, columns: source.Columns, values: values}
		if s.where != nil {
			holds, err := s.where.value(one)
			if err != nil {
				return nil, err
			}
			if !isTrue(holds) {
				continue
			}
		}
		out = append(out, one)
	}
	return out, nil
}

func (s *selection) conditions() []expression {
	var out []expression
	if s.where != nil {
		out = append(out, s.where)
	}
	for _, by := range s.order {
		out = append(out, by.expression)
	}
	return out
}

// counts reports whether the result is one row about all others.
func (s *selection) counts() bool {
	return slices.ContainsFunc(s.items, func(i item) bool { f, ok := i.expression.(function); return ok && f.counts })
}

// sort puts NULLs last, whatever the direction.
func (s *selection) sort(rows []row) *Error {
	var failed *Error
	slices.SortStableFunc(rows, func(x, y row) int {
		for _, by := range s.order {
			a, b, known, err := pairOf(by.expression, x, y)
			if err != nil {
				failed = err
				return 0
			}
			order := compareBool(a == nil, b == nil)
			if known {
				if order, err = compare(a, b); err != nil {
					failed = err
				}
				if by.descending {
					order = -order
				}
			}
			if order != 0 {
				return order
			}
		}
		return 0
	})
	return failed
}

// pairOf are the values of one expression in two rows.
func pairOf(e expression, x, y row) (a, b any, known bool, err *Error) {
	if a, err = e.value(x); err != nil {
		return nil, nil, false, err
	}
	b, err = e.value(y)
	return a, b, a != nil && b != nil, err
}

// project makes the columns of the result. head has what every row has.
func (s *selection) project(head row, rows []row) (Result, *Error) {
	out := Result{Rows: [][]any{}}
	var items []item
	for _, i := range s.items {
		if i.expression != nil {
			items = append(items, i)
			continue
		}
		if len(head.columns) == 0 {
			return out, Errorf(CodeUnknownIdentifier, "Unknown expression identifier `*`: there is no table to take columns from")
		}
		for _, c := range head.columns {
			items = append(items, item{column{c.Name}, c.Name})
		}
	}
	for _, i := range items {
		kind, err := i.columnType(head)
		if err != nil {
			return out, err
		}
		out.Columns = append(out.Columns, Column{i.name, kind})
	}
	seen := map[string]bool{}
	for _, r := range rows {
		var values []any
		for _, i := range items {
			v, err := i.value(r)
			if err != nil {
				return out, err
			}
			values = append(values, v)
		}
		if key := fmt.Sprintf("%q", values); !s.distinct || !seen[key] {
			seen[key] = true
			out.Rows = append(out.Rows, values)
		}
	}
	return out, nil
}

func (s *selection) page(rows [][]any) [][]any {
	rows = rows[min(s.offset, uint64(len(rows))):]
	if s.limit != nil {
		rows = rows[:min(*s.limit, uint64(len(rows)))]
	}
	return rows
}

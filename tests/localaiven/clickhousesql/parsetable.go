package clickhousesql

import (
	"slices"
)

func (p *parser) createTable() (Statement, *Error) {
	s := createTable{ifNotExists: p.words("IF NOT EXISTS")}
	name, err := p.table()
	if err != nil {
		return nil, err
	}
	s.name = *name
	if err := p.cluster(); err != nil {
		return nil, err
	}
	if err := p.expectSymbol("("); err != nil {
		return nil, err
	}
	if s.columns, err = list(p, p.columnDefinition); err != nil {
		return nil, err
	}
	if err := p.expectSymbol(")"); err != nil {
		return nil, err
	}
	return s, p.storage()
}

// columnTypes are those that a column of a table may have.
var columnTypes = []string{typeString, typeUInt8, typeUInt64}

func (p *parser) columnDefinition() (Column, *Error) {
	name, err := p.name()
	if err != nil {
		return Column{}, err
	}
	kind, err := p.name()
	if err == nil && !slices.Contains(columnTypes, kind) {
		err = notImplemented("type " + kind)
	}
	return Column{name, kind}, err
}

// storage passes over how a table is stored: there is one way only.
func (p *parser) storage() *Error {
	if p.words("ENGINE") {
		p.symbol("=")
		if _, err := p.name(); err != nil {
			return err
		}
		if p.symbol("(") != "" {
			if err := p.expectSymbol(")"); err != nil {
				return err
			}
		}
	}
	if !p.words("ORDER BY") {
		return nil
	}
	p.words("tuple")
	if p.symbol("(") == "" {
		_, err := p.name()
		return err
	}
	if p.symbol(")") != "" {
		return nil
	}
	if _, err := list(p, p.name); err != nil {
		return err
	}
	return p.expectSymbol(")")
}

func (p *parser) dropTable() (Statement, *Error) {
	s := dropTable{ifExists: p.words("IF EXISTS")}
	name, err := p.table()
	if err != nil {
		return nil, err
	}
	s.name = *name
	return s, p.cluster()
}

// insert reads rows that are in the query itself. Others would follow it in a form of their own.
func (p *parser) insert() (Statement, *Error) {
	p.words("TABLE")
	name, err := p.table()
	if err != nil {
		return nil, err
	}
	s := insert{into: *name}
	if s.columns, err = p.columns(); err != nil {
		return nil, err
	}
	if !p.words("VALUES") || p.peek().kind == tokenEnd {
		return nil, notImplemented("INSERT without values")
	}
	s.rows, err = list(p, p.values)
	return s, err
}

func (p *parser) values() ([]any, *Error) {
	if err := p.expectSymbol("("); err != nil {
		return nil, err
	}
	row, err := list(p, func() (any, *Error) {
		e, err := p.operand()
		if err != nil {
			return nil, err
		}
		value, ok := e.(literal)
		if !ok {
			return nil, notImplemented("an expression among values")
		}
		return value.is, nil
	})
	if err != nil {
		return nil, err
	}
	return row, p.expectSymbol(")")
}

func (t tableName) String() string { return quote(t.database) + "." + quote(t.name) }

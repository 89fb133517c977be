package clickhousesql

import (
	"strconv"
	"strings"
)

func (p *parser) selection() (Statement, *Error) {
	s := &selection{distinct: p.words("DISTINCT")}
	var err *Error
	if s.items, err = list(p, p.item); err != nil {
		return nil, err
	}
	if p.words("FROM") {
		if s.from, err = p.table(); err != nil {
			return nil, err
		}
	}
	if p.words("WHERE") {
		if s.where, err = p.expression(); err != nil {
			return nil, err
		}
	}
	if p.words("ORDER BY") {
		if s.order, err = list(p, p.ordering); err != nil {
			return nil, err
		}
	}
	return s, p.limits(s)
}

func (p *parser) limits(s *selection) *Error {
	if p.words("LIMIT") {
		n, err := p.count()
		if err != nil {
			return err
		}
		s.limit = &n
	}
	if p.words("OFFSET") {
		n, err := p.count()
		if err != nil {
			return err
		}
		s.offset = n
	}
	return nil
}

func (p *parser) count() (uint64, *Error) {
	n, err := strconv.ParseUint(p.peek().text, 10, 64)
	if p.peek().kind != tokenNumber || err != nil {
		return 0, p.fail("a number")
	}
	p.at++
	return n, nil
}

func (p *parser) item() (item, *Error) {
	if p.symbol("*") != "" {
		return item{}, nil
	}
	start := p.at
	e, err := p.expression()
	if err != nil {
		return item{}, err
	}
	out := item{e, p.written(start)}
	if p.words("AS") {
		out.name, err = p.name()
	}
	return out, err
}

// written is what was read since a token, which names a column without a name.
func (p *parser) written(start int) string {
	var out strings.Builder
	for _, t := range p.tokens[start:p.at] {
		if t.kind == tokenString {
			out.WriteString("'" + strings.ReplaceAll(escaper.Replace(t.text), "'", "\\'") + "'")
			continue
		}
		out.WriteString(t.text)
	}
	return out.String()
}

func (p *parser) table() (*tableName, *Error) {
	if p.symbol("(") != "" {
		return nil, notImplemented("a subquery")
	}
	first, err := p.name()
	if err != nil || p.symbol(".") == "" {
		return &tableName{name: first}, err
	}
	second, err := p.name()
	return &tableName{first, second}, err
}

func (p *parser) ordering() (ordering, *Error) {
	e, err := p.expression()
	descending := p.words("DESC") || p.words("DESCENDING")
	if !descending && !p.words("ASC") {
		p.words("ASCENDING")
	}
	return ordering{e, descending}, err
}

// expression reads what OR binds, the weakest.
func (p *parser) expression() (expression, *Error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return nil, Errorf(CodeTooDeep, "Maximum parse depth (%d) exceeded", maxDepth)
	}
	return p.chain("OR", func() (expression, *Error) { return p.chain("AND", p.negation) })
}

// chain reads one or more with a keyword between.
func (p *parser) chain(keyword string, one func() (expression, *Error)) (expression, *Error) {
	left, err := one()
	if err != nil {
		return nil, err
	}
	for p.words(keyword) {
		right, err := one()
		if err != nil {
			return nil, err
		}
		left = logic{keyword == "OR", left, right}
	}
	return left, nil
}

func (p *parser) negation() (expression, *Error) {
	negated := false
	for p.words("NOT") {
		negated = !negated
	}
	e, err := p.comparison()
	if negated {
		e = not{e}
	}
	return e, err
}

func (p *parser) comparison() (expression, *Error) {
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	if operator := p.symbol("=", "==", "!=", "<>", "<", "<=", ">", ">="); operator != "" {
		right, err := p.operand()
		return comparison{operator, left, right}, err
	}
	if p.words("IS") {
		negated := p.words("NOT")
		return negate(isNull{left}, negated), p.expectWords("NULL")
	}
	negated := p.words("NOT")
	switch {
	case p.words("IN"):
		return p.in(left, negated)
	case p.words("LIKE"):
		pattern, err := p.operand()
		return negate(like{left, pattern, false}, negated), err
	case p.words("ILIKE"):
		pattern, err := p.operand()
		return negate(like{left, pattern, true}, negated), err
	case negated:
		return nil, p.fail("IN, LIKE or ILIKE")
	}
	return left, nil
}

func negate(e expression, negated bool) expression {
	if negated {
		return not{e}
	}
	return e
}

// in reads a list in parentheses, in brackets as an array, or in both.
func (p *parser) in(left expression, negated bool) (expression, *Error) {
	inParentheses := p.symbol("(") != ""
	inBrackets := p.symbol("[") != ""
	switch {
	case !inParentheses && !inBrackets:
		return nil, p.fail("(")
	case p.words("SELECT"):
		return nil, notImplemented("a subquery")
	}
	of, err := list(p, p.operand)
	if err == nil && inBrackets {
		err = p.expectSymbol("]")
	}
	if err == nil && inParentheses {
		err = p.expectSymbol(")")
	}
	return negate(in{left, of}, negated), err
}

// operand reads a literal, a column, a function, or an expression in parentheses.
func (p *parser) operand() (expression, *Error) {
	t := p.peek()
	switch {
	case p.symbol("(") != "":
		e, err := p.expression()
		if err != nil {
			return nil, err
		}
		return e, p.expectSymbol(")")
	case t.kind == tokenString:
		p.at++
		return literal{t.text}, nil
	case t.kind == tokenNumber:
		n, err := p.count()
		return literal{n}, err
	case p.words("NULL"):
		return literal{nil}, nil
	case p.words("SELECT"):
		return nil, notImplemented("a subquery")
	}
	name, err := p.name()
	if err != nil {
		return nil, p.fail("an expression")
	}
	if t.kind == tokenWord && p.symbol("(") != "" {
		return p.call(name)
	}
	return column{name}, nil
}

func (p *parser) call(name string) (expression, *Error) {
	function, ok := functions[strings.ToLower(name)]
	if !ok {
		return nil, notImplemented(name)
	}
	if function.counts {
		p.symbol("*")
	}
	return function, p.expectSymbol(")")
}

package clickhousesql

import (
	"slices"
	"strings"
)

func (p *parser) grant() (Statement, *Error) {
	g := grant{}
	if err := p.granted(&g, "TO"); err != nil {
		return nil, err
	}
	switch {
	case p.words("WITH REPLACE OPTION"):
		return nil, notImplemented("WITH REPLACE OPTION")
	case g.roles == nil:
		g.option = p.words("WITH GRANT OPTION")
	default:
		g.option = p.words("WITH ADMIN OPTION")
	}
	return g, nil
}

func (p *parser) revoke() (Statement, *Error) {
	g := grant{revoke: true}
	ofPrivileges, ofRoles := p.words("GRANT OPTION FOR"), p.words("ADMIN OPTION FOR")
	g.option = ofPrivileges || ofRoles
	if err := p.granted(&g, "FROM"); err != nil {
		return nil, err
	}
	if g.roles == nil && ofRoles || g.roles != nil && ofPrivileges {
		return nil, Errorf(CodeSyntaxError, "Syntax error: GRANT OPTION is of privileges, ADMIN OPTION is of roles")
	}
	return g, nil
}

// granted reads from the privileges or roles to the grantees, who come after a keyword. A word such as SELECT may be a
// role as well; only what follows says which.
func (p *parser) granted(g *grant, keyword string) *Error {
	if err := p.cluster(); err != nil {
		return err
	}
	if p.words("CURRENT GRANTS") {
		return notImplemented("CURRENT GRANTS")
	}
	start := p.at
	elements, asPrivileges := list(p, p.element)
	if asPrivileges == nil {
		asPrivileges = p.expectWords(keyword)
	}
	g.elements = elements
	if asPrivileges != nil {
		reached := p.at
		p.at, g.elements = start, nil
		roles, err := list(p, p.account)
		if err == nil {
			err = p.expectWords(keyword)
		}
		switch {
		case err != nil && reached >= p.at:
			return asPrivileges
		case err != nil:
			return err
		}
		g.roles = roles
	}
	to, err := list(p, p.grantee)
	g.to = to
	return err
}

func (p *parser) grantee() (grantee, *Error) {
	if p.words("CURRENT_USER") {
		if p.symbol("(") != "" {
			return grantee{current: true}, p.expectSymbol(")")
		}
		return grantee{current: true}, nil
	}
	if p.words("ALL") {
		return grantee{}, notImplemented("ALL")
	}
	name, err := p.account()
	return grantee{name: name}, err
}

// element reads privileges and what they are granted on.
func (p *parser) element() (element, *Error) {
	var e element
	for {
		privilege, err := p.privilege()
		if err != nil {
			return e, err
		}
		columns, err := p.columns()
		if err != nil {
			return e, err
		}
		e.privileges, e.columns = append(e.privileges, privilege), append(e.columns, columns)
		if p.symbol(",") == "" {
			break
		}
	}
	if err := p.expectWords("ON"); err != nil {
		return e, err
	}
	if err := p.object(&e); err != nil {
		return e, err
	}
	if e.on.table == "" && slices.ContainsFunc(e.columns, func(of []string) bool { return len(of) > 0 }) {
		return e, p.fail("a table, as there are columns")
	}
	return e, nil
}

// longestName is the most words that the name of a privilege has.
const longestName = 6

// privilege reads the longest run of words that is one.
func (p *parser) privilege() (*privilege, *Error) {
	var found *privilege
	end, name := p.at, ""
	for at := p.at; p.tokens[at].kind == tokenWord && at < p.at+longestName; at++ {
		name = strings.TrimSpace(name + " " + p.tokens[at].text)
		if one := named(name); one != nil {
			found, end = one, at+1
		}
	}
	if found == nil {
		return nil, p.fail("a privilege")
	}
	p.at = end
	return found, nil
}

func (p *parser) columns() ([]string, *Error) {
	if p.symbol("(") == "" {
		return nil, nil
	}
	columns, err := list(p, p.name)
	if err != nil {
		return nil, err
	}
	return columns, p.expectSymbol(")")
}

// object reads db.table, where both may be an asterisk. A part alone is in the current database.
func (p *parser) object(e *element) *Error {
	first, err := p.nameOrAll()
	if err != nil {
		return err
	}
	if p.symbol(".") == "" {
		e.current, e.on.table = true, first
		return nil
	}
	second, err := p.nameOrAll()
	if err != nil {
		return err
	}
	if first == "" && second != "" {
		p.at--
		return p.fail("*")
	}
	e.on = scope{database: first, table: second}
	return nil
}

// nameOrAll is empty for an asterisk.
func (p *parser) nameOrAll() (string, *Error) {
	if p.symbol("*") != "" {
		return "", nil
	}
	return p.name()
}

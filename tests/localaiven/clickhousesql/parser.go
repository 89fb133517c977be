package clickhousesql

import (
	"slices"
	"strings"
)

// maxDepth is how deep a query may nest, as with ClickHouse.
const maxDepth = 1000

// parser reads tokens from the left to the right.
type parser struct {
	tokens []token
	at     int
	depth  int
}

// Parse reads one query. What isn't ClickHouse's SQL is a CodeSyntaxError, what is but this package doesn't know a
// CodeNotImplemented.
func Parse(query string) (Statement, *Error) {
	tokens, err := tokenize(query)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	statement, err := p.statement()
	if err != nil {
		return nil, err
	}
	p.symbol(";")
	if p.peek().kind != tokenEnd {
		return nil, p.rest()
	}
	return statement, nil
}

func (p *parser) statement() (Statement, *Error) {
	for words, parse := range map[string]func() (Statement, *Error){
		"CREATE ROLE": p.createRole, "DROP ROLE": p.dropRole, "SHOW CREATE ROLE": p.showCreateRole,
		"SHOW GRANTS": p.showGrants, "GRANT": p.grant, "REVOKE": p.revoke, "SELECT": p.selection,
		"CREATE TABLE": p.createTable, "DROP TABLE": p.dropTable, "INSERT INTO": p.insert,
	} {
		if p.words(words) {
			return parse()
		}
	}
	if p.peek().kind == tokenWord && foreign[strings.ToUpper(p.peek().text)] {
		return nil, notImplemented(p.peek().text)
	}
	return nil, p.fail("a query")
}

// foreign are the words that begin queries which aren't simulated.
var foreign = set("ALTER", "ATTACH", "BACKUP", "CHECK", "CREATE", "DELETE", "DESC", "DESCRIBE", "DETACH", "DROP", "EXISTS",
	"EXPLAIN", "INSERT", "KILL", "OPTIMIZE", "RENAME", "RESTORE", "SET", "SHOW", "SYSTEM", "TRUNCATE", "UNDROP", "UPDATE",
	"USE", "WATCH", "WITH")

// clauses are those of SELECT and GRANT that aren't simulated.
var clauses = set("ANY", "ARRAY", "ASOF", "CROSS", "EXCEPT", "FINAL", "FORMAT", "FULL", "GROUP", "HAVING", "INNER",
	"INTERSECT", "INTO", "JOIN", "LEFT", "PREWHERE", "QUALIFY", "RIGHT", "SAMPLE", "SETTINGS", "UNION", "WINDOW", "WITH")

func set(words ...string) map[string]bool {
	out := map[string]bool{}
	for _, word := range words {
		out[word] = true
	}
	return out
}

func notImplemented(what string) *Error {
	return Errorf(CodeNotImplemented, "The local Aiven does not know this use of %s", strings.ToUpper(what))
}

func (p *parser) peek() token { return p.tokens[p.at] }

// rest is what to say about more tokens than expected.
func (p *parser) rest() *Error {
	if t := p.peek(); t.kind == tokenWord && clauses[strings.ToUpper(t.text)] {
		return notImplemented(t.text)
	}
	return p.fail("end of query")
}

// fail is a syntax error at the next token.
func (p *parser) fail(expected string) *Error {
	t := p.peek()
	if t.kind == tokenEnd {
		return Errorf(CodeSyntaxError, "Syntax error: failed at position %d (end of query): Expected %s", t.at+1, expected)
	}
	return Errorf(CodeSyntaxError, "Syntax error: failed at position %d (%s): Expected %s", t.at+1, t.text, expected)
}

// words passes over keywords, or over nothing when they aren't there.
func (p *parser) words(words string) bool {
	at := p.at
	for word := range strings.SplitSeq(words, " ") {
		if t := p.tokens[at]; t.kind != tokenWord || !strings.EqualFold(t.text, word) {
			return false
		}
		at++
	}
	p.at = at
	return true
}

func (p *parser) expectWords(words string) *Error {
	if !p.words(words) {
		return p.fail(words)
	}
	return nil
}

func (p *parser) symbol(symbols ...string) string {
	if t := p.peek(); t.kind == tokenSymbol && slices.Contains(symbols, t.text) {
		p.at++
		return t.text
	}
	return ""
}

func (p *parser) expectSymbol(symbol string) *Error {
	if p.symbol(symbol) == "" {
		return p.fail(symbol)
	}
	return nil
}

// name reads a name of any form but a string.
func (p *parser) name() (string, *Error) {
	t := p.peek()
	if t.kind != tokenWord && t.kind != tokenName {
		return "", p.fail("identifier")
	}
	p.at++
	return t.text, nil
}

// account reads the name of a user or role, which may be a string.
func (p *parser) account() (string, *Error) {
	if t := p.peek(); t.kind == tokenString && t.text != "" {
		p.at++
		return t.text, nil
	}
	return p.name()
}

// list reads one or more, with commas between.
func list[T any](p *parser, one func() (T, *Error)) ([]T, *Error) {
	var out []T
	for {
		v, err := one()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		if p.symbol(",") == "" {
			return out, nil
		}
	}
}

// cluster passes over ON CLUSTER: there is one only.
func (p *parser) cluster() *Error {
	if !p.words("ON CLUSTER") {
		return nil
	}
	_, err := p.account()
	return err
}

func (p *parser) createRole() (Statement, *Error) {
	s := createRole{ifNotExists: p.words("IF NOT EXISTS")}
	if !s.ifNotExists {
		s.orReplace = p.words("OR REPLACE")
	}
	names, err := list(p, p.account)
	if err != nil {
		return nil, err
	}
	s.names = names
	return s, p.cluster()
}

func (p *parser) dropRole() (Statement, *Error) {
	s := dropRole{ifExists: p.words("IF EXISTS")}
	names, err := list(p, p.account)
	if err != nil {
		return nil, err
	}
	s.names = names
	return s, p.cluster()
}

func (p *parser) showCreateRole() (Statement, *Error) {
	names, err := list(p, p.account)
	return showCreateRole{names}, err
}

func (p *parser) showGrants() (Statement, *Error) {
	if !p.words("FOR") || p.words("CURRENT_USER") {
		return showGrants{}, nil
	}
	names, err := list(p, p.account)
	return showGrants{names}, err
}

package clickhousesql

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind int

const (
	tokenEnd    tokenKind = iota
	tokenWord             // a keyword, or a name without quotes
	tokenName             // a name in backticks or double quotes
	tokenString           // in single quotes
	tokenNumber
	tokenSymbol // one of ( ) [ ] , . * ; = < > ! and their pairs
)

type token struct {
	kind tokenKind
	text string // without quotes and escapes
	at   int    // where it begins, in bytes
}

// tokenize splits a query. The last token is the end.
func tokenize(query string) ([]token, *Error) {
	l := lexer{text: query}
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		l.tokens = append(l.tokens, t)
		if t.kind == tokenEnd {
			return l.tokens, nil
		}
	}
}

type lexer struct {
	text   string
	at     int
	tokens []token
}

func (l *lexer) next() (token, *Error) {
	if err := l.skip(); err != nil {
		return token{}, err
	}
	start := l.at
	if start == len(l.text) {
		return token{kind: tokenEnd, at: start}, nil
	}
	switch c := l.text[start]; {
	case c == '`' || c == '"' || c == '\'':
		return l.quoted(c)
	case c >= '0' && c <= '9':
		return token{tokenNumber, l.take(func(r rune) bool { return isWord(r) || r == '.' }), start}, nil
	}
	if word := l.take(isWord); word != "" {
		return token{tokenWord, word, start}, nil
	}
	return l.symbol()
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// take reads as long as belongs says so.
func (l *lexer) take(belongs func(rune) bool) string {
	rest := l.text[l.at:]
	end := strings.IndexFunc(rest, func(r rune) bool { return r == utf8.RuneError || !belongs(r) })
	if end < 0 {
		end = len(rest)
	}
	l.at += end
	return rest[:end]
}

// skip passes over space and comments.
func (l *lexer) skip() *Error {
	for {
		l.take(unicode.IsSpace)
		rest := l.text[l.at:]
		end := "\n"
		switch {
		case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "#"):
		case strings.HasPrefix(rest, "/*"):
			end = "*/"
		default:
			return nil
		}
		_, after, found := strings.Cut(rest[min(2, len(rest)):], end)
		if !found && end == "*/" {
			return Errorf(CodeSyntaxError, "Syntax error: Multiline comment is not closed: failed at position %d", l.at+1)
		}
		l.at = len(l.text) - len(after)
	}
}

func (l *lexer) symbol() (token, *Error) {
	start := l.at
	for _, s := range []string{"!=", "<>", "<=", ">=", "==", "(", ")", "[", "]", ",", ".", "*", ";", "=", "<", ">", "-"} {
		if strings.HasPrefix(l.text[start:], s) {
			l.at += len(s)
			return token{tokenSymbol, s, start}, nil
		}
	}
	return token{}, Errorf(CodeSyntaxError, "Syntax error: failed at position %d: unrecognized token", start+1)
}

// escapes are what may follow a backslash, besides x and two hexadecimal digits. Before anything else it is itself, so that \% and \_ reach LIKE.
var escapes = map[byte]byte{
	'n': '\n', 't': '\t', 'r': '\r', '0': 0, 'b': '\b', 'f': '\f', 'a': '\a', 'v': '\v',
	'\\': '\\', '\'': '\'', '"': '"', '`': '`', '/': '/', '=': '=',
}

// unescape returns the byte that follows a backslash, and the length of what stands for it; 0 for none.
func unescape(text string) (byte, int) {
	if text[0] == 'x' && len(text) > 2 {
		value, err := strconv.ParseUint(text[1:3], 16, 8)
		if err == nil {
			return byte(value), 3
		}
	}
	escaped, ok := escapes[text[0]]
	if !ok {
		return 0, 0
	}
	return escaped, 1
}

// quoted reads a string or a name. A quote inside is doubled or follows a backslash.
func (l *lexer) quoted(quote byte) (token, *Error) {
	t := token{kind: tokenName, at: l.at}
	if quote == '\'' {
		t.kind = tokenString
	}
	var out strings.Builder
	for i := l.at + 1; i < len(l.text); i++ {
		c := l.text[i]
		following := byte(0)
		if i+1 < len(l.text) {
			following = l.text[i+1]
		}
		switch {
		case c == '\\' && i+1 < len(l.text):
			if escaped, length := unescape(l.text[i+1:]); length > 0 {
				i += length
				c = escaped
			}
		case c == quote && following == quote:
			i++
		case c == quote:
			l.at = i + 1
			t.text = out.String()
			if t.kind == tokenName && t.text == "" {
				return t, Errorf(CodeSyntaxError, "Syntax error: failed at position %d: a name must not be empty", t.at+1)
			}
			return t, nil
		}
		out.WriteByte(c)
	}
	return t, Errorf(CodeSyntaxError, "Syntax error: failed at position %d: quotation mark %c is not closed", t.at+1, quote)
}

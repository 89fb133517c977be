package clickhousesql

import "fmt"

// Code is a number that ClickHouse gives a type of error.
type Code int

// The codes that this package knows.
const (
	CodeNoSuchColumn       Code = 16
	CodeUnknownIdentifier  Code = 47
	CodeNotImplemented     Code = 48
	CodeTypeMismatch       Code = 53
	CodeTableExists        Code = 57
	CodeUnknownTable       Code = 60
	CodeSyntaxError        Code = 62
	CodeUnknownDatabase    Code = 81
	CodeUnknownUser        Code = 192
	CodeIllegalAggregation Code = 184
	CodeNotAnAggregate     Code = 215
	CodeTooDeep            Code = 306
	CodeNoCommonType       Code = 386
	CodeAccessExists       Code = 493
	CodeAccessDenied       Code = 497
	CodeInvalidGrant       Code = 509
	CodeUnknownRole        Code = 511
	CodeLogin              Code = 516
)

var codeNames = map[Code]string{
	CodeUnknownIdentifier: "UNKNOWN_IDENTIFIER", CodeNotImplemented: "NOT_IMPLEMENTED", CodeUnknownTable: "UNKNOWN_TABLE",
	CodeSyntaxError: "SYNTAX_ERROR", CodeUnknownDatabase: "UNKNOWN_DATABASE", CodeUnknownUser: "UNKNOWN_USER",
	CodeAccessExists: "ACCESS_ENTITY_ALREADY_EXISTS", CodeAccessDenied: "ACCESS_DENIED", CodeInvalidGrant: "INVALID_GRANT",
	CodeTooDeep: "TOO_DEEP_RECURSION", CodeNoCommonType: "NO_COMMON_TYPE",
	CodeIllegalAggregation: "ILLEGAL_AGGREGATION", CodeNotAnAggregate: "NOT_AN_AGGREGATE",
	CodeNoSuchColumn: "NO_SUCH_COLUMN_IN_TABLE", CodeTypeMismatch: "TYPE_MISMATCH", CodeTableExists: "TABLE_ALREADY_EXISTS",
	CodeUnknownRole: "UNKNOWN_ROLE", CodeLogin: "AUTHENTICATION_FAILED",
}

// Error is an exception as ClickHouse throws it.
type Error struct {
	Code    Code
	Message string
}

// Errorf returns an exception.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{code, fmt.Sprintf(format, args...)}
}

// Error has the form that ClickHouse's HTTP interface and Aiven's API show.
func (e *Error) Error() string { return fmt.Sprintf("Code: %d. %s", e.Code, e.Exception()) }

// Exception is the message as the native protocol has it, beside the code.
func (e *Error) Exception() string {
	return fmt.Sprintf("DB::Exception: %s. (%s)", e.Message, codeNames[e.Code])
}

func unknownRole(name string) *Error {
	return Errorf(CodeUnknownRole, "There is no role %s in user directories", quoteAlways(name))
}

package secrettemplate

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// widest is the most that indent and nindent take.
const widest = 64

// details is the language of values that are made from connection details: the functions that Helm has for texts, without those
// that read anything but their arguments.
var details = &language{
	functions: withLogic(map[string]function{
		"quote":      {1, 0, each(strconv.Quote)},
		"squote":     {1, 0, each(func(text string) string { return "'" + text + "'" })},
		"urlquery":   {1, 1, onText(url.QueryEscape)},
		"pathescape": {1, 1, onText(url.PathEscape)},
		"b64enc":     {1, 1, onText(func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) })},
		"b64dec":     {1, 1, b64dec},
		"toJson":     {1, 1, toJSON},
		"indent":     {2, 2, func(x *execution, args []any) (any, error) { return x.indent("", args) }},
		"nindent":    {2, 2, func(x *execution, args []any) (any, error) { return x.indent("\n", args) }},
		"trim":       {1, 1, onText(strings.TrimSpace)},
		"upper":      {1, 1, onText(strings.ToUpper)},
		"lower":      {1, 1, onText(strings.ToLower)},
		"replace":    {3, 3, replace},
		"join":       {2, 2, join},
		"default":    {2, 2, defaulted},
		"required":   {2, 2, required},
		"len":        {1, 1, length},
		"index":      {1, 0, index},
	}, "and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge"),
	refused: regexp.MustCompile(`\{\{-?\s*(template|define|block)\b`),
	loops:   true,
	noField: errors.New("it has no fields"),
	most:    cost{output: 512 << 10, bytes: 1 << 20, steps: 50_000},
}

// Execute executes a template with data. Its errors name the line and the function, and hold no value.
//
// The data are texts, lists and maps of them, of the types string, []any and map[string]any. A template has at most 64 KiB, and its
// result 512 KiB. It can range over .Endpoints only, and ends within 50 ms.
func Execute(source string, data map[string]any) (string, error) {
	if len(source) > longestSource {
		return "", errTooLong
	}
	left := details.most
	return details.render(source, &execution{dot: data, left: &left})
}

// text returns an argument that is written as it is.
func text(arg any) (string, error) {
	switch value := arg.(type) {
	case string:
		return value, nil
	case int, float64, bool:
		return fmt.Sprint(value), nil
	default:
		return "", errors.New("it takes texts, and no list or map")
	}
}

func texts(args []any) ([]string, error) {
	all := make([]string, len(args))
	for i, arg := range args {
		one, err := text(arg)
		if err != nil {
			return nil, err
		}
		all[i] = one
	}
	return all, nil
}

// onText is a function of one text.
func onText(change func(string) string) func(*execution, []any) (any, error) {
	return func(x *execution, args []any) (any, error) {
		of, err := text(args[0])
		if err != nil {
			return nil, err
		}
		changed := change(of)
		return changed, x.spend(len(changed))
	}
}

// each is a function of texts, whose results are separated by spaces.
func each(change func(string) string) func(*execution, []any) (any, error) {
	return func(x *execution, args []any) (any, error) {
		all, err := texts(args)
		if err != nil {
			return nil, err
		}
		for i := range all {
			all[i] = change(all[i])
		}
		changed := strings.Join(all, " ")
		return changed, x.spend(len(changed))
	}
}

func b64dec(x *execution, args []any) (any, error) {
	encoded, err := text(args[0])
	if err != nil {
		return nil, err
	}
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, errors.New("its argument isn't base64")
	}
	return string(decoded), x.spend(len(decoded))
}

func toJSON(x *execution, args []any) (any, error) {
	encoded, err := json.Marshal(args[0])
	if err != nil {
		return nil, errors.New("its argument has no form in JSON")
	}
	return string(encoded), x.spend(len(encoded))
}

// indent puts spaces in front of each line.
func (x *execution) indent(before string, args []any) (any, error) {
	width, isNumber := args[0].(int)
	if !isNumber || width < 0 || width > widest {
		return nil, fmt.Errorf("its width must be a number from 0 to %d", widest)
	}
	lines, err := text(args[1])
	if err != nil {
		return nil, err
	}
	margin := strings.Repeat(" ", width)
	if err := x.spend(len(lines) + (strings.Count(lines, "\n")+1)*width); err != nil {
		return nil, err
	}
	return before + margin + strings.ReplaceAll(lines, "\n", "\n"+margin), nil
}

// replace has the text last, as Helm's.
func replace(x *execution, args []any) (any, error) {
	all, err := texts(args)
	if err != nil {
		return nil, err
	}
	before, after, in := all[0], all[1], all[2]
	if err := x.spend(len(in) + strings.Count(in, before)*len(after)); err != nil {
		return nil, err
	}
	return strings.ReplaceAll(in, before, after), nil
}

func join(x *execution, args []any) (any, error) {
	separator, err := text(args[0])
	if err != nil {
		return nil, err
	}
	list, isList := args[1].([]any)
	if !isList {
		return nil, errors.New("it takes a separator, and a list such as .Nodes")
	}
	all, err := texts(list)
	if err != nil {
		return nil, err
	}
	if err := x.spend(len(list) * len(separator)); err != nil {
		return nil, err
	}
	return strings.Join(all, separator), nil
}

func defaulted(_ *execution, args []any) (any, error) {
	if isTrue(args[1]) {
		return args[1], nil
	}
	return args[0], nil
}

// longestMessage is how much of a message of required an error has, in characters. A condition has at most 32 KiB, as the API server says.
const longestMessage = 100

// required fails with a message that is a text in the template.
func required(_ *execution, args []any) (any, error) {
	if args[1] == "" {
		message, _ := text(args[0])
		if short := []rune(message); len(short) > longestMessage {
			message = string(short[:longestMessage]) + "…"
		}
		return nil, errors.New(message)
	}
	return args[1], nil
}

func length(_ *execution, args []any) (any, error) {
	switch value := args[0].(type) {
	case string:
		return len(value), nil
	case []any:
		return len(value), nil
	case map[string]any:
		return len(value), nil
	default:
		return nil, errors.New("it takes a text, a list or a map")
	}
}

// index has no bytes of texts, and no values for what isn't there.
func index(_ *execution, args []any) (any, error) {
	value := args[0]
	for _, at := range args[1:] {
		has := false
		switch in := value.(type) {
		case map[string]any:
			key, _ := at.(string)
			value, has = in[key]
		case []any:
			position, isNumber := at.(int)
			if has = isNumber && position >= 0 && position < len(in); has {
				value = in[position]
			}
		default:
			return nil, errors.New("it takes a list or a map")
		}
		if !has {
			return nil, errors.New("there is no such item")
		}
	}
	return value, nil
}

package fault

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// longestWait bounds what a Retry-After may ask for. A maintenance page that names an hour may be over in a minute, so
// one call then probes.
const longestWait = 5 * time.Minute

const (
	decimal  = `\d+(?:\.\d+)?`
	quantity = decimal + `\s*[a-z]*`
)

var (
	// tryAgain is how Aiven's text names the wait: "Rate limit 120 exceeded - try again in 28s".
	tryAgain = regexp.MustCompile(`(?i)\b(try again|retry) (?:in|after) (` + quantity + `(?:,?\s*(?:and\s+)?` + quantity + `)*)`)
	// amounts are the numbers and units of a wait: time.ParseDuration reads neither "2 hours" nor a number alone.
	amounts = regexp.MustCompile(`(` + decimal + `)\s*([a-z]*)`)
	// seconds are a Retry-After. A fraction is against the RFC, and sent by some proxies.
	seconds = regexp.MustCompile(`^` + decimal + `$`)
)

// units of a wait, in the singular.
var units = map[string]time.Duration{
	"": time.Second, "s": time.Second, "sec": time.Second, "second": time.Second,
	"ms": time.Millisecond, "msec": time.Millisecond, "millisecond": time.Millisecond,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hour": time.Hour, "d": 24 * time.Hour, "day": 24 * time.Hour,
}

// waitInText is 0 if the text names no time, or has a unit that isn't known.
func waitInText(text string) time.Duration {
	found := tryAgain.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	var wait float64
	for _, amount := range amounts.FindAllStringSubmatch(strings.ToLower(found[2]), -1) {
		unit, known := units[amount[2]]
		if !known {
			unit, known = units[strings.TrimSuffix(amount[2], "s")]
		}
		if !known {
			return 0
		}
		number, _ := strconv.ParseFloat(amount[1], 64) // infinite if it is out of range
		wait += number * float64(unit)
	}
	return bounded(toDuration(wait))
}

// RetryAfter reads both forms of the header that RFC 9110 section 10.2.3 allows: seconds and a date. A fraction is
// rounded up, and a number that is too high is the longest duration. Anything else is 0.
func RetryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if seconds.MatchString(header) {
		number, _ := strconv.ParseFloat(header, 64) // infinite if it is out of range
		return toDuration(math.Ceil(number) * float64(time.Second))
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}

// toDuration converts nanoseconds. Those that overflow are the longest duration.
func toDuration(nanoseconds float64) time.Duration {
	if nanoseconds >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(nanoseconds)
}

func bounded(wait time.Duration) time.Duration {
	return min(max(wait, 0), longestWait)
}

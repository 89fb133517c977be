package localaiven

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	client "github.com/aiven/go-client-codegen/handler/kafkatopic"
)

// setting is one key of a topic's config. Its type is the one of the public client.
type setting struct {
	byDefault any
	low, high float64 // of a number; both 0 is any
	choices   []string
}

const (
	forever   = int64(math.MaxInt64)
	hour      = 3_600_000 // in milliseconds
	aWeek     = 168 * hour
	unlimited = -1
)

// settings of topics, with the defaults of a new cluster. Each has its value even where no topic has set it.
var topicSettings = map[string]setting{
	"cleanup_policy":                      {byDefault: "delete", choices: client.CleanupPolicyTypeChoices()},
	"compression_type":                    {byDefault: "producer", choices: client.CompressionTypeChoices()},
	"delete_retention_ms":                 {byDefault: 24 * hour, high: math.MaxInt64},
	"diskless_enable":                     {byDefault: false},
	"file_delete_delay_ms":                {byDefault: 60_000, high: math.MaxInt64},
	"flush_messages":                      {byDefault: forever, low: 1, high: math.MaxInt64},
	"flush_ms":                            {byDefault: forever, high: math.MaxInt64},
	"index_interval_bytes":                {byDefault: 4096, high: 104_857_600},
	"local_retention_bytes":               {byDefault: -2, low: -2, high: math.MaxInt64},
	"local_retention_ms":                  {byDefault: -2, low: -2, high: math.MaxInt64},
	"max_compaction_lag_ms":               {byDefault: forever, low: 1, high: math.MaxInt64},
	"max_message_bytes":                   {byDefault: 1_048_588, high: 100_001_200},
	"message_downconversion_enable":       {byDefault: true},
	"message_format_version":              {byDefault: "3.0-IV1", choices: client.MessageFormatVersionTypeChoices()},
	"message_timestamp_after_max_ms":      {byDefault: hour, high: math.MaxInt64},
	"message_timestamp_before_max_ms":     {byDefault: forever, high: math.MaxInt64},
	"message_timestamp_difference_max_ms": {byDefault: forever, high: math.MaxInt64},
	"message_timestamp_type":              {byDefault: "CreateTime", choices: client.MessageTimestampTypeChoices()},
	"min_cleanable_dirty_ratio":           {byDefault: 0.5, high: 1},
	"min_compaction_lag_ms":               {byDefault: 0, high: math.MaxInt64},
	"min_insync_replicas":                 {byDefault: 1, low: 1, high: 7},
	"preallocate":                         {byDefault: false},
	"remote_storage_enable":               {byDefault: false},
	"retention_bytes":                     {byDefault: unlimited, low: -1, high: math.MaxInt64},
	"retention_ms":                        {byDefault: aWeek, low: -1, high: math.MaxInt64},
	"segment_bytes":                       {byDefault: 209_715_200, low: 14, high: math.MaxInt32},
	"segment_index_bytes":                 {byDefault: 10_485_760, high: 104_857_600},
	"segment_jitter_ms":                   {byDefault: 0, high: math.MaxInt64},
	"segment_ms":                          {byDefault: aWeek, low: 1, high: math.MaxInt64},
	"unclean_leader_election_enable":      {byDefault: false},
}

// check compares a decoded value, whose type is right, with what is allowed.
func (s setting) check(name string, value any) *apiError {
	if text, ok := value.(string); ok && !slices.Contains(s.choices, text) {
		return badRequest("Invalid input for config.%s: '%s' is not one of the allowed values", name, text)
	}
	n, ok := value.(json.Number)
	if !ok {
		return nil
	}
	if f, err := n.Float64(); err != nil || f < s.low || f > s.high {
		return badRequest("Invalid input for config.%s: must be %v to %v", name, s.low, s.high)
	}
	return nil
}

// topicConfig is what was set, by the names of the API; numbers are json.Number.
type topicConfig map[string]any

// with returns the config after changes. Null resets to the default; what isn't named stays.
func (c topicConfig) with(changes map[string]any) (topicConfig, *apiError) {
	out := topicConfig{}
	maps.Copy(out, c)
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		value := changes[name]
		if value == nil {
			delete(out, name)
			continue
		}
		if fail := topicSettings[name].check(name, value); fail != nil {
			return nil, fail
		}
		out[name] = value
	}
	return out, nil
}

func (c topicConfig) value(name string) any {
	if value, set := c[name]; set {
		return value
	}
	return topicSettings[name].byDefault
}

// number is the value of a setting that counts something.
func (c topicConfig) number(name string) int64 {
	n, err := json.Number(fmt.Sprint(c.value(name))).Int64()
	if err != nil {
		return 0
	}
	return n
}

type settingBody struct {
	Source string `json:"source"`
	Value  any    `json:"value"`
}

// body has every setting, and where its value comes from.
func (c topicConfig) body() map[string]settingBody {
	out := make(map[string]settingBody, len(topicSettings))
	for name, s := range topicSettings {
		out[name] = settingBody{string(client.SourceTypeDefaultConfig), s.byDefault}
	}
	for name, value := range c {
		out[name] = settingBody{string(client.SourceTypeTopicConfig), value}
	}
	return out
}

// real has Kafka's own names.
func (c topicConfig) real() map[string]string {
	out := make(map[string]string, len(c))
	for name, value := range c {
		out[strings.ReplaceAll(name, "_", ".")] = fmt.Sprint(value)
	}
	return out
}

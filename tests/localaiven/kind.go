package localaiven

import (
	"slices"
	"strconv"
	"strings"
)

// kind is what differs between the types of services.
type kind struct {
	name        string // Aiven's service_type
	description string
	plans       map[string]plan
	versionKey  string // the key of user_config with the version
	version     string // what the original picks today, as far as a simulation can know
	databases   bool   // whether it has logical databases
	primary     string // the role of the first node; empty where nodes are equal
}

const (
	kindPostgreSQL = "pg"
	kindKafka      = "kafka"
)

var kinds = map[string]*kind{
	kindPostgreSQL: {
		name: kindPostgreSQL, description: "PostgreSQL - Object-Relational Database Management System",
		plans: postgresPlans(), versionKey: "pg_version", version: "17", databases: true, primary: "master",
	},
	kindKafka: {
		name: kindKafka, description: "Kafka - High-Throughput Distributed Messaging System",
		plans: kafkaPlans(), versionKey: "kafka_version", version: "4.2",
	},
}

// config applies changes to the user_config of a service; that of a new one is empty.
func (k *kind) config(current, changes map[string]any) (map[string]any, *apiError) {
	next, fail := schemas()[k.name].apply(current, changes)
	if fail != nil {
		return nil, fail
	}
	if next[k.versionKey] == nil {
		next[k.versionKey] = k.version
	}
	if was := current[k.versionKey]; was != nil && older(next[k.versionKey], was) {
		return nil, badRequest("Invalid user_config: cannot go back from version %v to %v", was, next[k.versionKey])
	}
	return next, nil
}

// older compares versions such as "17" and "4.2".
func older(version, than any) bool { return slices.Compare(numbers(version), numbers(than)) < 0 }

func numbers(version any) []int {
	text, _ := version.(string)
	var out []int
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}

package clickhousesql

import (
	"slices"
	"strings"
	"sync"
)

// level is the smallest thing that a privilege can be granted on.
type level int

const (
	levelGlobal level = iota
	levelDatabase
	levelTable
	levelColumn
)

// privilege is a node of the tree of ClickHouse's privileges. A group is all below it.
type privilege struct {
	name    string
	aliases []string
	number  int // its place in the tree, which is the order in which grants are shown
	level   level
	below   []*privilege
	leaves  []*privilege // itself, unless it is a group
}

// tree describes the privileges: indented below their group, with other names after bars, and a level at the end of those
// that aren't groups (g, d, t, c). After ClickHouse's list of access types; what needs a named thing of another kind, such
// as a named collection, counts as global here.
const tree = `
ALL | ALL PRIVILEGES
 SHOW
  SHOW DATABASES d
  SHOW TABLES t
  SHOW COLUMNS c
  SHOW DICTIONARIES t
 SHOW FILESYSTEM CACHES g
 SELECT c
 INSERT c
 ALTER
  ALTER TABLE
   ALTER UPDATE | UPDATE c
   ALTER DELETE | DELETE c
   ALTER COLUMN
    ALTER ADD COLUMN | ADD COLUMN c
    ALTER MODIFY COLUMN | MODIFY COLUMN c
    ALTER DROP COLUMN | DROP COLUMN c
    ALTER COMMENT COLUMN | COMMENT COLUMN c
    ALTER CLEAR COLUMN | CLEAR COLUMN c
    ALTER RENAME COLUMN | RENAME COLUMN c
    ALTER MATERIALIZE COLUMN | MATERIALIZE COLUMN c
   ALTER MODIFY COMMENT | MODIFY COMMENT t
   ALTER INDEX | INDEX
    ALTER ORDER BY | ALTER MODIFY ORDER BY | MODIFY ORDER BY t
    ALTER SAMPLE BY | ALTER MODIFY SAMPLE BY | MODIFY SAMPLE BY t
    ALTER ADD INDEX | ADD INDEX t
    ALTER DROP INDEX | DROP INDEX t
    ALTER MATERIALIZE INDEX | MATERIALIZE INDEX t
    ALTER CLEAR INDEX | CLEAR INDEX t
   ALTER STATISTICS | STATISTICS
    ALTER ADD STATISTICS | ADD STATISTICS t
    ALTER DROP STATISTICS | DROP STATISTICS t
    ALTER MODIFY STATISTICS | MODIFY STATISTICS t
    ALTER MATERIALIZE STATISTICS | MATERIALIZE STATISTICS t
   ALTER PROJECTION | PROJECTION
    ALTER ADD PROJECTION | ADD PROJECTION t
    ALTER DROP PROJECTION | DROP PROJECTION t
    ALTER MATERIALIZE PROJECTION | MATERIALIZE PROJECTION t
    ALTER CLEAR PROJECTION | CLEAR PROJECTION t
   ALTER CONSTRAINT | CONSTRAINT
    ALTER ADD CONSTRAINT | ADD CONSTRAINT t
    ALTER DROP CONSTRAINT | DROP CONSTRAINT t
   ALTER TTL | ALTER MODIFY TTL | MODIFY TTL t
   ALTER MATERIALIZE TTL | MATERIALIZE TTL t
   ALTER SETTINGS | ALTER SETTING | ALTER MODIFY SETTING | MODIFY SETTING t
   ALTER MOVE PARTITION | ALTER MOVE PART | MOVE PARTITION | MOVE PART t
   ALTER FETCH PARTITION | ALTER FETCH PART | FETCH PARTITION | FETCH PART t
   ALTER FREEZE PARTITION | FREEZE PARTITION | UNFREEZE t
  ALTER DATABASE
   ALTER DATABASE SETTINGS | ALTER DATABASE SETTING | ALTER MODIFY DATABASE SETTING | MODIFY DATABASE SETTING d
  ALTER VIEW
   ALTER VIEW MODIFY QUERY | ALTER TABLE MODIFY QUERY | MODIFY QUERY t
   ALTER VIEW MODIFY REFRESH | ALTER TABLE MODIFY REFRESH t
   ALTER VIEW MODIFY SQL SECURITY | ALTER TABLE MODIFY SQL SECURITY | MODIFY SQL SECURITY t
 CREATE
  CREATE DATABASE d
  CREATE TABLE t
  CREATE VIEW t
  CREATE DICTIONARY t
  CREATE ARBITRARY TEMPORARY TABLE g
  CREATE TEMPORARY TABLE g
  CREATE FUNCTION g
  CREATE WORKLOAD g
  CREATE RESOURCE g
 DROP
  DROP DATABASE d
  DROP TABLE t
  DROP VIEW t
  DROP DICTIONARY t
  DROP FUNCTION g
  DROP WORKLOAD g
  DROP RESOURCE g
 UNDROP TABLE t
 TRUNCATE | TRUNCATE TABLE t
 OPTIMIZE | OPTIMIZE TABLE t
 BACKUP t
 KILL QUERY g
 KILL TRANSACTION g
 MOVE PARTITION BETWEEN SHARDS g
 ACCESS MANAGEMENT
  CREATE USER g
  ALTER USER g
  DROP USER g
  CREATE ROLE g
  ALTER ROLE g
  DROP ROLE g
  ROLE ADMIN g
  CREATE ROW POLICY | CREATE POLICY t
  ALTER ROW POLICY | ALTER POLICY t
  DROP ROW POLICY | DROP POLICY t
  CREATE QUOTA g
  ALTER QUOTA g
  DROP QUOTA g
  CREATE SETTINGS PROFILE | CREATE PROFILE g
  ALTER SETTINGS PROFILE | ALTER PROFILE g
  DROP SETTINGS PROFILE | DROP PROFILE g
  ALLOW SQL SECURITY NONE g
  SHOW ACCESS
   SHOW USERS | SHOW CREATE USER g
   SHOW ROLES | SHOW CREATE ROLE g
   SHOW ROW POLICIES | SHOW POLICIES | SHOW CREATE ROW POLICY | SHOW CREATE POLICY t
   SHOW QUOTAS | SHOW CREATE QUOTA g
   SHOW SETTINGS PROFILES | SHOW PROFILES | SHOW CREATE SETTINGS PROFILE | SHOW CREATE PROFILE g
 NAMED COLLECTION ADMIN | NAMED COLLECTION CONTROL
  CREATE NAMED COLLECTION g
  DROP NAMED COLLECTION g
  ALTER NAMED COLLECTION g
  SHOW NAMED COLLECTIONS g
  SHOW NAMED COLLECTIONS SECRETS g
  NAMED COLLECTION | NAMED COLLECTION USAGE | USE NAMED COLLECTION g
 SET DEFINER g
 TABLE ENGINE g
 SYSTEM
  SYSTEM SHUTDOWN | SYSTEM KILL | SHUTDOWN g
  SYSTEM DROP CACHE | DROP CACHE g
  SYSTEM RELOAD | RELOAD g
  SYSTEM MERGES | SYSTEM STOP MERGES | SYSTEM START MERGES t
  SYSTEM TTL MERGES t
  SYSTEM FETCHES t
  SYSTEM MOVES t
  SYSTEM SENDS t
  SYSTEM REPLICATION QUEUES t
  SYSTEM DROP REPLICA | DROP REPLICA t
  SYSTEM SYNC REPLICA | SYNC REPLICA t
  SYSTEM SYNC DATABASE REPLICA | SYNC DATABASE REPLICA d
  SYSTEM RESTART REPLICA | RESTART REPLICA t
  SYSTEM RESTORE REPLICA | RESTORE REPLICA t
  SYSTEM FLUSH | FLUSH g
 dictGet | dictHas | dictGetHierarchy | dictIsIn t
 displaySecretsInShowAndSelect g
 INTROSPECTION | INTROSPECTION FUNCTIONS
  addressToLine g
  addressToLineWithInlines g
  addressToSymbol g
  demangle g
 SOURCES
  AZURE g
  FILE g
  HDFS g
  HIVE g
  JDBC g
  KAFKA g
  MONGO g
  MYSQL g
  NATS g
  ODBC g
  POSTGRES g
  RABBITMQ g
  REDIS g
  REMOTE g
  S3 g
  SQLITE g
  URL g
 CLUSTER g
`

// privileges are all of the tree, by their names in upper case, and in the tree's order.
type privileges struct {
	named map[string]*privilege
	all   []*privilege
}

// none is a privilege that gives nothing.
var none = &privilege{name: "NONE"}

// known are the privileges, read once.
var known = sync.OnceValue(func() privileges {
	p := privileges{named: map[string]*privilege{"NONE": none, "USAGE": none, "NO PRIVILEGES": none}}
	var path []*privilege
	for line := range strings.Lines(tree) {
		line = strings.TrimRight(line, "\n")
		text := strings.TrimLeft(line, " ")
		if text == "" {
			continue
		}
		depth := len(line) - len(text)
		node := &privilege{number: len(p.all)}
		if space := len(text) - 2; text[space] == ' ' {
			node.level = level(strings.IndexByte("gdtc", text[space+1]))
			node.leaves = []*privilege{node}
			text = text[:space]
		}
		names := strings.Split(text, " | ")
		node.name, node.aliases = names[0], names[1:]
		for _, name := range names {
			p.named[strings.ToUpper(name)] = node
		}
		path = append(path[:depth:depth], node)
		if depth > 0 {
			path[depth-1].below = append(path[depth-1].below, node)
		}
		for _, group := range path[:depth] {
			group.leaves = append(group.leaves, node.leaves...)
		}
		p.all = append(p.all, node)
	}
	return p
})

// named returns a privilege; nil where there is none of this name.
func named(name string) *privilege { return known().named[strings.ToUpper(name)] }

// on are the leaves that can be granted at a level.
func (p *privilege) on(at level) []*privilege {
	return slices.DeleteFunc(slices.Clone(p.leaves), func(leaf *privilege) bool { return leaf.level < at })
}

// compact returns the fewest privileges that cover a set of leaves, in their order.
func compact(leaves map[*privilege]bool) []*privilege {
	var out []*privilege
	var visit func(*privilege)
	visit = func(p *privilege) {
		if !slices.ContainsFunc(p.leaves, func(leaf *privilege) bool { return !leaves[leaf] }) {
			out = append(out, p)
			return
		}
		for _, below := range p.below {
			visit(below)
		}
	}
	visit(known().all[0])
	return out
}

package clickhouse

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/aero-operator/aero/tests/localaiven/clickhousesql"
)

// loginTime is what a client has for its first message.
const loginTime = 10 * time.Second

// maxLogin is the longest name or password of a login, in bytes.
const maxLogin = 1 << 16

// oldest is the revision of the protocol whose settings are text; this server knows no older form.
const oldest = int(proto.FeatureSettingsSerializedAsStrings)

// session is one connection of a client.
type session struct {
	*server
	conn       net.Conn
	in         *proto.Reader
	out        proto.Buffer
	compressor *compress.Writer

	revision int // of the protocol, that both know
	catalog  *clickhousesql.Catalog
	who      clickhousesql.Session
}

func newSession(s *server, conn net.Conn) *session {
	return &session{server: s, conn: conn, in: proto.NewReader(conn), compressor: compress.NewWriter(0, compress.LZ4)}
}

// serve talks to the client until one of both has had enough. A client that breaks the protocol is disconnected.
func (c *session) serve() {
	// The library panics where a client announces an impossible length.
	defer func() { _ = recover() }()
	if c.conn.SetDeadline(time.Now().Add(loginTime)) != nil || c.hello() != nil || c.conn.SetDeadline(time.Time{}) != nil {
		return
	}
	for c.next() == nil {
	}
}

// code reads the type of the next message.
func (c *session) code() (proto.ClientCode, error) {
	n, err := c.in.UVarInt()
	return proto.ClientCode(n), err // an unknown code is refused by who asked
}

var errProtocol = errors.New("unexpected message")

// hello lets the client in, or returns why not.
func (c *session) hello() error {
	code, err := c.code()
	if err != nil || code != proto.ClientCodeHello {
		return errors.Join(err, errProtocol)
	}
	hello, err := c.readHello()
	if err != nil {
		return err
	}
	c.revision = min(hello.ProtocolVersion, proto.Version)
	refusal := c.admit(hello)
	if refusal != nil {
		return errors.Join(c.refuse(refusal), refusal)
	}
	greeting := proto.ServerHello{
		Name: "ClickHouse", Major: 25, Minor: 8, Patch: 1, Revision: proto.Version, Timezone: "UTC", DisplayName: c.name,
	}
	greeting.EncodeAware(&c.out, c.revision)
	if err := c.flush(); err != nil || !proto.FeatureAddendum.In(c.revision) {
		return err
	}
	_, err = c.in.Str() // the key of a quota; there are none
	return err
}

// readHello believes no length that a stranger announces; the library would allocate it.
func (c *session) readHello() (hello proto.ClientHello, err error) {
	text := func(into *string) {
		var length uint64
		if err == nil {
			length, err = c.in.UVarInt()
		}
		if err == nil && length > maxLogin {
			err = errProtocol
		}
		if err == nil {
			raw := make([]byte, length)
			err = c.in.ReadFull(raw)
			*into = string(raw)
		}
	}
	number := func(into *int) {
		if err == nil {
			*into, err = c.in.Int()
		}
	}
	text(&hello.Name)
	number(&hello.Major)
	number(&hello.Minor)
	number(&hello.ProtocolVersion)
	text(&hello.Database)
	text(&hello.User)
	text(&hello.Password)
	return hello, err
}

func (c *session) admit(hello proto.ClientHello) (refusal *clickhousesql.Error) {
	if c.revision < oldest {
		return clickhousesql.Errorf(clickhousesql.CodeNotImplemented, "The local Aiven knows no protocol older than revision %d", oldest)
	}
	if c.catalog, refusal = c.login(hello.User, hello.Password); refusal != nil {
		return refusal
	}
	c.who = clickhousesql.Session{User: hello.User, Database: cmp.Or(hello.Database, clickhousesql.DefaultDatabase)}
	if !c.catalog.HasDatabase(c.who.Database) {
		return clickhousesql.Errorf(clickhousesql.CodeUnknownDatabase, "Database %s does not exist", c.who.Database)
	}
	return nil
}

// next answers one message.
func (c *session) next() error {
	code, err := c.code()
	if err != nil {
		return err
	}
	switch code {
	case proto.ClientCodePing:
		proto.ServerCodePong.Encode(&c.out)
		return c.flush()
	case proto.ClientCodeCancel: // of a query that was answered meanwhile
		return nil
	case proto.ClientCodeQuery:
		return c.query()
	}
	return fmt.Errorf("%w %d", errProtocol, code)
}

func (c *session) query() error {
	var q proto.Query
	if err := q.DecodeAware(c.in, c.revision); err != nil {
		return err
	}
	if err := c.skipData(q.Compression); err != nil {
		return err
	}
	if len(q.Parameters) > 0 {
		return c.refuse(clickhousesql.Errorf(clickhousesql.CodeNotImplemented, "The local Aiven does not know parameters of queries"))
	}
	result, refusal := c.catalog.Execute(c.who, q.Body)
	if refusal != nil {
		return c.refuse(refusal)
	}
	return c.answer(result, q.Compression)
}

// skipData reads up to the empty block that ends what belongs to a query. More than that is an error: rows come with the
// query itself.
func (c *session) skipData(compression proto.Compression) error {
	code, err := c.code()
	if err != nil || code != proto.ClientCodeData {
		return errors.Join(err, errProtocol)
	}
	var data proto.ClientData
	if err := data.DecodeAware(c.in, c.revision); err != nil {
		return err
	}
	if compression == proto.CompressionEnabled {
		c.in.EnableCompression()
		defer c.in.DisableCompression()
	}
	var block proto.Block
	if err := block.DecodeBlock(c.in, c.revision, nil); err != nil {
		return err
	}
	if !block.End() {
		return errProtocol
	}
	return nil
}

func (c *session) refuse(refusal *clickhousesql.Error) error {
	proto.ServerCodeException.Encode(&c.out)
	exception := proto.Exception{Code: proto.Error(refusal.Code), Name: "DB::Exception", Message: refusal.Exception()} // our codes are small
	exception.EncodeAware(&c.out, c.revision)
	return c.flush()
}

// answer sends the columns, then the rows. A query without a result has only an end.
func (c *session) answer(result clickhousesql.Result, compression proto.Compression) error {
	if len(result.Columns) > 0 {
		blocks := []clickhousesql.Result{{Columns: result.Columns}, result}
		if len(result.Rows) == 0 {
			blocks = blocks[:1]
		}
		for _, block := range blocks {
			if err := c.block(block, compression); err != nil {
				return err
			}
		}
	}
	proto.ServerCodeEndOfStream.Encode(&c.out)
	return c.flush()
}

// block puts one into the buffer. All but its head may be compressed.
func (c *session) block(result clickhousesql.Result, compression proto.Compression) error {
	columns, err := encode(result)
	if err != nil {
		return err
	}
	proto.ServerCodeData.Encode(&c.out)
	if proto.FeatureTempTables.In(c.revision) {
		c.out.PutString("")
	}
	start := len(c.out.Buf)
	block := proto.Block{Columns: len(columns), Rows: len(result.Rows), Info: proto.BlockInfo{BucketNum: -1}}
	if err := block.EncodeBlock(&c.out, c.revision, columns); err != nil {
		return err
	}
	if compression == proto.CompressionEnabled {
		if err := c.compressor.Compress(c.out.Buf[start:]); err != nil {
			return err
		}
		c.out.Buf = append(c.out.Buf[:start], c.compressor.Data...)
	}
	return nil
}

func (c *session) flush() error {
	_, err := c.conn.Write(c.out.Buf)
	c.out.Reset()
	return err
}

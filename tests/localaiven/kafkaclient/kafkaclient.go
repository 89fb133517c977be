// Package kafkaclient connects to Kafka with nothing but the keys of a connection Secret, as an application does.
package kafkaclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// Secret is the data of a connection Secret, and the prefix of its keys.
type Secret struct {
	Data   map[string][]byte
	Prefix string
}

func (s Secret) value(key string) string { return string(s.Data[s.Prefix+key]) }

// WithCertificate connects with the user's certificate.
func (s Secret) WithCertificate() (*Client, error) {
	own, err := tls.X509KeyPair(s.Data[s.Prefix+"ACCESS_CERT"], s.Data[s.Prefix+"ACCESS_KEY"])
	if err != nil {
		return nil, fmt.Errorf("reading the user's certificate: %w", err)
	}
	return s.connect(net.JoinHostPort(s.value("HOST"), s.value("PORT")), []tls.Certificate{own})
}

// WithPassword connects with the user's name and password.
func (s Secret) WithPassword() (*Client, error) {
	login := scram.Auth{User: s.value("USERNAME"), Pass: s.value("PASSWORD")}
	return s.connect(net.JoinHostPort(s.value("SASL_HOST"), s.value("SASL_PORT")), nil, kgo.SASL(login.AsSha256Mechanism()))
}

// connect verifies the server's certificate with the published CA.
func (s Secret) connect(address string, own []tls.Certificate, options ...kgo.Opt) (*Client, error) {
	authority := x509.NewCertPool()
	if !authority.AppendCertsFromPEM([]byte(s.value("CA_CERT"))) {
		return nil, errors.New("the Secret has no CA certificate")
	}
	config := &tls.Config{RootCAs: authority, Certificates: own, MinVersion: tls.VersionTLS12}
	options = append(options, kgo.SeedBrokers(address), kgo.DialTLSConfig(config), kgo.RequestRetries(1),
		// Without this, a message that was sent once is tried for ever, whatever the context says.
		kgo.DisableIdempotentWrite(), kgo.RecordRetries(1))
	client, err := kgo.NewClient(options...)
	if err != nil {
		return nil, fmt.Errorf("connecting to Kafka: %w", err)
	}
	return &Client{client}, nil
}

// Client is a connection.
type Client struct{ kafka *kgo.Client }

// Close ends it.
func (c *Client) Close() { c.kafka.Close() }

// Login returns once the server has let the client in, or why it doesn't.
func (c *Client) Login(ctx context.Context) error { return c.kafka.Ping(ctx) }

// Produce writes a message.
func (c *Client) Produce(ctx context.Context, topic, message string) error {
	return c.kafka.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: []byte(message)}).FirstErr()
}

// Consume reads the first message of a topic.
func (c *Client) Consume(ctx context.Context, topic string) (string, error) {
	c.kafka.AddConsumeTopics(topic)
	fetched := c.kafka.PollFetches(ctx)
	if err := fetched.Err(); err != nil {
		return "", fmt.Errorf("reading topic %s: %w", topic, err)
	}
	for _, record := range fetched.Records() {
		return string(record.Value), nil
	}
	return "", fmt.Errorf("topic %s is empty", topic)
}

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/aero-operator/aero/tests/localaiven/kafkaclient"
)

// declareKafka applies the examples for Kafka, with the certificate and the password of one user in one Secret.
func (d *demo) declareKafka(ctx context.Context) error {
	for _, line := range []string{
		"kubectl apply -f docs/examples/kafka.yaml",
		"kubectl apply -f docs/examples/kafkatopic.yaml",
		"kubectl apply -f docs/examples/kafkaschema.yaml",
		"kubectl apply -f docs/examples/kafka/serviceuser.yaml",
		"kubectl apply -f docs/examples/kafkaacl.yaml",
	} {
		if err := d.enter(ctx, line); err != nil {
			return err
		}
	}
	d.print("")
	return d.await(ctx, stepTimeout, d.follow(kafkaExamples(), isReady))
}

// exchange sends a message to the topic and reads it, with each of the two ways to log in that the Secret allows.
func (d *demo) exchange(ctx context.Context) error {
	data, err := d.secret(ctx, kafkaSecret)
	if err != nil {
		return err
	}
	secret := kafkaclient.Secret{Data: data, Prefix: "ORDERS_KAFKA_"}
	for _, login := range []struct {
		with    string
		connect func() (*kafkaclient.Client, error)
	}{
		{"certificate", secret.WithCertificate},
		{"password", secret.WithPassword},
	} {
		d.say("As %s, with the %s in the Secret:", username, login.with)
		client, err := login.connect()
		if err != nil {
			return err
		}
		err = d.produceAndConsume(ctx, client)
		client.Close()
		if err != nil {
			return fmt.Errorf("with the %s: %w", login.with, err)
		}
	}
	return nil
}

func (d *demo) produceAndConsume(ctx context.Context, client *kafkaclient.Client) error {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	const message = `{"id": "1", "amount": 9.9}`
	if err := client.Produce(ctx, topic, message); err != nil {
		return fmt.Errorf("writing to topic %s: %w", topic, err)
	}
	d.good("written to topic %s: %s", topic, message)
	received, err := client.Consume(ctx, topic)
	switch {
	case err != nil:
		return err
	case received != message:
		return errors.New("the message that was read is another one: " + received)
	}
	d.good("read from topic %s: %s", topic, received)
	return nil
}

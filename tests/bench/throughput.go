package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	aivenclient "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/service"
	"golang.org/x/sync/errgroup"
)

const (
	throughputTime     = 3 * time.Second
	clientsPerCore     = 8
	throughputProject  = "throughput"
	throughputService  = "busy"
	measuredThroughput = "local Aiven: ServiceGet"
)

// throughput lets many clients read one service for a while, each over a connection of its own that is kept alive. The
// clients share the machine with the local Aiven, and only read the answers: decoding them is not its work.
func (w *world) throughput(ctx context.Context) error {
	account, err := aivenclient.NewClient(aivenclient.HostOpt(w.admin.URL), aivenclient.TokenOpt(token),
		aivenclient.DebugOpt(false), aivenclient.UserAgentOpt("aero-bench"))
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	_, err = account.ServiceCreate(ctx, throughputProject, &service.ServiceCreateIn{
		ServiceName: throughputService, ServiceType: "pg", Plan: "startup-4",
	})
	if err != nil {
		return fmt.Errorf("creating a service: %w", err)
	}
	clients := runtime.GOMAXPROCS(0) * clientsPerCore
	url := fmt.Sprintf("%s/v1/project/%s/service/%s?include_secrets=true", w.admin.URL, throughputProject, throughputService)
	answered, size, err := hammer(ctx, url, clients)
	if err != nil {
		return err
	}
	w.add(measuredThroughput, answered/throughputTime.Seconds(), "calls/s",
		fmt.Sprintf("%d clients for %s, answers of %d bytes, journal on", clients, throughputTime, size))
	if err := account.ServiceDelete(ctx, throughputProject, throughputService); err != nil {
		return fmt.Errorf("deleting the service: %w", err)
	}
	return nil
}

// hammer reads a URL as often as it can, and returns how often, and the length of an answer.
func hammer(ctx context.Context, url string, clients int) (float64, int64, error) {
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var answered, size atomic.Int64
	end := time.Now().Add(throughputTime)
	group, ctx := errgroup.WithContext(ctx)
	for range clients {
		group.Go(func() error {
			for time.Now().Before(end) {
				n, err := fetch(ctx, client, url)
				if err != nil {
					return err
				}
				size.Store(n)
				answered.Add(1)
			}
			return nil
		})
	}
	err := group.Wait()
	return float64(answered.Load()), size.Load(), err
}

// fetch reads an answer to its end, or else the connection could not be used again.
func fetch(ctx context.Context, client *http.Client, url string) (int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, fmt.Errorf("making a request: %w", err)
	}
	request.Header.Set("Authorization", "aivenv1 "+token)
	response, err := client.Do(request)
	if err != nil {
		return 0, fmt.Errorf("reading the service: %w", err)
	}
	n, err := io.Copy(io.Discard, response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return 0, fmt.Errorf("reading the service: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("reading the service: status %d", response.StatusCode)
	}
	return n, nil
}

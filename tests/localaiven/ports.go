package localaiven

import (
	"hash/fnv"
	"sync"
)

// Ports below the usual ephemeral range, so that nothing is likely to listen there.
const (
	firstPort = 20000
	portCount = 12000
)

// ports gives endpoints without an engine a port of their own: the same name gets the same one as long as it's free.
type ports struct {
	mu    sync.Mutex
	taken map[int]bool
}

func newPorts() *ports { return &ports{taken: map[int]bool{}} }

// take returns a free port for name. Once all are taken, ports are shared: there is no listener there anyway.
func (p *ports) take(name string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // a hash never fails to write
	start := int(h.Sum32() % portCount)
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range portCount {
		if port := firstPort + (start+i)%portCount; !p.taken[port] {
			p.taken[port] = true
			return port
		}
	}
	return firstPort + start
}

func (p *ports) free(port int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.taken, port)
}

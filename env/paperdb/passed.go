package paperdb

import (
	"slices"
	"strings"
	"sync"
)

const maxPassedBytes = 1 << 20

// passed has statements that were parsed, checked and bound without an error, since the rollouts of a question repeat
// many of them. The outcome depends on the text alone: the database is read-only and its settings are frozen. The zero
// value is ready to use.
type passed struct {
	mu         sync.Mutex
	statements map[string]statement // by original text
	size       int
}

// statement is the result of parser.pass.
type statement struct {
	text   string // to run
	tables []string
}

func (p *passed) get(text string) (statement, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.statements[text]
	s.tables = slices.Clone(s.tables)
	return s, ok
}

// keep clears the cache when it exceeds its maximum size.
func (p *passed) keep(text string, s statement) {
	size := len(text) + len(s.text)
	if size > maxPassedBytes/16 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.statements == nil || p.size+size > maxPassedBytes {
		p.statements, p.size = make(map[string]statement), 0
	}
	if _, ok := p.statements[text]; !ok {
		p.size += size
		p.statements[strings.Clone(text)] = statement{strings.Clone(s.text), slices.Clone(s.tables)}
	}
}

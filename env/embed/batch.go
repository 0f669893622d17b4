package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// batchSize is the number of texts per request that a server accepts, as far as it is known. A 500 may also be a passing
// fault, so it counts only if a larger request fails again after a smaller one was accepted.
type batchSize struct {
	texts    int  // in the next request
	lowered  bool // whether the server does not accept more
	hinted   bool // whether texts is a number from a message
	faulted  int  // size that got a 500 which may be a passing fault; 0 if there is none
	accepted int  // size accepted since then
}

// refuse chooses the size after the refusal of a request: the largest number in the message that can be a limit, else half.
// A number that did not help is not followed by one just below it.
func (b *batchSize) refuse(sent []string, e *refusedError) {
	n := len(sent)
	b.lowered = b.lowered || e.status != http.StatusInternalServerError
	switch {
	case b.accepted > 0 && b.accepted < n:
		b.texts, b.lowered = b.accepted, true
		return
	case !b.lowered:
		b.faulted = max(b.faulted, n)
	}
	most := n - 1
	if b.hinted {
		most = n / 2
	}
	limit := e.largestNumber(most, sent)
	b.texts, b.hinted = max(limit, 1), limit > 0
	if !b.hinted {
		b.texts = n / 2
	}
}

func (b *batchSize) accept(n int) {
	switch {
	case b.lowered || b.faulted == 0:
	case n >= b.faulted:
		b.faulted, b.accepted = 0, 0
	default:
		b.accepted, b.texts = max(b.accepted, n), b.faulted
	}
}

// sizes has the batch size of a server, which concurrent calls learn together.
type sizes struct {
	mu    sync.Mutex
	known batchSize
	noted bool // whether the user was notified of the limit
}

// batch embeds texts in as few requests as the server allows. Only the refusal of a single text is an error. Then the text may
// also be why larger requests were refused, and nothing is learned.
func (o *OpenAI) batch(ctx context.Context, texts []string) (made [][]float32, err error) {
	o.sizes.mu.Lock()
	size := o.sizes.known
	o.sizes.mu.Unlock()
	for len(made) < len(texts) {
		some := texts[len(made):]
		some = some[:min(len(some), size.texts)]
		vectors, err := o.send(ctx, some)
		if refused, ok := errors.AsType[*refusedError](err); ok && len(some) > 1 && refused.mayBeSize() {
			size.refuse(some, refused)
			continue
		}
		if err != nil {
			return nil, err
		}
		size.accept(len(some))
		made = append(made, vectors...)
	}
	o.sizes.mu.Lock()
	notify := false
	switch known := &o.sizes.known; {
	case size.lowered && size.texts < known.texts:
		*known = batchSize{texts: size.texts}
		notify, o.sizes.noted = !o.sizes.noted, true
	case !size.lowered && size.faulted <= known.texts: // else another call has lowered it
		known.faulted, known.accepted = size.faulted, size.accepted
	}
	o.sizes.mu.Unlock()
	if notify {
		o.config.Notice(fmt.Sprintf("the embedding server %s limits the texts per request to %d; --embed-batch %d avoids requests that it refuses",
			o.host, size.texts, size.texts))
	}
	return made, nil
}

// mayBeSize reports whether the server may have refused the number of texts.
func (e *refusedError) mayBeSize() bool {
	switch e.status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusInternalServerError:
		return true
	}
	return false
}

// largestNumber returns the largest number from 1 to most in the texts of the response; 0 if there is none. Texts that the
// response repeats from the request do not count, nor do numbers that are parts of names.
func (e *refusedError) largestNumber(most int, sent []string) (largest int) {
	var reply any
	if json.Unmarshal(e.body, &reply) != nil {
		reply = string(e.body)
	}
	for _, text := range stringsIn(reply) {
		if slices.Contains(sent, text) {
			continue
		}
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("=<>", r) }) {
			n, err := strconv.Atoi(strings.Trim(word, "()[]{}.,:;!?*'\"`"))
			if err == nil && n <= most {
				largest = max(largest, n)
			}
		}
	}
	return largest
}

// stringsIn returns the strings of a JSON value.
func stringsIn(value any) (list []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			list = append(list, stringsIn(e)...)
		}
	case map[string]any:
		for _, e := range v {
			list = append(list, stringsIn(e)...)
		}
	}
	return list
}

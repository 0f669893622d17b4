package runlog_test

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit"
	"airqa/runlog"
)

// manyLines is a log of episodes with one long message each, about 1 MiB a hundred.
func manyLines(from, to int) string {
	var b strings.Builder
	text := strings.Repeat("words and more ", 600)
	for i := from; i < to; i++ {
		id := fmt.Sprintf("u%d#0", i)
		fmt.Fprintf(&b, `{"type":"start","episode":%q,"seq":1,"time":"2031-05-01T12:00:00Z","uuid":"u%d","repeat":0}`+"\n", id, i)
		fmt.Fprintf(&b, `{"type":"message","episode":%q,"seq":2,"time":"2031-05-01T12:00:00Z","role":"user","parts":[{"text":%q}]}`+"\n", id, text)
		if i%50 == 0 {
			fmt.Fprintf(&b, `{"type":"later","episode":%q,"seq":3,"time":"2031-05-01T12:00:00Z"}`+"\n", id)
		}
	}
	return b.String()
}

// seen is the result of opening a directory, with the length of each episode's message.
func seen(t *testing.T, dir string) string {
	t.Helper()
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "unknown %d, torn %d, bad %v, %v\n", r.Unknown, r.Torn, r.BadLines, r.UUIDs())
	var some []string
	for i := 0; i < len(r.UUIDs()); i += 40 {
		some = append(some, r.UUIDs()[i])
	}
	for rec, err := range r.Episodes(append(some, r.UUIDs()[len(r.UUIDs())-1])...) {
		if err != nil {
			fmt.Fprintf(&b, "%s: %v\n", rec.Episode, err)
			continue
		}
		fmt.Fprintf(&b, "%s %d %d\n", rec.Episode, rec.Events, len(rec.Messages[0].Text))
	}
	return b.String()
}

// A log reads the same with its index, without it, with an old one and with a wrong one.
func TestIndex(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := create(t)
	log, index := filepath.Join(dir, runlog.LogFile), filepath.Join(dir, "log.idx")
	put := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	have := func() []byte {
		t.Helper()
		raw, err := os.ReadFile(index)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	fresh := func() string {
		t.Helper()
		if err := os.Remove(index); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		want := seen(t, dir)
		return want
	}

	put(log, manyLines(0, 150))
	want := fresh()
	old := have()
	if diff := cmp.Diff(want, seen(t, dir)); diff != "" {
		t.Fatalf("with an index (-without +with):\n%s", diff)
	}
	logs := map[string]string{
		"longer":             manyLines(0, 170),
		"longer and torn":    manyLines(0, 170) + `{"type":"start","episode":"x#0","se`,
		"much longer":        manyLines(0, 290),
		"shorter":            manyLines(0, 130),
		"another":            manyLines(5000, 5150),
		"with a bad line":    manyLines(0, 150) + "no event\n",
		"the same beginning": manyLines(0, 140) + manyLines(900, 915),
	}
	for name, text := range logs {
		put(log, text)
		want := fresh()
		for what, raw := range map[string][]byte{
			"old": old, "cut": old[:len(old)/2], "flipped": append(bytes.Clone(old[:len(old)-40]), make([]byte, 40)...),
			"empty": nil, "cut after its mark": old[:len(indexMark)], "cut in its checksum": old[:len(indexMark)+3], "another file": []byte("{}\n"),
		} {
			put(index, string(raw))
			if diff := cmp.Diff(want, seen(t, dir)); diff != "" {
				t.Fatalf("a log that is %s with an index that is %s (-without +with):\n%s", name, what, diff)
			}
		}
	}
}

// The index is written again after another 1 MiB, not after every line.
func TestIndexIsRewritten(t *testing.T) {
	dir := create(t)
	index := func(lines int) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, runlog.LogFile), []byte(manyLines(0, lines)), 0o600); err != nil {
			t.Fatal(err)
		}
		seen(t, dir)
		raw, err := os.ReadFile(filepath.Join(dir, "log.idx"))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	first := index(150)
	if index(200) != first {
		t.Error("a few new lines made a new index")
	}
	if index(290) == first {
		t.Error("1 MiB of new lines made no new index")
	}
}

// indexMark starts an index.
const indexMark = "airqa log index 3\n"

// A crafted index with a correct checksum is ignored if it does not describe its log.
func TestCraftedIndex(t *testing.T) {
	dir := create(t)
	path := filepath.Join(dir, "log.idx")
	if err := os.WriteFile(filepath.Join(dir, runlog.LogFile), []byte(manyLines(0, 150)), 0o600); err != nil {
		t.Fatal(err)
	}
	want := seen(t, dir)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	body := raw[len(indexMark) : len(raw)-4]
	type index struct {
		Size         int64
		Print        []byte
		Episodes     []string
		Codes, Sizes []uint32
	}
	edited := func(edit func(*index)) []byte {
		var x index
		if err := gob.NewDecoder(bytes.NewReader(body)).Decode(&x); err != nil || len(x.Episodes) != 150 || len(x.Codes) != len(x.Sizes) {
			t.Fatalf("%+v, %v", x, err)
		}
		edit(&x)
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(x); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for name, crafted := range map[string][]byte{
		"empty":               nil,
		"cut":                 body[:len(body)/2],
		"another type":        edited(func(*index) {})[1:],
		"a negative size":     edited(func(x *index) { x.Size = -1 }),
		"a small size":        edited(func(x *index) { x.Size = 1 }),
		"a size of the ends":  edited(func(x *index) { x.Size-- }),
		"a size beyond":       edited(func(x *index) { x.Size = 1 << 40 }),
		"no fingerprint":      edited(func(x *index) { x.Print = nil }),
		"no names":            edited(func(x *index) { x.Episodes = nil }),
		"too many names":      edited(func(x *index) { x.Episodes = append(x.Episodes, "more#0") }),
		"a name twice":        edited(func(x *index) { x.Episodes[1] = x.Episodes[0] }),
		"a missing line":      edited(func(x *index) { x.Codes, x.Sizes = x.Codes[1:], x.Sizes[1:] }),
		"a line without size": edited(func(x *index) { x.Sizes = x.Sizes[1:] }),
		"a bad line":          edited(func(x *index) { x.Codes[0] = 0 }),
		"an unknown episode":  edited(func(x *index) { x.Codes[0] = math.MaxUint32 }),
		"a longer line":       edited(func(x *index) { x.Sizes[0]++ }),
		"a line of huge size": edited(func(x *index) { x.Sizes[0] = math.MaxUint32 }),
	} {
		sealed := binary.LittleEndian.AppendUint32(append([]byte(indexMark), crafted...), crc32.ChecksumIEEE(crafted))
		if err := os.WriteFile(path, sealed, 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, seen(t, dir)); diff != "" {
			t.Errorf("%s (-without +with):\n%s", name, diff)
		}
	}
}

// A change at either end of the indexed log makes its index stale.
func TestStaleIndex(t *testing.T) {
	dir := create(t)
	log := filepath.Join(dir, runlog.LogFile)
	text := manyLines(0, 150)
	if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	seen(t, dir)
	const end = 4 << 10
	for _, at := range []int{0, end - 1, len(text) - end, len(text) - 2} {
		raw := []byte(text)
		raw[at] = '"' // unbalanced: the line is not JSON
		if err := os.WriteFile(log, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := runlog.Open(dir); err != nil || len(r.BadLines) != 1 {
			t.Errorf("byte %d changed: bad lines %v, %v", at, r.BadLines, err)
		}
	}
}

// A damaged line that is repaired in place is no longer bad.
func TestMendedLine(t *testing.T) {
	dir := create(t)
	log := filepath.Join(dir, runlog.LogFile)
	text := manyLines(0, 150)
	for _, bad := range []bool{true, false} {
		raw := text
		if bad {
			raw = strings.Replace(text, `{"type":"start","episode":"u100#0"`, `["type":"start","episode":"u100#0"`, 1)
		}
		if err := os.WriteFile(log, []byte(raw), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := runlog.Open(dir)
		if err != nil || (len(r.BadLines) > 0) != bad {
			t.Fatalf("bad lines %v, %v", r.BadLines, err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	if err := runlog.Create(dir, runlog.Config{}, nil); err != nil {
		b.Fatal(err)
	}
	text := manyLines(0, 10_000)
	if err := os.WriteFile(filepath.Join(dir, runlog.LogFile), []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, indexed := range []bool{false, true} {
		b.Run(fmt.Sprintf("%dMB/index=%v", len(text)>>20, indexed), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !indexed {
					_ = os.Remove(filepath.Join(dir, "log.idx"))
				}
				if _, err := runlog.Open(dir); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

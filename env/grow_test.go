package env_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"airqa/env"
	"airqa/env/embed"
	"airqa/env/paperdb"
	"airqa/internal/testkit/milvustest"
	"airqa/qa"
	"airqa/tools"
)

// cheap embeds a text as random numbers of its own, in no time.
type cheap struct{}

const cheapDim = 384 // as all-MiniLM-L6-v2

func (cheap) Info() embed.Info { return embed.Info{Model: "cheap", Dim: cheapDim} }

func (cheap) Windows(text string) []string { return []string{text} }

func (cheap) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		seed := uint64(14695981039346656037)
		for _, c := range []byte(text) {
			seed = (seed ^ uint64(c)) * 1099511628211
		}
		r := rand.New(rand.NewPCG(seed, 0))
		vectors[i] = make([]float32, cheapDim)
		for j := range vectors[i] {
			vectors[i][j] = float32(r.NormFloat64())
		}
	}
	return vectors, nil
}

// invented makes a paper of about 160 cells: 12 pages, two passages on each, 20 sections, 50 references.
func invented(seed int) paperdb.Paper {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	words := func(n int) string {
		list := make([]string, n)
		for i := range list {
			// A few words are frequent, most are rare, as in text.
			list[i] = "w" + strconv.Itoa(int(100000*r.Float64()*r.Float64()*r.Float64()*r.Float64()))
		}
		return strings.Join(list, " ")
	}
	title := fmt.Sprint("Paper ", seed, " ", words(8))
	id := qa.PaperUUID(title, "")
	p := paperdb.Paper{
		Metadata: paperdb.Metadata{PaperID: id, Title: title, Abstract: words(150), NumPages: 12},
		File:     paperdb.File{SHA256: fmt.Sprint("sha of ", seed), Parser: "1"},
	}
	for n := range 12 {
		page := qa.PageUUID(id, n+1)
		first, second := words(300), words(300)
		p.Pages = append(p.Pages, paperdb.Page{ID: page, Number: n + 1, Width: 612, Height: 792, Content: first + " " + second})
		for k, text := range []string{first, second} {
			p.Chunks = append(p.Chunks, paperdb.Chunk{ID: qa.PartUUID(id, n+1, "chunk", k+1), Text: text, Ordinal: 2*n + k + 1, PageID: page})
		}
	}
	for i := range 20 {
		p.Sections = append(p.Sections, paperdb.Section{ID: qa.SectionUUID(id, i), Title: words(4), Content: words(300), Ordinal: i})
	}
	for i := range 50 {
		p.References = append(p.References, paperdb.Reference{ID: qa.ReferenceUUID(id, i+1), Content: words(20), Ordinal: i, PageID: p.Pages[11].ID})
	}
	return p
}

// sizes are numbers of papers: one small one with -short. AIRQA_BENCH_PAPERS=14000 adds a size.
func sizes() []int {
	if testing.Short() {
		return []int{20}
	}
	n, err := strconv.Atoi(os.Getenv("AIRQA_BENCH_PAPERS"))
	if err != nil {
		return []int{250, 1000, 4000}
	}
	return []int{250, 1000, 4000, n}
}

// BenchmarkGrow measures what one more paper costs, and a search, in directories of different sizes.
func BenchmarkGrow(b *testing.B) {
	for _, n := range sizes() {
		b.Run(fmt.Sprint("papers=", n), func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), "data")
			begin := cpu()
			grow(b, env.WriterConfig{Dir: dir}, 0, n)
			b.ReportMetric((cpu()-begin)/float64(n), "cpu-ms/paper")
			for i := range b.N {
				begin = cpu()
				grow(b, env.WriterConfig{Dir: dir}, n+i, n+i+1)
				b.ReportMetric(cpu()-begin, "cpu-ms/add")
				b.ReportMetric(anonymous(b), "rss-MB")
			}
			begin = cpu()
			search(b, dir)
			b.ReportMetric(cpu()-begin, "cpu-ms/search")
			b.ReportMetric(size(b, dir)/float64(n+b.N)/1024, "disk-KB/paper")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkGrowServer measures what one more paper costs when the collections are on Milvus Lite: time, also of the server,
// requests, and records that are sent.
func BenchmarkGrowServer(b *testing.B) {
	for _, n := range []int{6, 60, 250} {
		if testing.Short() && n > 6 {
			break
		}
		b.Run(fmt.Sprint("papers=", n), func(b *testing.B) {
			var requests, rows atomic.Int64
			address := milvustest.Start(b).Proxy(b, func(r milvustest.Request) error {
				requests.Add(1)
				if !strings.HasSuffix(r.Collection, "airqa_catalog") {
					rows.Add(int64(r.Rows))
				}
				return nil
			})
			cfg := env.WriterConfig{Dir: filepath.Join(b.TempDir(), "data"), Vectors: "milvus://" + address}
			grow(b, cfg, 0, n)
			requests.Store(0)
			rows.Store(0)
			b.ResetTimer()
			for i := range b.N {
				grow(b, cfg, n+i, n+i+1)
			}
			b.ReportMetric(float64(requests.Load())/float64(b.N), "requests/add")
			b.ReportMetric(float64(rows.Load())/float64(b.N), "records/add")
		})
	}
}

// grow adds the papers of seeds from to to-1.
func grow(b *testing.B, cfg env.WriterConfig, from, to int) {
	b.Helper()
	cfg.Embedder = cheap{}
	w, err := env.OpenWriter(b.Context(), cfg)
	if err != nil {
		b.Fatal(err)
	}
	for seed := from; seed < to; seed++ {
		if err := w.Put(b.Context(), invented(seed), nil); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Finish(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// search opens the directory and retrieves passages once.
func search(b *testing.B, dir string) {
	b.Helper()
	e, err := env.Open(b.Context(), env.Config{Dir: dir, Embedder: cheap{}, Mode: env.Hybrid})
	if err != nil {
		b.Fatal(err)
	}
	hits, err := e.Retrieve(b.Context(), "w1 w20 w300", 5, tools.Scope{})
	if err != nil || len(hits) != 5 {
		b.Fatal(hits, err)
	}
	if err := e.Close(); err != nil {
		b.Fatal(err)
	}
}

// cpu returns the processor time of this process in milliseconds.
func cpu() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail
	return float64(u.Utime.Sec+u.Stime.Sec)*1e3 + float64(u.Utime.Usec+u.Stime.Usec)/1e3
}

// anonymous returns the memory of this process without mapped files, in MB.
func anonymous(b *testing.B) float64 {
	b.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0 // not Linux
	}
	for line := range strings.Lines(string(text)) {
		if kb, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(kb), "kB")), 64)
			if err != nil {
				b.Fatal(err)
			}
			return n / 1024
		}
	}
	return 0
}

// size returns the bytes of all files of a directory.
func size(b *testing.B, dir string) (bytes float64) {
	b.Helper()
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			bytes += float64(info.Size())
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return bytes
}

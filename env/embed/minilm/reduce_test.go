package minilm

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the reduced weights instead of comparing them")

// The committed weights are the reduced form of the original, without the classification head and the position ids, which
// text vectors do not need. To make them again:
//
//	AIRQA_MINILM_DIR=DIR go test ./env/embed/minilm -run Convert -update
func TestConvert(t *testing.T) {
	const committed = "model-int8.safetensors"
	dir := os.Getenv("AIRQA_MINILM_DIR")
	if dir == "" {
		t.Skip("AIRQA_MINILM_DIR names no folder with the full-precision model")
	}
	data, err := os.ReadFile(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	src, err := parseWeights(data)
	if err != nil {
		t.Fatal(err)
	}
	used := func(name string) bool {
		return !strings.HasPrefix(name, "pooler.") && name != "embeddings.position_ids"
	}
	var got bytes.Buffer
	if err := reduce(&got, src, used, map[string]string{
		"model":   "all-MiniLM-L6-v2",
		"origin":  "sentence-transformers/all-MiniLM-L6-v2, revision 1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
		"licence": "Apache-2.0",
		"change":  "matrices rounded to 8-bit integers in groups of 32 with a float16 scale; classification head left out",
	}); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(committed, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got %d bytes that differ from the committed %d", got.Len(), len(want))
	}
}

func TestReduce(t *testing.T) {
	want := make([]float32, 64)
	for i := range want {
		want[i] = float32(math.Sin(float64(i))) * float32(1+i/32*100)
	}
	src, err := parseWeights(file(`{"m":{"dtype":"F32","shape":[1,64],"data_offsets":[0,256]},`+
		`"b":{"dtype":"F32","shape":[1],"data_offsets":[256,260]},"no":{"dtype":"I64","shape":[],"data_offsets":[260,268]}}`,
		append(f32(append(want, 7)...), make([]byte, 8)...)...))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = reduce(&out, src, func(name string) bool { return name != "no" }, map[string]string{"by": "test"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := parseWeights(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if f.Metadata["by"] != "test" || f.Metadata["format"] != "1" || f.Metadata[keyPayload] != f.Sum() {
		t.Errorf("metadata %v, digest %s", f.Metadata, f.Sum())
	}
	m, err := f.matrix("m", 1, 64)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float32, 64)
	m.Row(got, 0, 0)
	for i := range want {
		if d := math.Abs(float64(got[i] - want[i])); d > 0.5/126*float64(1+i/32*100) {
			t.Errorf("number %d is %v, want %v", i, got[i], want[i])
		}
	}
	if diff := cmp.Diff([]string{"b", "m", "m.scale"}, byOffset(f.header)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// align is the alignment of the data of a reduced file, in bytes.
const align = 64

// reduce writes src in the reduced form. Each matrix that keep admits is stored as I8, with an additional F16 tensor
// NAME.scale with one step per [Group] numbers of a row. Vectors are stored as F32. The step of a group is its largest
// magnitude over 127, rounded to float16; its integers are the numbers divided by the step, rounded to even. The
// metadata are note, the format, and the digests of the data and of its source. The output is deterministic.
func reduce(w io.Writer, src *weightsFile, keep func(name string) bool, note map[string]string) error {
	header, payload := map[string]any{}, bytes.Buffer{}
	add := func(name, dtype string, shape []int, data []byte) {
		header[name] = entry{Dtype: dtype, Shape: shape, Offsets: [2]int{payload.Len(), payload.Len() + len(data)}}
		payload.Write(data)
	}
	for _, name := range slices.Sorted(maps.Keys(src.header)) {
		if !keep(name) {
			continue
		}
		if err := src.reduced(name, add); err != nil {
			return err
		}
	}
	meta := maps.Clone(note)
	meta["format"], meta["source_sha256"] = "1", src.Sum()
	meta[keyPayload] = (&weightsFile{payload: payload.Bytes()}).Sum()
	header["__metadata__"] = meta
	return write(w, header, payload.Bytes())
}

func (f *weightsFile) reduced(name string, add func(name, dtype string, shape []int, data []byte)) error {
	shape := f.header[name].Shape
	if len(shape) == 1 {
		v, err := f.Vector(name, shape[0])
		if err != nil {
			return err
		}
		data, err := binary.Append(nil, binary.LittleEndian, v)
		add(name, "F32", shape, data)
		return err
	}
	if len(shape) != 2 || shape[1]%groupSize != 0 {
		return fmt.Errorf("%w: tensor %q of shape %v has no groups of %d", errWeights, name, shape, groupSize)
	}
	m, err := f.matrix(name, shape[0], shape[1])
	if err != nil {
		return err
	}
	ints, steps := m.reduced()
	add(name, "I8", shape, ints)
	add(name+stepSuffix, "F16", []int{shape[0], shape[1] / groupSize}, steps)
	return nil
}

func (m matrix) reduced() (ints, steps []byte) {
	row := make([]float32, m.Cols)
	for r := range m.Rows {
		m.Row(row, r, 0)
		for group := range slices.Chunk(row, groupSize) {
			step := toHalf(largest(group) / 127)
			steps = binary.LittleEndian.AppendUint16(steps, step)
			for _, v := range group {
				ints = append(ints, byte(toInt8(v, fromHalf(step))))
			}
		}
	}
	return ints, steps
}

func toInt8(v, step float32) int8 {
	if step == 0 {
		return 0
	}
	return int8(max(-127, min(127, math.RoundToEven(float64(v)/float64(step)))))
}

func largest(v []float32) float32 {
	var m float32
	for _, x := range v {
		m = max(m, x, -x)
	}
	return m
}

func write(w io.Writer, header map[string]any, payload []byte) error {
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	for (8+len(text))%align != 0 {
		text = append(text, ' ')
	}
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	for _, part := range [][]byte{head, text, payload} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("write weights: %w", err)
		}
	}
	return nil
}

// toHalf rounds to the nearest binary16 number, ties to even. Numbers too large become infinite.
func toHalf(f float32) uint16 {
	bits := math.Float32bits(f)
	sign, abs := uint16(bits>>16)&0x8000, bits&0x7fffffff
	switch {
	case abs > 0x7f800000:
		return sign | 0x7e00
	case abs >= 0x477ff000: // 65520 and above round to infinity
		return sign | 0x7c00
	case abs < 0x38800000: // below 2^-14 the step is 2^-24
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(abs))*(1<<24)))
	}
	abs += 0xfff + (abs>>13)&1
	return sign | uint16((abs-0x38000000)>>13)
}

package minilm

import (
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// file prepends a header to data, as in safetensors.
func file(header string, data ...byte) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), data...)
}

func f32(v ...float32) []byte {
	out, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err) // a slice of numbers has a size
	}
	return out
}

func TestParse(t *testing.T) {
	f, err := parseWeights(file(`{"__metadata__":{"a":"b"},"v":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},`+
		`"m":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]}}  `, f32(1, 2, 3, 4)...))
	if err != nil {
		t.Fatal(err)
	}
	v, err := f.Vector("v", 2)
	if diff := cmp.Diff([]float32{1, 2}, v); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	m, err := f.matrix("m", 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float32, 1)
	m.Row(row, 0, 1)
	if diff := cmp.Diff([]float32{4}, row); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"a": "b"}, f.Metadata); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseErrors(t *testing.T) {
	tensor := func(s string) string { return `{"a":` + s + `}` }
	tests := []struct {
		name    string
		data    []byte
		wantErr string
	}{
		{"empty", nil, "only 0 bytes"},
		{"header longer than the file", file("{}")[:9], "header of 2 bytes"},
		{"header of 2^63 bytes", []byte("\x00\x00\x00\x00\x00\x00\x00\x80{}"), "header of"},
		{"no JSON", file("{"), "header"},
		{"JSON array", file("[]"), "header"},
		{"metadata of numbers", file(`{"__metadata__":{"a":1}}`), "metadata"},
		{"unknown dtype", file(tensor(`{"dtype":"F31","shape":[1],"data_offsets":[0,4]}`), 1, 2, 3, 4), "F31"},
		{"unknown field", file(tensor(`{"dtype":"F32","shape":[],"data_offsets":[0,4],"x":1}`), 1, 2, 3, 4), "unknown field"},
		{"past the end", file(tensor(`{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`), 1, 2, 3, 4), "offsets"},
		{"backwards", file(tensor(`{"dtype":"U8","shape":[2],"data_offsets":[3,1]}`), 1, 2, 3, 4), "offsets"},
		{"negative", file(tensor(`{"dtype":"U8","shape":[2],"data_offsets":[-2,0]}`), 1, 2, 3, 4), "offsets"},
		{"shape too large", file(tensor(`{"dtype":"F32","shape":[2],"data_offsets":[0,4]}`), 1, 2, 3, 4), "shape"},
		{"shape overflows", file(tensor(`{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}`)), "shape"},
		{"negative shape", file(tensor(`{"dtype":"F32","shape":[-1,-1],"data_offsets":[0,4]}`), 1, 2, 3, 4), "shape"},
		{"fraction", file(tensor(`{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}`), 1, 2, 3, 4), "1.5"},
		{"data left over", file(tensor(`{"dtype":"U8","shape":[2],"data_offsets":[0,2]}`), 1, 2, 3, 4), "left over"},
		{"hole", file(tensor(`{"dtype":"U8","shape":[2],"data_offsets":[2,4]}`), 1, 2, 3, 4), "begins at byte 2"},
		{"overlap", file(`{"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},` +
			`"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}`), "offsets"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseWeights(tt.data)
			if !errors.Is(err, errWeights) || !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("got %v, want ErrFormat with %q", err, tt.wantErr)
			}
		})
	}
}

func TestTensorErrors(t *testing.T) {
	f, err := parseWeights(file(`{"i":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},`+
		`"q":{"dtype":"I8","shape":[1,4],"data_offsets":[8,12]},"r":{"dtype":"I8","shape":[0,32],"data_offsets":[12,12]}}`,
		make([]byte, 12)...))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		err  func() error
		want string
	}{
		{"absent", func() error { _, err := f.Vector("x", 1); return err }, `no tensor "x"`},
		{"another shape", func() error { _, err := f.Vector("i", 2); return err }, "shape [1], want [2]"},
		{"vector of integers", func() error { _, err := f.Vector("i", 1); return err }, "I64 is not supported"},
		{"groups do not fit", func() error { _, err := f.matrix("q", 1, 4); return err }, "multiple of 32"},
		{"no steps", func() error { _, err := f.matrix("r", 0, 32); return err }, `no tensor "r.scale"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.err()
			if !errors.Is(err, errWeights) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want ErrFormat with %q", err, tt.want)
			}
		})
	}
}

// The embedded file matches its declared digest.
func TestCarriedDigest(t *testing.T) {
	data, err := os.ReadFile("model-int8.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	f, err := parseWeights(data)
	if err != nil {
		t.Fatal(err)
	}
	if declared := f.Metadata[keyPayload]; declared != f.Sum() {
		t.Errorf("declared digest %s, computed %s", declared, f.Sum())
	}
}

func FuzzParse(f *testing.F) {
	f.Add(file(`{"v":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, f32(1, 2)...))
	f.Add(file(`{"m":{"dtype":"I8","shape":[1,32],"data_offsets":[0,32]},"m.scale":{"dtype":"F16","shape":[1,1],"data_offsets":[32,34]}}`,
		make([]byte, 34)...))
	f.Fuzz(func(_ *testing.T, data []byte) {
		file, err := parseWeights(data)
		if err != nil {
			return
		}
		for name := range file.header {
			readAll(file, name)
		}
	})
}

// readAll reads a tensor of any shape. It may return an error but must not crash.
func readAll(file *weightsFile, name string) {
	shape := file.header[name].Shape
	switch len(shape) {
	case 1:
		_, _ = file.Vector(name, shape[0])
	case 2:
		m, err := file.matrix(name, shape[0], shape[1])
		if err != nil {
			return
		}
		row := make([]float32, shape[1])
		for r := range min(m.Rows, 100) {
			m.Row(row, r, 0)
		}
	}
}

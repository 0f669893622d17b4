package weights

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
)

// align is the alignment of the data of a reduced file, in bytes.
const align = 64

// Reduce writes src in the reduced form. Each matrix that keep admits is stored as I8, with an additional F16 tensor
// NAME.scale with one step per [Group] numbers of a row. Vectors are stored as F32. The step of a group is its largest
// magnitude over 127, rounded to float16; its integers are the numbers divided by the step, rounded to even. The
// metadata are note, [KeyFormat], [KeyPayload] and [KeySource]. The output is deterministic.
func Reduce(w io.Writer, src *File, keep func(name string) bool, note map[string]string) error {
	header, payload := map[string]any{}, bytes.Buffer{}
	add := func(name, dtype string, shape []int, data []byte) {
		header[name] = entry{Dtype: dtype, Shape: shape, Offsets: [2]int{payload.Len(), payload.Len() + len(data)}}
		payload.Write(data)
	}
	for _, name := range slices.Sorted(maps.Keys(src.header)) {
		if !keep(name) {
			continue
		}
		if err := src.reduce(name, add); err != nil {
			return err
		}
	}
	meta := maps.Clone(note)
	meta[KeyFormat], meta[KeySource] = Format, src.Sum()
	meta[KeyPayload] = (&File{payload: payload.Bytes()}).Sum()
	header["__metadata__"] = meta
	return write(w, header, payload.Bytes())
}

func (f *File) reduce(name string, add func(name, dtype string, shape []int, data []byte)) error {
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
	if len(shape) != 2 || shape[1]%Group != 0 {
		return fmt.Errorf("%w: tensor %q of shape %v has no groups of %d", ErrFormat, name, shape, Group)
	}
	m, err := f.Matrix(name, shape[0], shape[1])
	if err != nil {
		return err
	}
	ints, steps := m.reduced()
	add(name, "I8", shape, ints)
	add(name+stepSuffix, "F16", []int{shape[0], shape[1] / Group}, steps)
	return nil
}

func (m Matrix) reduced() (ints, steps []byte) {
	row := make([]float32, m.Cols)
	for r := range m.Rows {
		m.Row(row, r, 0)
		for group := range slices.Chunk(row, Group) {
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

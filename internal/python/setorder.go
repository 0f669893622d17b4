package python

import (
	"math"
	"math/big"
)

// setOrder sorts the elements of a set literal into CPython's iteration order if that is deterministic: for numbers.
// Python's hashes of texts vary between processes, so a set with other elements keeps the order of first appearance.
// written counts the elements including repetitions.
func setOrder(items []Value, written int) Set {
	if len(items) < 2 {
		return items
	}
	entries := make([]setEntry, len(items))
	for i, v := range items {
		h, ok := hashNumber(v)
		if !ok {
			return items
		}
		entries[i] = setEntry{hash: h, item: v, used: true}
	}
	t := newSetTable(setMinimum)
	t.addAll(entries)
	if written > 2 { // the compiler folds three or more constants into a set, rebuilt from the elements of the first
		folded := newSetTable(setMinimum)
		folded.addAll(t.slots)
		t = folded.merged()
	}
	return t.items()
}

// setMinimum is the table size of an empty set; setProbes is the number of neighbours probed before a jump.
const (
	setMinimum = 8
	setProbes  = 9
)

// setEntry is one slot of a set's table.
type setEntry struct {
	hash uint64
	item Value
	used bool
}

// setTable is CPython's hash table of a set; only the order of its slots matters here.
type setTable struct {
	slots []setEntry
	count int
}

func newSetTable(size int) *setTable { return &setTable{slots: make([]setEntry, size)} }

// addAll adds the elements of slots in order and grows the table whenever it is three fifths full.
func (t *setTable) addAll(slots []setEntry) {
	for _, e := range slots {
		if e.used {
			t.insert(e)
			if t.count*5 >= (len(t.slots)-1)*3 {
				*t = *t.resized(t.count * 4)
			}
		}
	}
}

// insert puts e into the first free slot of its probe sequence.
func (t *setTable) insert(e setEntry) {
	mask := uint64(len(t.slots) - 1)
	perturb, i := e.hash, e.hash&mask
	for {
		probes := uint64(0)
		if i+setProbes <= mask {
			probes = setProbes
		}
		for j := i; j <= i+probes; j++ {
			if !t.slots[j].used {
				t.slots[j] = e
				t.count++
				return
			}
		}
		perturb >>= 5
		i = (i*5 + 1 + perturb) & mask
	}
}

// resized returns the table with room for more than minimum elements.
func (t *setTable) resized(minimum int) *setTable {
	size := setMinimum
	for size <= minimum {
		size *= 2
	}
	out := newSetTable(size)
	for _, e := range t.slots {
		if e.used {
			out.insert(e)
		}
	}
	return out
}

// merged returns an empty set after adding the constant t, as the compiled code does.
func (t *setTable) merged() *setTable {
	size := setMinimum
	if t.count*5 >= (setMinimum-1)*3 {
		for size <= t.count*2 {
			size *= 2
		}
	}
	if size == len(t.slots) {
		return t
	}
	return t.resized(size - 1)
}

func (t *setTable) items() Set {
	out := make(Set, 0, t.count)
	for _, e := range t.slots {
		if e.used {
			out = append(out, e.item)
		}
	}
	return out
}

// hashPrime is the modulus of Python's hash of numbers, 2^hashBits - 1.
const (
	hashBits  = 61
	hashPrime = 1<<hashBits - 1
)

// hashNumber is Python's hash() of a real number; false for other values and for NaN.
func hashNumber(v Value) (uint64, bool) {
	switch x := v.(type) {
	case bool:
		return uint64(boolToInt(x)), true
	case int64:
		return hashInt(big.NewInt(x)), true
	case *big.Int:
		return hashInt(x), true
	case float64:
		if math.IsNaN(x) {
			return 0, false
		}
		return hashFloat(x), true
	}
	return 0, false
}

func hashInt(i *big.Int) uint64 {
	rest := new(big.Int).Rem(new(big.Int).Abs(i), big.NewInt(hashPrime))
	return signedHash(rest.Uint64(), i.Sign() < 0)
}

// hashFloat reduces mantissa times two to the exponent, so that a whole float hashes like the int. Since two to the
// hashBits is one under the modulus, a power of two only rotates the bits.
func hashFloat(f float64) uint64 {
	const mantissaBits = 53
	if math.IsInf(f, 0) {
		return signedHash(314159, f < 0)
	}
	fraction, exponent := math.Frexp(math.Abs(f))
	x := uint64(math.Ldexp(fraction, mantissaBits)) // below hashPrime
	turn := ((exponent-mantissaBits)%hashBits + hashBits) % hashBits
	x = x<<turn&hashPrime | x>>(hashBits-turn)
	return signedHash(x, f < 0)
}

// signedHash applies the sign of the number to a hash; -1 is reserved.
func signedHash(x uint64, negative bool) uint64 {
	if !negative {
		return x
	}
	if x == 1 {
		x = 2
	}
	return -x
}

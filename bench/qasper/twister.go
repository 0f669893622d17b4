package qasper

import "math/bits"

// twister is the Mersenne Twister as Python's random module seeds and uses it (Matsumoto and Nishimura 1998, MT19937).
type twister struct {
	state [624]uint32
	next  int
}

func newTwister(seed uint32) *twister {
	t := &twister{next: 624}
	t.state[0] = 19650218
	for i := 1; i < 624; i++ {
		t.state[i] = 1812433253*(t.state[i-1]^t.state[i-1]>>30) + uint32(i)
	}
	i := 1
	mix := func(factor, add uint32) {
		t.state[i] = (t.state[i] ^ (t.state[i-1]^t.state[i-1]>>30)*factor) + add
		if i++; i == 624 {
			t.state[0], i = t.state[623], 1
		}
	}
	for range 624 {
		mix(1664525, seed)
	}
	for range 623 {
		mix(1566083941, -uint32(i))
	}
	t.state[0] = 1 << 31
	return t
}

func (t *twister) uint32() uint32 {
	if t.next == 624 {
		for i := range t.state {
			y := t.state[i]&(1<<31) | t.state[(i+1)%624]&(1<<31-1)
			t.state[i] = t.state[(i+397)%624] ^ y>>1 ^ (y&1)*0x9908b0df
		}
		t.next = 0
	}
	y := t.state[t.next]
	t.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// below is random.choice: as many high bits as n has, drawn again while they are not below n.
func (t *twister) below(n int) int {
	for {
		if r := int(t.uint32() >> (32 - bits.Len(uint(n)))); r < n {
			return r
		}
	}
}

package runlog

import (
	"cmp"
	"slices"
)

// course follows the events of an episode.
type course struct {
	run   *Run
	lines []line
	// from is the index of the first event of the last attempt.
	from int
	// next is the index of the first line that is not counted in messages.
	next, messages int
}

func newCourse(r *Run, episode int) *course {
	c := &course{run: r, lines: r.lines[episode]}
	for i := len(c.lines) - 1; i > 0; i-- {
		if c.role(i) == roleStart {
			c.from = i
			break
		}
	}
	c.next = c.from
	return c
}

func (c *course) role(i int) uint32 {
	_, role := episodeOf(c.run.index.codes[c.lines[i].number-1])
	return role
}

// find returns the index of a line of the episode.
func (c *course) find(at line) int {
	i, _ := slices.BinarySearchFunc(c.lines, at, func(a, b line) int { return cmp.Compare(a.offset, b.offset) })
	return i
}

// message returns the index of the message that a line of the last attempt makes, or -1. It is fastest in the order of
// the lines.
func (c *course) message(at line) int {
	i := c.find(at)
	if i < c.next {
		c.next, c.messages = c.from, 0
	}
	for ; c.next < i; c.next++ {
		if c.role(c.next) == roleMessage {
			c.messages++
		}
	}
	if c.role(i) != roleMessage {
		return -1
	}
	return c.messages
}

// maxCourses is the number of episodes that a worker follows at once. Others are counted from their beginning again.
const maxCourses = 1000

// course returns the course of an episode.
func (w *grepWorker) course(episode int) *course {
	c := w.courses[episode]
	if c == nil {
		if len(w.courses) >= maxCourses {
			clear(w.courses)
		}
		c = newCourse(w.run, episode)
		w.courses[episode] = c
	}
	return c
}

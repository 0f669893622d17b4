//go:build race

package main

// raceEnabled is true under the race detector, which takes several times the memory.
const raceEnabled = true

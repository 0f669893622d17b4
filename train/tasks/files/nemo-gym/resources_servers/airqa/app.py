"""NeMo Gym starts a program for each server in its configuration. airqa serve runs already, so this one only waits."""

import signal

signal.pause()

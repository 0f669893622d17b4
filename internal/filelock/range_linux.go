package filelock

// setRange locks a part of an open file (F_OFD_SETLK): closing another handle of the file does not free it.
const setRange = 37

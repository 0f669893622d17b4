//go:build !unix

package filelock

import "os"

func try(*os.File) error { return nil }

func peek(*os.File) error { return nil }

// TakeByte does nothing here.
func TakeByte(*os.File, int64) error { return nil }

// FreeByte does nothing here.
func FreeByte(*os.File, int64) error { return nil }

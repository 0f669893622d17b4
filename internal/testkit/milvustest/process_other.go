//go:build !linux

package milvustest

import "syscall"

// endWithParent does nothing on this system: a server outlives a killed test program.
func endWithParent() *syscall.SysProcAttr { return nil }

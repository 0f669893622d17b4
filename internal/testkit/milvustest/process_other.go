//go:build !linux

package milvustest

import "syscall"

// endWithParent is nothing on this system: a server outlives a test program that is killed.
func endWithParent() *syscall.SysProcAttr { return nil }

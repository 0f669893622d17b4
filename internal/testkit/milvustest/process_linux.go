package milvustest

import "syscall"

// endWithParent ends the server when the test program is killed.
func endWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

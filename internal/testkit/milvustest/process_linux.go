package milvustest

import "syscall"

// endWithParent lets the server end when the test program is killed.
func endWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

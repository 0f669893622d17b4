package terminal

import (
	"regexp"
	"strings"
)

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-][A-Za-z0-9_./:=@%+,#-]*$`)

// ShellWord quotes s for a shell if necessary. It does not make s safe to print.
func ShellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

package terminal

import (
	"strings"

	"airqa/internal/lazyregexp"
)

var plainWord = lazyregexp.New(`^[A-Za-z0-9_./:=@%+,-][A-Za-z0-9_./:=@%+,#-]*$`)

// ShellWord quotes s for a shell if necessary. It does not make s safe to print.
func ShellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

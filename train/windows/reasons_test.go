package windows_test

import (
	"slices"
	"testing"

	"airqa/train/windows"
)

// The paper's Table 7 counts replies without a usable call and calls that fail; a turn that is left out for another reason
// is no error action.
func TestErrorActions(t *testing.T) {
	failed := []windows.Reason{windows.NoAction, windows.BadSyntax, windows.UnknownAction, windows.BadParameter, windows.ActionFailed}
	for _, r := range append(slices.Clone(failed), windows.NoResult, windows.EmptyTarget, windows.CopiedTurn, "wrong", "unscored", "turns", "") {
		if got, want := r.IsErrorAction(), slices.Contains(failed, r); got != want {
			t.Errorf("%q: error action %v, want %v", r, got, want)
		}
	}
}

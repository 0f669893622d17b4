package main

import (
	"os"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
	"github.com/posener/complete"

	"airqa/baselines"
)

// completionScripts make the shells call airqa for completions: it prints them when COMP_LINE is set.
var completionScripts = map[string]string{
	"bash": "complete -o default -o bashdefault -C airqa airqa",
	"zsh":  "autoload -U +X bashcompinit && bashcompinit\ncomplete -o default -o bashdefault -C airqa airqa",
	"fish": `function __complete_airqa
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct)
    and set COMP_LINE "$COMP_LINE "
    airqa
end
complete -c airqa -a "(__complete_airqa)"`,
}

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c completionCmd) Run(a *app) error { return a.print(completionScripts[c.Shell]) }

// completes prints completions if a shell requested them, and reports whether one did.
func completes(parser *kong.Kong) bool {
	if os.Getenv("COMP_LINE") == "" {
		return false
	}
	code := -1
	kongcompletion.Register(parser, kongcompletion.WithExitFunc(func(c int) { code = c }), kongcompletion.WithPredictors(map[string]complete.Predictor{
		"baseline": complete.PredictSet(append([]string{"all"}, baselines.Names()...)...),
		"command": complete.PredictFunc(func(complete.Args) (names []string) {
			for _, c := range parser.Model.Children {
				names = append(names, c.Name)
			}
			return names
		}),
	}))
	return code == exitDone
}

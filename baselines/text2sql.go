package baselines

import (
	"context"

	"airqa/agent/action"
	"airqa/prompts"
	"airqa/qa"
	"airqa/tools"
)

// writeSQL does not correct a failing statement: its error message becomes the context.
func writeSQL(ctx context.Context, j job) error {
	hints, err := j.world.Prompts.Render("hints_query", nil)
	if err != nil {
		return err
	}
	text, err := j.world.Prompts.Render("text2sql", prompts.Data{"schema": j.world.Schema, "hints": hints})
	if err != nil {
		return err
	}
	question, err := j.task(j.example, j.ids())
	if err != nil {
		return err
	}
	reply, err := j.ask(ctx, qa.Message{Role: qa.System, Text: text}, qa.Message{Role: qa.User, Text: question})
	if err != nil {
		return err
	}
	sql := action.LastBlock(reply)
	result, err := j.act(ctx, tools.Query{}, map[string]any{"sql": sql})
	if err != nil {
		return err
	}
	papers, err := j.titles(ctx)
	if err != nil {
		return err
	}
	for i, id := range j.ids() {
		papers[i] += " (" + id + ")" // the statement and its rows refer to papers by id
	}
	return j.finish(ctx, j.example, papers, prompts.Data{
		"given":   ". The context holds the result of an SQL statement on a database of the papers.",
		"context": "\n[SQL]: " + sql + "\n[Context]: \n" + result,
	})
}

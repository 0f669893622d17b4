package tasks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/train/export"
)

// source is the name of the data set and of the environment in the rows.
const source = "airqa"

type message struct {
	Role    string `json:"role"    parquet:"role"`
	Content string `json:"content" parquet:"content"`
}

func (t task) messages() []message {
	return []message{{"system", export.Safe(t.System)}, {"user", export.Safe(t.Prompt)}}
}

// rows returns the file of a split and its name.
func (c Config) rows(p split) (name string, raw []byte, err error) {
	switch c.Format {
	case Verl:
		return c.table(p, c.verlRow)
	case SkyRL:
		return c.table(p, skyrlRow)
	case NeMoGym:
		return c.lines(p, c.gymRow)
	case TRL:
		return c.lines(p, c.trlRow)
	}
	return "", nil, qa.Usagef("unknown format %q", c.Format)
}

func (c Config) table(p split, row func(task) any) (string, []byte, error) {
	var rows []any
	for _, t := range p.tasks {
		rows = append(rows, row(t))
	}
	var b bytes.Buffer
	err := export.WriteTable(&b, source, rows)
	return p.name + ".parquet", b.Bytes(), err
}

func (c Config) lines(p split, row func(task) (any, error)) (string, []byte, error) {
	var b bytes.Buffer
	for _, t := range p.tasks {
		v, err := row(t)
		if err != nil {
			return "", nil, err
		}
		line, err := ledger.Encode(v)
		if err != nil {
			return "", nil, err
		}
		b.Write(line)
	}
	return p.name + ".jsonl", b.Bytes(), nil
}

// column is a field of a struct that is made at run time: the tools of a baseline are columns.
type column struct {
	name  string
	value any
}

func record(columns ...column) any {
	fields := make([]reflect.StructField, len(columns))
	for i, c := range columns {
		fields[i] = reflect.StructField{
			Name: fmt.Sprintf("C%d", i), Type: reflect.TypeOf(c.value), Tag: reflect.StructTag(fmt.Sprintf("parquet:%q", c.name)),
		}
	}
	v := reflect.New(reflect.StructOf(fields)).Elem()
	for i, c := range columns {
		v.Field(i).Set(reflect.ValueOf(c.value))
	}
	return v.Interface()
}

// verlRow is a row of verl 0.9. verl creates a tool for each call, with create_kwargs.
func (c Config) verlRow(t task) any {
	var tools []column
	for _, spec := range c.Tools {
		tools = append(tools, column{spec.Name, record(column{"create_kwargs", record(column{"question_id", t.UUID})})})
	}
	return record(
		column{"data_source", source},
		column{"prompt,list", t.messages()},
		column{"ability", "paper-qa"},
		column{"reward_model", record(column{"style", "rule"}, column{"ground_truth", t.Truth})},
		column{"extra_info", record(
			column{"split", t.Split}, column{"index", int64(t.Index)}, column{"question_id", t.UUID},
			column{"need_tools_kwargs", true}, column{"tools_kwargs", record(tools...)},
		)},
		column{"agent_name", "tool_agent"},
	)
}

func skyrlRow(t task) any {
	return record(
		column{"data_source", source},
		column{"prompt,list", t.messages()},
		column{"env_class", source},
		column{"reward_spec", record(column{"method", "rule"}, column{"ground_truth", t.Truth})},
		column{"extra_info", record(column{"split", t.Split}, column{"index", int64(t.Index)}, column{"question_id", t.UUID})},
	)
}

// gymTool is a tool in the parameters of the Responses API.
type gymTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

type gymParams struct {
	Input    []message `json:"input"`
	Tools    []gymTool `json:"tools"`
	Parallel bool      `json:"parallel_tool_calls"`
}

type questionID struct {
	ID string `json:"question_id"`
}

type agentRef struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

// gymRow is a row of NeMo Gym 0.4. Unknown keys are allowed at the top only.
func (c Config) gymRow(t task) (any, error) {
	tools := make([]gymTool, len(c.Tools))
	for i, spec := range c.Tools {
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
			Required   []string                   `json:"required"`
		}
		if err := json.Unmarshal(spec.Parameters, &schema); err != nil {
			return nil, err
		}
		strict := len(schema.Properties) == len(schema.Required) // endpoints refuse it for optional arguments
		tools[i] = gymTool{"function", spec.Name, spec.Description, spec.Parameters, strict}
	}
	return struct {
		Params   gymParams  `json:"responses_create_params"`
		Verifier questionID `json:"verifier_metadata"`
		Agent    agentRef   `json:"agent_ref"`
		Truth    string     `json:"ground_truth,omitempty"`
	}{gymParams{t.messages(), tools, false}, questionID{t.UUID}, agentRef{"responses_api_agents", "airqa_simple_agent"}, c.gold(t)}, nil
}

// trlRow is a row for the environments of TRL, whose reset gets all columns.
func (c Config) trlRow(t task) (any, error) {
	return struct {
		Prompt []message `json:"prompt"`
		ID     string    `json:"question_id"`
		Split  string    `json:"split"`
		Truth  string    `json:"ground_truth,omitempty"`
	}{t.messages(), t.UUID, t.Split, c.gold(t)}, nil
}

// gold is the gold of a task where the format has no field for the reward; empty without --with-gold.
func (c Config) gold(t task) string {
	if !c.WithGold {
		return ""
	}
	return t.Truth
}

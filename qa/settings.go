package qa

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Protocol defines how a model acts.
type Protocol string

// The protocols. Trajectories have the same structure in all of them.
const (
	// ReActText is the paper's protocol: thought and action are written as text. "react-json", "react-xml" and "react-yaml" write
	// the action in another format.
	ReActText Protocol = "react"
	// NativeTools offers the tools natively, for models that handle the text protocol badly (Section 4.2).
	NativeTools Protocol = "tools"
	// Mixed offers the tools natively and reads an action from the text of a reply without a call.
	Mixed Protocol = "mixed"
)

// Native reports whether tools are offered natively.
func (p Protocol) Native() bool { return p == NativeTools || p == Mixed }

// Format is the format of actions that are written as text: python, json, xml or yaml.
func (p Protocol) Format() string {
	if format, ok := strings.CutPrefix(string(p), string(ReActText)+"-"); ok {
		return format
	}
	return "python"
}

// The papers that Retrieve searches for a question, in [ToolSettings]. A ranking always searches the papers of its pool.
const (
	// ScopeAnchors is the papers that the question names, or all papers if it names none.
	ScopeAnchors = "anchors"
	// ScopeConference differs for a question that names conferences and no paper: it is the papers of these conferences.
	ScopeConference = "conference"
	ScopeAll        = "all"
)

// Settings shape the episodes of a run, along with its model, texts, questions and papers. The tags of a field define
// its flag (name, default, help), its key in run.json (json), and the value that is not recorded (unrecorded): flags,
// record and fork share this list. A field of type [time.Duration] is recorded in seconds.
type Settings struct {
	ToolSettings
	Window   int      `json:"window" name:"window" default:"5" help:"Turns of history shown to the model (paper: 5)."`
	Protocol Protocol `json:"protocol" name:"protocol" default:"react" unrecorded:"react" enum:"react,react-json,react-xml,react-yaml,tools,mixed" help:"How the model calls tools: react (in text, as in the paper), react-json, react-xml or react-yaml (in text of that format), tools (native function calling) or mixed (native, or in text if a reply has no native call)."`

	FormatErrors  int `json:"format_errors" name:"format-errors" default:"0" placeholder:"N" help:"End an episode after N unreadable replies in a row; 0 means never."`
	ContextTokens int `json:"context_tokens" name:"context-tokens" default:"5000" placeholder:"N" help:"Maximum context tokens of baselines that make a single call (paper: 5,000)."`
	Passages      int `json:"passages" name:"passages" default:"4" placeholder:"N" help:"Number of passages that rag retrieves (authors' code: 4)."`

	QuestionLimits
}

// ToolSettings shape what an agent sees of the tools, whether airqa or a client asks the model.
type ToolSettings struct {
	Turns             int    `json:"turns" name:"turns" default:"20" help:"Maximum turns of an agent, or calls of a client (paper: 20)."`
	Rows              int    `json:"rows" name:"rows" default:"0" unrecorded:"0" placeholder:"N" help:"Maximum rows shown per result of Query and Retrieve (authors' code: 10); 0 means that only --observation-tokens limits a result."`
	Retrieve          string `json:"retrieve" name:"retrieve" default:"dense" enum:"dense,bm25,hybrid" help:"How Retrieve searches: dense (paper), bm25 or hybrid."`
	Scope             string `json:"scope" name:"scope" default:"anchors" enum:"anchors,conference,all" help:"Papers that Retrieve searches: anchors (those that the question names, or all if it names none; authors' code), conference (the same, but only papers of its conferences if it names conferences and no paper) or all."`
	RepeatLimit       int    `json:"repeat_limit" name:"repeat-limit" default:"0" unrecorded:"0" placeholder:"N" help:"Say from the Nth identical call in a row that it repeats itself, and end the episode after 2N; 0 means never (paper)."`
	ObservationTokens int    `json:"observation_tokens" name:"observation-tokens" default:"5000" placeholder:"N" help:"Maximum tokens of one tool result (paper: 5,000)."`
}

// Amount is a cost or a number of tokens. The zero value is no limit.
type Amount struct {
	USD    float64
	Tokens int
	// Text is the amount as it was given, for the record.
	Text string
}

// UnmarshalText reads "0.05usd" or "60000tokens"; a number alone is in USD. An invalid text changes nothing.
func (a *Amount) UnmarshalText(text []byte) error {
	given := Amount{Text: string(text)}
	var err error
	number, tokens := strings.CutSuffix(given.Text, "tokens")
	switch {
	case given.Text == "":
	case tokens:
		given.Tokens, err = strconv.Atoi(number)
	default:
		given.USD, err = strconv.ParseFloat(strings.TrimSuffix(number, "usd"), 64)
	}
	if err != nil || given.Tokens < 0 || !(given.USD >= 0) || math.IsInf(given.USD, 1) {
		return fmt.Errorf("%q: want a cost such as 0.05usd or a number such as 60000tokens", given.Text)
	}
	*a = given
	return nil
}

// String is the amount as it was given.
func (a Amount) String() string { return a.Text }

// QueryLimit limits a statement.
type QueryLimit struct {
	QuerySeconds float64 `json:"query_seconds" name:"query-seconds" default:"30" unrecorded:"30" placeholder:"S" help:"Timeout of one SQL statement, in seconds."`
}

// QueryDeadline is QuerySeconds as a duration.
func (l QueryLimit) QueryDeadline() time.Duration {
	return time.Duration(l.QuerySeconds * float64(time.Second))
}

// QuestionLimits are the budgets of one question. 0 is unlimited.
type QuestionLimits struct {
	QueryLimit
	QuestionBudget   Amount        `json:"question_budget" name:"question-budget" unrecorded:"" placeholder:"AMOUNT" help:"Limit of one question: a cost such as 0.05usd, or tokens of prompts and replies such as 60000tokens."`
	QuestionDeadline time.Duration `json:"question_deadline_seconds" name:"question-deadline" unrecorded:"0s" placeholder:"20m" help:"Timeout of one question, including waiting; a call in flight is cancelled. If the endpoint was failing until then, the question is retried and not counted as wrong."`
}

// Sampling has the generation settings, with the same tags as [Settings]. Nil, zero and empty values are not sent, so
// the endpoint's defaults apply.
type Sampling struct {
	Temperature *float64 `json:"temperature" name:"temperature" placeholder:"T" help:"Sampling temperature. Default: 0.7, or 0.6 for reasoning models (paper); for other models 0.1 in enrich and 0 in bench annotate."`
	// TopP is in (0, 1].
	TopP *float64 `json:"top_p" name:"top-p" default:"0.95" help:"Nucleus sampling (paper: 0.95)."`
	// Seed is sent even if it is 0.
	Seed *int `json:"seed" name:"seed" help:"Sampling seed to send to the endpoint. Default: none."`
	// MaxTokens limits the reply, including hidden reasoning. It is sent as max_tokens, or as max_completion_tokens to
	// models that require that: reasoning models at OpenAI's own hosts, and models of endpoints whose error asks for
	// it. Anthropic requires a limit: 0 is 4096 there.
	MaxTokens int `json:"max_tokens" name:"max-tokens" unrecorded:"0" placeholder:"N" help:"Maximum tokens of one reply, including hidden reasoning. Default: 1500 (authors' code), or 8000 for reasoning models."`
	// ReasoningEffort is the effort of a reasoning model: "low", "medium", "high" or a value specific to the endpoint.
	ReasoningEffort string `json:"reasoning_effort" name:"reasoning-effort" unrecorded:"" placeholder:"LEVEL" help:"Reasoning effort: low, medium or high. The model is then treated as a reasoning model, even if airqa list models does not list it as such."`
}

// Reasons reports whether the settings are for a reasoning model.
func (s Sampling) Reasons() bool { return s.ReasoningEffort != "" && s.ReasoningEffort != "none" }

// DefaultSettings returns the settings of the paper (Appendix C.2), from the default tags.
func DefaultSettings() Settings {
	var s Settings
	each(reflect.ValueOf(&s).Elem(), func(f reflect.StructField, v reflect.Value) {
		if text, ok := f.Tag.Lookup("default"); ok {
			set(v, text)
		}
	})
	return s
}

// Record returns the settings by their keys in run.json.
func (s Settings) Record() map[string]any { return recordOf(s) }

// Record returns the values that are set, by their names in OpenAI's protocol. Requests and run records both use it, so
// they cannot differ.
func (s Sampling) Record() map[string]any { return recordOf(s) }

// SettingsOf reads the settings of a record, with defaults for missing values. It ignores other keys.
func SettingsOf(record map[string]any) Settings {
	s := DefaultSettings()
	each(reflect.ValueOf(&s).Elem(), func(f reflect.StructField, v reflect.Value) {
		if value, ok := record[f.Tag.Get("json")]; ok {
			set(v, textOf(v.Type(), value))
		}
	})
	return s
}

// FlagsOf returns the recorded values of a struct with the tags of [Settings] as flag values: strings, or lists of
// strings.
func FlagsOf(fields any, record map[string]any) map[string]any {
	flags := map[string]any{}
	each(reflect.ValueOf(fields), func(f reflect.StructField, v reflect.Value) {
		switch value := record[f.Tag.Get("json")].(type) {
		case nil:
		case []any:
			flags[f.Tag.Get("name")] = value
		default:
			flags[f.Tag.Get("name")] = textOf(v.Type(), value)
		}
	})
	return flags
}

// each calls f for every field with a key, including those of embedded structs.
func each(v reflect.Value, f func(reflect.StructField, reflect.Value)) {
	for i := range v.NumField() {
		switch field := v.Type().Field(i); {
		case field.Anonymous:
			each(v.Field(i), f)
		case field.Tag.Get("json") != "":
			f(field, v.Field(i))
		}
	}
}

func recordOf(fields any) map[string]any {
	record := map[string]any{}
	each(reflect.ValueOf(fields), func(f reflect.StructField, v reflect.Value) {
		unrecorded, some := f.Tag.Lookup("unrecorded")
		switch {
		case v.Kind() == reflect.Pointer && v.IsNil(), v.Kind() == reflect.Slice && v.Len() == 0:
			return
		case some && fmt.Sprint(v.Interface()) == unrecorded:
			return
		}
		record[f.Tag.Get("json")] = plain(reflect.Indirect(v))
	})
	return record
}

// plain converts a value to its JSON form.
func plain(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case time.Duration:
		return x.Seconds()
	case Protocol:
		return string(x)
	case Amount:
		return x.Text
	default:
		return x
	}
}

// textOf formats a recorded value for a flag of the given type. It avoids exponents, which integer flags do not parse.
func textOf(t reflect.Type, value any) string {
	text := fmt.Sprint(value)
	if x, ok := value.(float64); ok {
		text = strconv.FormatFloat(x, 'f', -1, 64)
	}
	if t == reflect.TypeFor[time.Duration]() && !strings.HasSuffix(text, "s") {
		text += "s"
	}
	return text
}

// set parses a text into a field; an invalid one leaves it unchanged.
func set(v reflect.Value, text string) {
	switch x := v.Addr().Interface().(type) {
	case *time.Duration:
		if d, err := time.ParseDuration(text); err == nil {
			*x = d
		}
		return
	case *Amount:
		_ = x.UnmarshalText([]byte(text))
		return
	}
	switch v.Kind() {
	case reflect.Int:
		if n, err := strconv.Atoi(text); err == nil {
			v.SetInt(int64(n))
		}
	case reflect.Float64:
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			v.SetFloat(x)
		}
	case reflect.Bool:
		v.SetBool(text == "true")
	case reflect.String:
		v.SetString(text)
	default:
		panic("qa: unsupported setting type " + v.Type().String())
	}
}

// AsInPaper is what --as-in-paper set, such as "turns 20", and what differs from the paper all the same.
type AsInPaper struct {
	Sets    []string `json:"sets"`
	Differs []string `json:"differs"`
}

package export

import (
	"io"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/train"
	"airqa/train/format"
)

// stepRow is a turn of the model, or an action of the program. Columns of kinds that a turn lacks are empty or 0; null means
// unknown.
type stepRow struct {
	// ID is the id of the row in all formats; empty for a turn that is no row of the export. TurnID is never empty.
	ID       string `parquet:"id"`
	TurnID   string `parquet:"turn_id"`
	Run      string `parquet:"run,dict"`
	Question string `parquet:"question,dict"`
	Repeat   int32  `parquet:"repeat"`
	Turn     int32  `parquet:"turn"`
	By       string `parquet:"by,dict"`
	Baseline string `parquet:"baseline,dict"`
	Model    string `parquet:"model,dict"`

	Thought    string `parquet:"thought"`
	Reply      string `parquet:"reply"`
	Reasoning  string `parquet:"reasoning"`
	Action     string `parquet:"action,dict"`
	Arguments  string `parquet:"arguments"` // JSON
	ParseError string `parquet:"parse_error,dict"`

	Status      string `parquet:"status,dict"`
	Observation string `parquet:"observation"`
	Shortened   bool   `parquet:"observation_shortened"`
	Images      int32  `parquet:"images"`

	Prompt     int64    `parquet:"prompt_tokens"`
	Completion int64    `parquet:"completion_tokens"`
	Cached     int64    `parquet:"cached_tokens"`
	Hidden     int64    `parquet:"reasoning_tokens"`
	FromCache  bool     `parquet:"from_cache"`
	USD        *float64 `parquet:"cost_usd,optional"`
	// Seconds are those of the model and of the tool.
	ModelSeconds float64 `parquet:"model_seconds"`
	ToolSeconds  float64 `parquet:"tool_seconds"`
	Started      *int64  `parquet:"started,optional,timestamp(millisecond)"`
}

// answerRow is one repeat of one question in one run.
type answerRow struct {
	Run      string `parquet:"run,dict"`
	UUID     string `parquet:"uuid"`
	Repeat   int32  `parquet:"repeat"`
	Baseline string `parquet:"baseline,dict"`
	Model    string `parquet:"model,dict"`
	Split    string `parquet:"split,dict"`
	// Rows counts the rows of the export.
	Rows int32 `parquet:"rows"`

	Question string `parquet:"question"`
	Answer   string `parquet:"answer"`
	Function string `parquet:"eval_func,dict"`
	// Verdict is empty and Score null for an answer that was never scored; Score is also null if the scoring failed.
	Verdict    string   `parquet:"verdict,dict"`
	Score      *float64 `parquet:"score,optional"`
	FormatOnly bool     `parquet:"format_only"`
	Outcome    string   `parquet:"outcome,dict"`

	Turns      int32    `parquet:"turns"`
	Prompt     int64    `parquet:"prompt_tokens"`
	Completion int64    `parquet:"completion_tokens"`
	USD        *float64 `parquet:"cost_usd,optional"`
	Seconds    float64  `parquet:"seconds"`
	Started    *int64   `parquet:"started,optional,timestamp(millisecond)"`

	Tags       []string `parquet:"tags,list"`
	Conference []string `parquet:"conference,list"`
	Papers     []string `parquet:"papers,list"`
}

// groupBytes is the approximate size of the text in a row group, which is in memory until it is complete.
const groupBytes = 16 << 20

// tableWriter writes a table in Parquet. It is not safe for concurrent use.
type tableWriter[T stepRow | answerRow] struct {
	w     *parquet.GenericWriter[T]
	bytes int
}

// newTableWriter begins a table; name is the name of its schema.
func newTableWriter[T stepRow | answerRow](to io.Writer, name string) *tableWriter[T] {
	return &tableWriter[T]{w: parquet.NewGenericWriter[T](to, tableOptions(name, new(T))...)}
}

// tableOptions are those of all tables; model is a row.
func tableOptions(name string, model any) []parquet.WriterOption {
	return []parquet.WriterOption{
		parquet.NewSchema(name, parquet.SchemaOf(model)), parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest, Concurrency: 1}),
		parquet.CreatedBy("airqa", "1", ""), parquet.DataPageStatistics(true),
	}
}

// WriteTable writes structs of one type, whose fields have the tags of Parquet, as a table. The type may be made at run
// time. There must be a row.
func WriteTable(to io.Writer, name string, rows []any) error {
	w := parquet.NewGenericWriter[any](to, tableOptions(name, rows[0])...)
	const group = 5000
	for part := range slices.Chunk(rows, group) {
		if _, err := w.Write(part); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return w.Close()
}

// Write adds a row. bytes is the size of its texts.
func (w *tableWriter[T]) Write(row T, bytes int) error {
	if _, err := w.w.Write([]T{row}); err != nil {
		return err
	}
	if w.bytes += bytes + 200; w.bytes < groupBytes {
		return nil
	}
	w.bytes = 0
	return w.w.Flush()
}

// Close ends the table, without closing what it writes to.
func (w *tableWriter[T]) Close() error { return w.w.Close() }

// tableEpisode is a recorded episode to write as rows of both tables.
type tableEpisode struct {
	format.Episode
	Example qa.Example
	Split   string
}

func (e tableEpisode) edit(role qa.Role, text string) string {
	return e.Edit(qa.Message{Role: role, Text: text}).Text
}

// Steps returns the rows of an episode, and the size of their texts.
func (e tableEpisode) Steps() (rows []stepRow, bytes int, err error) {
	for _, s := range e.Trajectory.Steps {
		row := stepRow{
			Run: e.Run, Question: e.UUID, Repeat: int32(e.Repeat), Turn: int32(s.N), By: s.By, Baseline: e.Baseline, Model: e.Model, //nolint:gosec // small numbers
			ModelSeconds: seconds(s.Started, s.Acted), ToolSeconds: seconds(s.Acted, s.Ended), Started: millis(s.Started),
		}
		row.ID, row.TurnID = e.Rows[s.N], train.RowID(e.Run, e.UUID, e.Repeat, s.N)
		if r := s.Reply; r != nil {
			row.Thought, row.Reply = e.edit(qa.Assistant, s.Thought()), e.edit(qa.Assistant, r.Text)
			row.Reasoning = e.edit(qa.Assistant, r.Reasoning)
			row.Prompt, row.Completion = int64(r.Usage.Prompt), int64(r.Usage.Completion)
			row.Cached, row.Hidden = int64(r.Usage.Cached), int64(r.Usage.Reasoning)
			row.FromCache = r.Cached
			row.USD = e.ReplyUSD(r)
		}
		if s.Action != nil {
			args, err := ledger.Encode(s.Action.Args)
			if err != nil {
				return nil, 0, err
			}
			row.Action, row.Arguments = s.Action.Name, e.edit(qa.Assistant, string(args[:len(args)-1]))
		}
		if s.ParseError != nil {
			row.ParseError = s.ParseError.Kind
		}
		if o := s.Observation; o != nil {
			row.Status, row.Observation = string(o.Status), e.edit(qa.ToolResult, o.Text)
			row.Shortened = o.Cut != nil
			row.Images = int32(len(o.Images)) //nolint:gosec // few images
		}
		bytes += len(row.Thought) + len(row.Reply) + len(row.Reasoning) + len(row.Arguments) + len(row.Observation)
		rows = append(rows, row)
	}
	return rows, bytes, nil
}

func (e tableEpisode) Answer() answerRow {
	usage := e.Usage().Add(e.Charged())
	a := answerRow{
		Run: e.Run, UUID: e.UUID, Repeat: int32(e.Repeat), Baseline: e.Baseline, Model: e.Model, Split: e.Split, Rows: int32(len(e.Rows)), //nolint:gosec // small numbers
		Question: e.edit(qa.User, e.Example.Question), Answer: e.edit(qa.Assistant, e.Trajectory.Answer.Text),
		Function: e.Example.Evaluator.Func, Outcome: string(e.Outcome),
		Turns:  int32(e.Turns()), //nolint:gosec // few turns
		Prompt: int64(usage.Prompt), Completion: int64(usage.Completion), USD: e.USD(), Seconds: seconds(e.Started, e.Ended),
		Started: millis(e.Started), Tags: e.Example.Tags, Conference: e.Example.Conference, Papers: e.Example.Papers(),
	}
	if e.Score != nil {
		a.Verdict, a.FormatOnly = string(e.Score.Verdict), e.Score.FormatOnly
		if e.Score.Verdict != qa.Unscored {
			a.Score = &e.Score.Value
		}
	}
	return a
}

func millis(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}

func seconds(from, to time.Time) float64 {
	if from.IsZero() || to.IsZero() {
		return 0
	}
	return to.Sub(from).Seconds()
}

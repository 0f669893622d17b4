// Package baselines implements the eight baselines of the AirQA paper (Section 4.1) and the View variant of its
// Appendix C.4. A baseline is mostly data: its context or tools, and its prompts. [All] is the list; [New] turns one of
// them into a [Solver] over a [World].
package baselines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"airqa/agent"
	"airqa/agent/action"
	"airqa/prompts"
	"airqa/qa"
	"airqa/tools"
)

// Baseline is a way to answer a question.
type Baseline struct {
	Name string
	// Summary is one line for a list of baselines.
	Summary string
	// Tools are the names of its tools, in the order of the prompt.
	Tools []string
	// Prompts are the names of the texts that it renders.
	Prompts []string
	// Loop is true for a baseline that acts turn by turn.
	Loop  bool
	solve func(ctx context.Context, j job) error
}

// Searches reports whether the baseline needs the vector store.
func (b Baseline) Searches() bool { return slices.Contains(b.Tools, tools.Retrieve{}.Spec().Name) }

// All lists the baselines in the order of the paper's Table 4, the View variant last.
func All() []Baseline {
	return []Baseline{
		{
			Name:    "question-only",
			Summary: "the question and the answer format alone",
			Prompts: []string{"plain", "task"},
			solve:   once(", from what you know.", nil),
		},
		{
			Name:    "title-abstract",
			Summary: "with titles and abstracts of the papers that the question names",
			Prompts: []string{"plain", "task"},
			solve:   once(". The context holds titles and abstracts of the papers that it names.", fromAnchors(card)),
		},
		{
			Name:    "full-text",
			Summary: "with the beginning of the text of the papers that the question names",
			Prompts: []string{"plain", "task"},
			solve:   once(". The context holds the text of the papers that it names, as far as there is room.", fromAnchors(text)),
		},
		{
			Name:    "rag",
			Summary: "with the passages that fit the question best",
			Tools:   []string{"Retrieve"},
			Prompts: []string{"plain", "task"},
			solve:   once(". The context holds the passages of the papers that fit the question best.", passages),
		},
		{
			Name:    "text2sql",
			Summary: "with the result of one SQL statement that the model wrote",
			Tools:   []string{"Query"},
			Prompts: []string{"text2sql", "plain", "task", "hints_query"},
			solve:   writeSQL,
		},
		{
			Name:    "agentic-rag",
			Summary: "an agent that retrieves passages",
			Tools:   []string{"Retrieve", "Answer"},
			Prompts: []string{"react", "task", "hints_retrieve"},
			Loop:    true,
			solve:   loop,
		},
		{
			Name:    "agentic-text2sql",
			Summary: "an agent that queries the database",
			Tools:   []string{"Query", "Answer"},
			Prompts: []string{"react", "task", "schema", "hints_query", "hints_steps"},
			Loop:    true,
			solve:   loop,
		},
		{
			Name:    "agentic-hybrid",
			Summary: "an agent that retrieves passages and queries the database",
			Tools:   []string{"Retrieve", "Query", "Answer"},
			Prompts: []string{"react", "task", "schema", "hints_retrieve", "hints_query", "hints_steps", "hints_hybrid"},
			Loop:    true,
			solve:   loop,
		},
		{
			Name:    "agentic-hybrid-view",
			Summary: "the same, and it can look at pages",
			Tools:   []string{"Retrieve", "Query", "View", "Answer"},
			Prompts: []string{"react", "task", "schema", "hints_retrieve", "hints_query", "hints_steps", "hints_hybrid", "hints_view"},
			Loop:    true,
			solve:   loop,
		},
	}
}

// every lists all baselines: those of the paper, and the one for questions of companion benchmarks.
func every() []Baseline {
	return append(All(), Baseline{
		Name:    "given-context",
		Summary: "with the context that the question brings (companion benchmarks)",
		Prompts: []string{"plain", "task"},
		solve:   once(". The context holds the passages that come with it.", given),
	})
}

// Names lists the names of all baselines.
func Names() []string {
	var names []string
	for _, b := range every() {
		names = append(names, b.Name)
	}
	return names
}

// Find returns the baseline with a name. The error lists the known ones.
func Find(name string) (Baseline, error) {
	for _, b := range every() {
		if b.Name == name {
			return b, nil
		}
	}
	for _, known := range Names() {
		if strings.EqualFold(strings.ReplaceAll(name, "_", "-"), known) {
			return Baseline{}, fmt.Errorf("unknown baseline %q: did you mean %s?", name, known)
		}
	}
	return Baseline{}, fmt.Errorf("unknown baseline %q; the baselines are %s", name, strings.Join(Names(), ", "))
}

// Card is the title and the abstract of a paper.
type Card struct{ Title, Abstract string }

// Library reads papers for the baselines that include them in the prompt. An unknown paper is a [*tools.Fault].
type Library interface {
	Card(ctx context.Context, paperID string) (Card, error)
	// Text returns the text of all pages in order.
	Text(ctx context.Context, paperID string) (string, error)
}

// World is the environment of the baselines. Its methods must be safe for concurrent use.
type World struct {
	Library Library
	tools.Sources
	// Prompts are the texts that the model is shown.
	Prompts prompts.Set
	// Schema is the database schema as text.
	Schema string
	// Venues has the UUIDs of the papers of each venue-year, such as "acl2023"; needed only for [qa.ScopeConference].
	Venues map[string][]string
}

// Solver answers questions with one baseline and one model.
type Solver struct {
	baseline Baseline
	world    World
	model    qa.Model
	settings qa.Settings
	// prompt is the system prompt of the loop, which is the same for every question of a kind.
	prompt func(qa.Kind) (string, error)
}

// New returns a solver. It does no I/O.
func New(b Baseline, w World, m qa.Model, s qa.Settings) *Solver {
	solver := &Solver{baseline: b, world: w, model: m, settings: s}
	kinds := make(map[qa.Kind]func() (string, error))
	for _, k := range []qa.Kind{"", qa.WithEvidence, qa.Dialogue, qa.Rank} {
		kinds[k] = sync.OnceValues(func() (string, error) { return solver.system(k) })
	}
	solver.prompt = func(k qa.Kind) (string, error) {
		if kinds[k] == nil {
			return "", fmt.Errorf("unknown kind of question %q", k)
		}
		return kinds[k]()
	}
	return solver
}

// Settings are those that the solver was made with.
func (s *Solver) Settings() qa.Settings { return s.settings }

// format is the text format of actions.
func (s *Solver) format() action.Format { return action.Format(s.settings.Protocol.Format()) }

// job is one question being answered.
type job struct {
	example qa.Example
	episode *agent.Episode
	tools   tools.Set
	*Solver
}

// Solve answers one question. setup provides identity, budget, log and recorded events; the solver sets model and
// environment. A failed endpoint or tool is an outcome of the trajectory. An error leaves the episode unfinished: a
// cancelled context, a call suspended because a budget is spent ([qa.SuspendedError]), or a log that cannot be written.
func (s *Solver) Solve(ctx context.Context, ex qa.Example, setup agent.Setup) (qa.Trajectory, error) {
	set := s.Tools(ex)
	setup.Model, setup.Env = s.model, set
	setup.Tools = s.offered(set)
	j := job{example: ex, episode: agent.New(setup), tools: set, Solver: s}
	bounded, cancel := j.episode.Context(ctx)
	defer cancel()
	err := s.baseline.solve(bounded, j)
	if err != nil && ctx.Err() != nil {
		return j.episode.Trajectory(), ctx.Err()
	}
	var unwritten *agent.LogError
	if qa.Suspension(err) != "" || errors.As(err, &unwritten) {
		return j.episode.Trajectory(), err
	}
	if err != nil {
		err = j.episode.Fail(err)
	}
	return j.episode.Trajectory(), err
}

// Start begins the loop of an episode that its caller advances turn by turn. setup has the model, which knows its tools, and
// the environment.
func (s *Solver) Start(ex qa.Example, setup agent.Setup) (*agent.Loop, error) {
	if !s.baseline.Loop {
		return nil, fmt.Errorf("the baseline %s does not act turn by turn", s.baseline.Name)
	}
	return job{example: ex, episode: agent.New(setup), tools: s.Tools(ex), Solver: s}.start()
}

// Messages returns the first messages of an episode of the loop: the system prompt and the question.
func (s *Solver) Messages(ex qa.Example) (system, question string, err error) {
	system, err = s.prompt(ex.Kind)
	if err != nil {
		return "", "", err
	}
	question, err = s.task(ex, job{example: ex}.ids())
	return system, question, err
}

// scope is what a question's retrieval is limited to, by the setting of the run. A ranking is limited to the papers of its pool.
func (s *Solver) scope(ex qa.Example) tools.Scope {
	switch limit := s.settings.Scope; {
	case ex.Kind == qa.Rank:
		return tools.Scope{Papers: ex.ReferencePDF, Bounded: true}
	case limit == qa.ScopeAll:
		return tools.Scope{}
	case len(ex.AnchorPDF) > 0 || limit != qa.ScopeConference || len(ex.Conference) == 0:
		return tools.Scope{Papers: ex.AnchorPDF}
	}
	papers := []string{}
	for _, venue := range ex.Conference {
		papers = append(papers, s.world.Venues[strings.ToLower(venue)]...)
	}
	return tools.Scope{Papers: papers, Bounded: true}
}

// OutOfScope returns the papers that Retrieve does not search for a question, of the given ones.
func (s *Solver) OutOfScope(ex qa.Example, papers []string) []string {
	scope := s.scope(ex)
	return slices.DeleteFunc(slices.Clone(papers), func(id string) bool {
		everywhere := !scope.Bounded && len(scope.Papers) == 0
		return everywhere || slices.ContainsFunc(scope.Papers, func(in string) bool { return strings.EqualFold(in, id) })
	})
}

// Tools returns the tools of the baseline for one question.
func (s *Solver) Tools(ex qa.Example) tools.Set {
	from := s.world.Sources
	if !s.baseline.Loop {
		from.Retriever = titled{from.Retriever, s.world.Library}
	}
	all := tools.All(ex.Kind, from, s.world.Prompts.Own(), tools.Limits{
		Scope: s.scope(ex), Everywhere: s.settings.Scope == qa.ScopeAll, MaxTokens: s.settings.ObservationTokens, MaxRows: s.settings.Rows,
		Retrieves: s.baseline.Searches(),
	})
	var set tools.Set
	for _, name := range s.baseline.Tools {
		if t := all.Find(name); t != nil {
			set = append(set, t)
		}
	}
	return set
}

// Offered returns the tools that the requests of a question offer natively; none if the model writes its actions as text.
func (s *Solver) Offered(ex qa.Example) []qa.ToolSpec { return s.offered(s.Tools(ex)) }

func (s *Solver) offered(set tools.Set) []qa.ToolSpec {
	if !s.baseline.Loop || !s.settings.Protocol.Native() {
		return nil
	}
	return action.Native(set.Specs())
}

// promptNames are the names of the texts that the solver renders.
func (s *Solver) promptNames() []string {
	names := slices.Clone(s.baseline.Prompts)
	if i := slices.Index(names, "react"); i >= 0 && s.settings.Protocol.Native() {
		names[i] = "native"
	}
	return s.world.Prompts.Used(names...)
}

// Own returns the texts of prompts and tools that replace built-in ones, by name; nil if none does.
func (s *Solver) Own() map[string]string {
	names := s.promptNames()
	for name, text := range s.world.Prompts.Own() {
		tool, _, _ := strings.Cut(name, "_")
		isTool := func(name string) bool { return strings.ToLower(name) == tool }
		if slices.ContainsFunc(s.baseline.Tools, isTool) && text != tools.Text(name) {
			names = append(names, name)
		}
	}
	return s.world.Prompts.Own(names...)
}

// Texts returns the hashes of the prompts and the tool texts of a baseline, for the record of a run. The text of a
// native tool is its name, description and JSON Schema as a JSON object. Those of Answer depend on the kind of the
// questions.
func (s *Solver) Texts(kind qa.Kind) (promptHashes, toolTexts map[string]string, err error) {
	promptHashes, toolTexts = make(map[string]string), make(map[string]string)
	for _, name := range s.promptNames() {
		if promptHashes[name], err = s.world.Prompts.Hash(name); err != nil {
			return nil, nil, err
		}
	}
	set := s.Tools(qa.Example{Kind: kind})
	if native := s.offered(set); native != nil {
		for _, t := range native {
			text, err := json.Marshal(t)
			if err != nil {
				return nil, nil, err
			}
			toolTexts[t.Name] = string(text)
		}
		return promptHashes, toolTexts, nil
	}
	for _, spec := range set.Specs() {
		toolTexts[spec.Name] = spec.Signature() + "\n" + spec.Told(s.format())
	}
	return promptHashes, toolTexts, nil
}

package main

import (
	"cmp"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"airqa/eval/judge"
	"airqa/llm"
	"airqa/llm/catalog"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/run/scoring"
)

type dryRunFlag struct {
	DryRun bool `name:"dry-run" help:"Only print what would be done, and what models would cost."`
}

type workersFlag struct {
	Workers int `short:"j" default:"4" placeholder:"N" help:"Concurrent workers."`
}

type modelFlag struct {
	Model string `short:"m" required:"" placeholder:"PROVIDER:NAME" help:"Model: openai:NAME (any OpenAI-compatible endpoint), openai-responses:NAME, anthropic:NAME, google:NAME, ollama:NAME, scripted:FILE (recorded replies) or offline (rules, no language model)."`
}

type questionsFlag struct {
	Questions string `short:"q" required:"" placeholder:"FILE" help:"Questions: JSON Lines, a JSON array, CSV, or a folder of *.json files."`
}

type outFile struct {
	Out string `short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
}

// workFlag is the folder of work that takes long.
type workFlag struct {
	Out string `short:"o" required:"" placeholder:"DIR" help:"Folder of the results. The same command resumes."`
}

type baseURLFlag struct {
	BaseURL string `name:"base-url" env:"AIRQA_BASE_URL" placeholder:"URL" help:"Base URL of the endpoint. Default: the provider's variable, such as OPENAI_BASE_URL, or its own address; keys are in OPENAI_API_KEY and the like."`
}

// endpointFlags configure how models are called.
type endpointFlags struct {
	baseURLFlag
	qa.Sampling
	Timeout time.Duration `default:"5m" help:"Timeout of one request."`
	Retries int           `default:"5" help:"Retries after transient failures."`
	addedFlags
}

// addedFlags add to the requests to models.
type addedFlags struct {
	ExtraBody string `name:"extra-body" placeholder:"JSON" help:"Members to add to every request, such as {\"top_k\": 20} or {\"chat_template_kwargs\": {\"enable_thinking\": false}}. They win over the settings above."`
	ownModels
}

type ownModels struct {
	Models string `placeholder:"FILE" help:"Your own list of models, which overrides and extends the built-in list (docs/providers.md)."`
}

// shareHeaders puts the headers of the list of models that the command line names into the environment, where the models and
// everything that removes keys find them. Headers are keys: only variables and that list have them.
func shareHeaders(ctx *kong.Context) error {
	for _, f := range ctx.Flags() {
		if given, _ := ctx.FlagValue(f).(string); f.Name == "models" && given != "" {
			if list, err := catalog.Open(given); err == nil { // the command opens it again, and reports the error
				_ = os.Setenv(models.ListedHeaders, list.HeaderLines(os.Getenv))
			}
		}
	}
	for _, name := range models.HeaderVariables() {
		if _, err := llm.ParseHeaders(os.Getenv(name)); err != nil {
			return qa.Usagef("%s: %w", name, err)
		}
	}
	return nil
}

// extraBody reads the members of a flag and the limit of a reply among them, see [llm.ParseBody].
func extraBody(flag, text string) (body map[string]any, limit int, err error) {
	if text != "" {
		if body, limit, err = llm.ParseBody(text); err != nil {
			err = qa.Usagef("--%s: %w", flag, err)
		}
	}
	return body, limit, err
}

// modelConfig checks the flags and returns how models are called.
func (f endpointFlags) modelConfig() (models.Config, error) {
	if f.Timeout <= 0 || f.Retries < 0 || f.MaxTokens < 0 {
		return models.Config{}, qa.Usagef("--timeout must be above 0; --max-tokens and --retries must not be negative")
	}
	body, limit, err := extraBody("extra-body", f.ExtraBody)
	f.MaxTokens = cmp.Or(limit, f.MaxTokens)
	return models.Config{
		Body: body, BaseURL: f.BaseURL, Sampling: f.Sampling, Timeout: f.Timeout, Retries: f.Retries, Catalog: f.Models,
	}, err
}

// budgetFlags limit the cost of a run.
type budgetFlags struct {
	Budget budget.Limits `placeholder:"AMOUNTS" help:"Limits such as 10usd,5000000tokens,8h: cost and tokens of the whole run, and time of this invocation."`
	Price  string        `placeholder:"IN,OUT[,CACHED]" help:"Price of the model in USD per million tokens. Default: as listed by airqa list models."`
}

// priced adds the price, and whether a limit in USD needs one, to the configuration of models.
func (f budgetFlags) priced(c models.Config, question qa.QuestionLimits) (models.Config, error) {
	price, err := models.ParsePrice(f.Price)
	if err != nil {
		return c, qa.Usagef("--%w", err)
	}
	c.Price, c.PriceRequired = price, f.Budget.USD > 0 || question.QuestionBudget.USD > 0
	return c, nil
}

func calling(e endpointFlags, b budgetFlags, question qa.QuestionLimits) (models.Config, error) {
	c, err := e.modelConfig()
	if err != nil {
		return c, err
	}
	return b.priced(c, question)
}

func checkQuestionLimits(q qa.QuestionLimits) error {
	if q.QuestionDeadline < 0 {
		return qa.Usagef("--question-deadline %s: must not be negative", q.QuestionDeadline)
	}
	return checkQuerySeconds(q.QuerySeconds)
}

func checkQuerySeconds(s float64) error {
	if !(s > 0 && s <= 24*60*60) {
		return qa.Usagef("--query-seconds %s: must be above 0 and at most a day", strconv.FormatFloat(s, 'f', -1, 64))
	}
	return nil
}

// judgeFlag names the judge of subjective answers. Commands that score what they make have no other flag of judges: the rest
// comes from the settings of airqa score and the environment.
type judgeFlag struct {
	Judge string `placeholder:"PROVIDER:NAME" help:"Judge of subjective answers: PROVIDER:NAME, offline (lexical overlap) or none; several, comma-separated, vote. Default: openai:gpt-4o-mini-2024-07-18 (paper)."`
	promptsFlag
}

// score is airqa score with this judge.
func (f judgeFlag) score(a *app) (scoreCmd, error) {
	parsed, err := parseFlags("score", nil, a.files)
	if f.Judge != "" {
		parsed.Score.Judge = f.Judge
	}
	if f.Prompts.Own() != nil {
		parsed.Score.Prompts = f.Prompts
	}
	return parsed.Score, err
}

// judges are the judges of airqa score.
func (f judgeFlag) judges(a *app) (scoring.Judges, error) {
	s, err := f.score(a)
	if err != nil {
		return scoring.Judges{}, err
	}
	return s.judges()
}

// judgeFlags select the judges of subjective answers.
type judgeFlags struct {
	judgeFlag
	JudgeRule        string `name:"judge-rule" default:"majority" enum:"majority,all,any" help:"Judges that must accept an answer: majority (a tie is wrong), all or any."`
	JudgeConcurrency int    `name:"judge-concurrency" default:"4" placeholder:"N" help:"Concurrent calls to each judge."`
	judgeEndpoint
}

type judgeEndpoint struct {
	JudgeBaseURL   string `name:"judge-base-url" env:"AIRQA_JUDGE_BASE_URL" placeholder:"URL" help:"Base URL of the judge endpoint. Default: api.openai.com."`
	JudgeExtraBody string `name:"judge-extra-body" placeholder:"JSON" help:"Members to add to every request to a judge."`
}

// asked checks the flags of the endpoint.
func (f judgeEndpoint) asked() (c scoring.Judges, err error) {
	c.BaseURL = f.JudgeBaseURL
	c.Body, c.MaxReply, err = extraBody("judge-extra-body", f.JudgeExtraBody)
	return c, err
}

// judges checks the flags.
func (f judgeFlags) judges() (scoring.Judges, error) {
	c, err := f.asked()
	c.Rule, c.Concurrency, c.Prompts = judge.Rule(f.JudgeRule), f.JudgeConcurrency, f.Prompts
	if f.Judge != "" {
		c.Names = strings.Split(f.Judge, ",")
	}
	if err == nil && f.JudgeConcurrency < 1 {
		err = qa.Usagef("--judge-concurrency must be above 0")
	}
	return c, err
}

// openJudge opens the judge, with its verdicts in a file.
func (f judgeFlags) openJudge(a *app, verdicts string) (*scoring.Judge, error) {
	c, err := f.judges()
	if err != nil {
		return nil, err
	}
	return c.Open(a.session(), verdicts)
}

// hint is the judge as a flag, for the suggested airqa score.
func (f judgeFlag) hint() string {
	if f.Judge != "" {
		return "--judge " + f.Judge
	}
	return ""
}

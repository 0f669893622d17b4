package train

// Reason is the code of a reason why an episode, a turn or a row is left out. The list is closed, together with the reasons of
// train/export.
type Reason string

// Reasons why a turn is no target. Failures before it stay in the context.
const (
	NoAction      Reason = "no_action"      // the reply has no action
	BadSyntax     Reason = "bad_syntax"     // the action could not be read
	UnknownAction Reason = "unknown_action" // there is no such tool
	BadParameter  Reason = "bad_parameter"  // an argument is missing, unknown or of the wrong type
	ActionFailed  Reason = "action_failed"  // the observation is an error, such as one of SQL
	NoResult      Reason = "no_result"      // the episode ended before the action had a result
	EmptyTarget   Reason = "empty_target"   // there is no text and no call to train on
	CopiedTurn    Reason = "copied_turn"    // a fork or a run with --cache RUN repeats a turn that is a row already
)

// Reasons of the selection. The first four and Unfinished are classes of episodes, see [Episode.Class].
const (
	Unscored         Reason = "unscored"          // there are no scores of the run, or none of this answer
	ScoringFailed    Reason = "scoring_failed"    // the evaluator or its judge failed
	GenerationFailed Reason = "generation_failed" // the endpoint or a tool failed, see qa.Outcome.Failed
	Wrong            Reason = "wrong"             // the answer is wrong or could not be parsed
	Unfinished       Reason = "unfinished"        // the episode has no outcome yet

	ByScore      Reason = "score"
	ByOutcome    Reason = "outcome"
	ByModel      Reason = "model"
	ByBaseline   Reason = "baseline"
	ByTag        Reason = "tag"
	ByTurns      Reason = "turns"
	ByTokens     Reason = "tokens"
	ByRepetition Reason = "repetition"
	ByPassRate   Reason = "pass_rate"    // of the question, see [PassRates]
	NotBest      Reason = "best_of"      // others of the question are better, see [Beaten]
	NotListed    Reason = "not_listed"   // not in the file of ids
	PerQuestion  Reason = "per_question" // the question has enough episodes
	PerPaper     Reason = "per_paper"    // one of its papers has enough episodes

	Duplicate     Reason = "duplicate"      // the same row or question is in the export already
	NearDuplicate Reason = "near_duplicate" // a question with a Jaccard similarity of 0.8 or more is
	Leak          Reason = "leak"           // see [Leaks]
)

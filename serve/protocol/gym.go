package protocol

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"airqa/serve"
)

// gymCookie names the session of a client of NeMo Gym.
const gymCookie = "airqa_session"

// gymRoutes are a resources server of NeMo Gym 0.4 below a prefix: a rollout begins with a row of a data set, calls tools by
// their names as routes, and ends with verify. NeMo Gym's own client knows a host and a port only, so the routes are at the
// root, too.
func (s *server) gymRoutes(prefix string) {
	s.control("POST "+prefix+"/seed_session", s.json(s.gymSeed))
	s.control("POST "+prefix+"/verify", s.json(s.gymVerify))
	s.control("POST "+prefix+"/aggregate_metrics", s.json(aggregate))
	for _, t := range s.Host.Tools() {
		s.control("POST "+prefix+"/"+t.Name, func(w http.ResponseWriter, r *http.Request) { s.gymCall(w, r, t.Name) })
	}
}

func setCookie(w http.ResponseWriter, id string) {
	http.SetCookie(w, &http.Cookie{Name: gymCookie, Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

// gymRow is the part of a row that names the question.
type gymRow struct {
	Verifier map[string]json.RawMessage `json:"verifier_metadata"`
}

func (row gymRow) choice() (serve.Choice, error) {
	if len(row.Verifier) == 0 {
		return serve.Choice{}, errors.Join(serve.ErrChoice, errors.New("the row has no verifier_metadata with a question_id"))
	}
	return serve.ParseChoice(row.Verifier)
}

func (s *server) gymSeed(w http.ResponseWriter, r *http.Request) (any, error) {
	var row gymRow
	if err := read(r, &row); err != nil {
		return nil, err
	}
	choice, err := row.choice()
	if err != nil {
		return nil, err
	}
	session, _, err := s.openAs(r, rand.Text(), "gym", choice)
	if err != nil {
		return nil, err
	}
	w.Header().Del("Set-Cookie") // of a session before
	setCookie(w, session.ID)
	return struct{}{}, nil
}

func (s *server) gymSession(r *http.Request) (*serve.Session, error) {
	c, err := r.Cookie(gymCookie)
	if err != nil {
		return nil, serve.ErrNoSession
	}
	return s.Host.Session(c.Value)
}

// gymCall answers with the text that the model sees, errors included.
func (s *server) gymCall(w http.ResponseWriter, r *http.Request, tool string) {
	session, err := s.gymSession(r)
	var args json.RawMessage
	if err == nil {
		err = read(r, &args)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	got, err := session.Act(r.Context(), serve.Call{Tool: tool, Arguments: args})
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	text := got.Text
	if err != nil {
		w.WriteHeader(status(err))
		text = "[Error]: " + err.Error()
	}
	_, _ = io.WriteString(w, text) // a client that has gone needs no answer
}

// gymVerify ends an episode, with the last message of the response if Answer was not called, and adds the reward to the row.
// The same request again gets the same reward, or that of a judge that failed before.
func (s *server) gymVerify(_ http.ResponseWriter, r *http.Request) (any, error) {
	var raw map[string]json.RawMessage
	if err := read(r, &raw); err != nil {
		return nil, err
	}
	var known gymRow
	var response struct {
		Output []gymOutput `json:"output"`
	}
	if err := errors.Join(parse(raw["verifier_metadata"], &known.Verifier), parse(raw["response"], &response)); err != nil {
		return nil, refusal{http.StatusBadRequest, "the body is no row with a response: " + err.Error()}
	}
	session, err := s.gymSession(r)
	if len(r.CookiesNamed(gymCookie)) == 0 { // a client without tools verifies alone
		var choice serve.Choice
		if choice, err = known.choice(); err == nil {
			session, _, err = s.openAs(r, rand.Text(), "gym", choice)
		}
		if err == nil {
			defer session.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	end, err := finish(r, session, lastText(response.Output))
	switch {
	case err != nil:
		return nil, err
	case end == nil || end.Reward == nil:
		return nil, refusal{http.StatusBadGateway, cmp.Or(problem(serve.Result{End: end}), "the episode has no end")}
	}
	session.Retire()
	row := make(map[string]any)
	for name, value := range raw { // as it came, with what nothing here reads
		row[name] = value
	}
	row["reward"], row["turns"], row["format_errors"] = *end.Reward, end.Parts.Turns, end.Parts.FormatErrors
	row["verdict"], row["evaluator"], row["outcome"] = end.Parts.Verdict, end.Parts.Evaluator, end.Outcome
	return row, nil
}

// parse decodes a member of a row; one that is missing leaves v as it is.
func parse(raw json.RawMessage, v any) error {
	if raw == nil {
		return nil
	}
	return json.Unmarshal(raw, v)
}

// finish ends an unfinished episode, with a text as the answer if there is one, and returns the end.
func finish(r *http.Request, session *serve.Session, text string) (*serve.End, error) {
	if end, err := session.End(r.Context()); err != nil || end != nil {
		return end, err
	}
	if text != "" {
		// The same request may have ended the episode in the meantime.
		if _, err := session.Act(r.Context(), session.AnswerWith(text)); err != nil && !errors.Is(err, serve.ErrEnded) {
			return nil, err
		}
	}
	if err := session.GiveUp(r.Context()); err != nil { // unless the text was an answer
		return nil, err
	}
	return session.End(r.Context())
}

type gymOutput struct {
	Type    string `json:"type"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
}

func lastText(output []gymOutput) string {
	for _, o := range slices.Backward(output) {
		if o.Type != "message" {
			continue
		}
		var b strings.Builder
		for _, c := range o.Content {
			if c.Type == "output_text" {
				b.WriteString(c.Text)
			}
		}
		return strings.TrimSpace(b.String())
	}
	return ""
}

// aggregate averages the numbers of verified rows, under the names that NeMo Gym gives to averages.
func aggregate(_ http.ResponseWriter, r *http.Request) (any, error) {
	var q struct {
		Rows []map[string]any `json:"verify_responses"`
	}
	if err := read(r, &q); err != nil {
		return nil, err
	}
	means, counts := make(map[string]float64), make(map[string]float64)
	for _, row := range q.Rows {
		for _, name := range []string{"reward", "turns", "format_errors"} {
			if v, ok := row[name].(float64); ok {
				counts[name]++
				means["mean/"+name] += (v - means["mean/"+name]) / counts[name]
			}
		}
	}
	return map[string]any{"group_level_metrics": []any{}, "agent_metrics": means, "key_metrics": means}, nil
}

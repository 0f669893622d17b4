package protocol

import (
	"cmp"
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

// gymRoutes are a resources server of NeMo Gym 0.4: a rollout begins with a row of a data set, calls tools by their names as
// routes, and ends with verify.
func (s *server) gymRoutes() {
	s.control("POST /gym/seed_session", s.gymSeed)
	s.control("POST /gym/verify", s.gymVerify)
	s.control("POST /gym/aggregate_metrics", aggregate)
	s.mux.HandleFunc("GET /gym/health", func(w http.ResponseWriter, _ *http.Request) { reply(w, map[string]string{"status": "ok"}) })
	for _, t := range s.Host.Tools() {
		s.control("POST /gym/"+t.Name, func(w http.ResponseWriter, r *http.Request) { s.gymCall(w, r, t.Name) })
	}
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

func (s *server) gymSeed(w http.ResponseWriter, r *http.Request) {
	var row gymRow
	if !read(w, r, &row) {
		return
	}
	choice, err := row.choice()
	if err != nil {
		s.fail(w, err)
		return
	}
	session, _, err := s.open(r, "gym", choice)
	if err != nil {
		s.fail(w, err)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: gymCookie, Value: session.ID, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	reply(w, struct{}{})
}

// gymSession is the session of the cookie; nil without one.
func (s *server) gymSession(r *http.Request) *serve.Session {
	c, err := r.Cookie(gymCookie)
	if err != nil {
		return nil
	}
	session, err := s.Host.Session(c.Value)
	if err != nil {
		return nil
	}
	return session
}

// gymCall answers with the text that the model sees, errors included.
func (s *server) gymCall(w http.ResponseWriter, r *http.Request, tool string) {
	session := s.gymSession(r)
	if session == nil {
		s.fail(w, serve.ErrNoSession)
		return
	}
	var args json.RawMessage
	if !read(w, r, &args) {
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
func (s *server) gymVerify(w http.ResponseWriter, r *http.Request) {
	var raw map[string]json.RawMessage
	if !read(w, r, &raw) {
		return
	}
	var known gymRow
	var response struct {
		Output []gymOutput `json:"output"`
	}
	if err := errors.Join(parse(raw["verifier_metadata"], &known.Verifier), parse(raw["response"], &response)); err != nil {
		refuse(w, http.StatusBadRequest, "the body is no row with a response: "+err.Error())
		return
	}
	session := s.gymSession(r)
	if session == nil { // a client without tools verifies alone
		choice, err := known.choice()
		if err == nil {
			session, _, err = s.open(r, "gym", choice)
		}
		if err != nil {
			s.fail(w, err)
			return
		}
	}
	defer session.Close()
	if err := finish(r, session, lastText(response.Output)); err != nil {
		s.fail(w, err)
		return
	}
	end, err := session.End(r.Context())
	switch {
	case err != nil:
		s.fail(w, err)
		return
	case end == nil || end.Reward == nil:
		refuse(w, http.StatusBadGateway, cmp.Or(problem(serve.Result{End: end}), "the episode has no end"))
		return
	}
	row := make(map[string]any)
	for name, value := range raw { // as it came, with what nothing here reads
		row[name] = value
	}
	row["reward"], row["turns"], row["format_errors"] = *end.Reward, end.Parts.Turns, end.Parts.FormatErrors
	row["verdict"], row["evaluator"], row["outcome"] = end.Parts.Verdict, end.Parts.Evaluator, end.Outcome
	reply(w, row)
}

// parse decodes a member of a row; one that is missing leaves v as it is.
func parse(raw json.RawMessage, v any) error {
	if raw == nil {
		return nil
	}
	return json.Unmarshal(raw, v)
}

// finish ends an unfinished episode, with a text as the answer if there is one.
func finish(r *http.Request, session *serve.Session, text string) error {
	if end, err := session.End(r.Context()); err != nil || end != nil {
		return err
	}
	if text != "" {
		if _, err := session.Act(r.Context(), session.AnswerWith(text)); err != nil {
			return err
		}
	}
	return session.GiveUp(r.Context()) // unless the text was an answer
}

// gymOutput is an item of a response.
type gymOutput struct {
	Type    string `json:"type"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
}

// lastText is the text of the last message of a response.
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

// aggregate averages the numbers of verified rows.
func aggregate(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Rows []map[string]any `json:"verify_responses"`
	}
	if !read(w, r, &q) {
		return
	}
	sums := make(map[string]float64)
	for _, row := range q.Rows {
		for _, name := range []string{"reward", "turns", "format_errors"} {
			if v, ok := row[name].(float64); ok {
				sums[name] += v
			}
		}
	}
	for name := range sums {
		sums[name] /= float64(len(q.Rows))
	}
	reply(w, sums)
}

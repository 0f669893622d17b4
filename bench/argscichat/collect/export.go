package collect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/files"
	"airqa/internal/terminal"
)

// Exported counts what [Export] wrote.
type Exported struct {
	Complete, Incomplete, Turns, Papers, Folds int
	// Labelled is the number of dialogues in intents.csv: those where both roles chose intents.
	Labelled int
}

// turn is a pair of messages in the benchmark's format.
type turn struct {
	ID           string     `json:"id"`
	Proponent    string     `json:"P_Message"`
	Expert       string     `json:"DE_Message"`
	Facts        []string   `json:"facts"`
	History      []string   `json:"history"`
	HistoryIDs   []string   `json:"history_ids"`
	HistoryFacts [][]string `json:"history_facts"`
}

type exported struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Content []string `json:"content"`
	// Abstract is as in [Paper]. The benchmark's own files do not have it.
	Abstract int    `json:"abstract_sentences,omitempty"`
	Turns    []turn `json:"message_pairs"`
}

// Export writes the dialogues to a folder: fold_N_train.json, fold_N_val.json and fold_N_test.json and intents.csv in
// the format of the benchmark, and the tables summary.csv and dialogues.csv. Incomplete dialogues are in the summary
// only. Without a complete one, it writes the tables only.
func Export(dialogues []*Dialogue, dir string) (x Exported, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("export dialogues: %w", err)
		}
	}()
	complete := slices.DeleteFunc(slices.Clone(dialogues), func(d *Dialogue) bool { return !d.Complete() })
	papers, err := papersOf(complete)
	x = Exported{Complete: len(complete), Incomplete: len(dialogues) - len(complete), Papers: len(papers), Folds: min(5, len(papers))}
	for _, p := range papers {
		x.Turns += len(p.Turns)
	}
	if err != nil {
		return x, err
	}
	for fold := range x.Folds {
		if err := writeFold(dir, papers, fold, x.Folds); err != nil {
			return x, err
		}
	}
	messages := [][]string{{"Worker_name", "Assignment", "Unit", "Role", "Message", "Message Number"}}
	for _, d := range complete {
		for _, m := range d.Messages {
			messages = append(messages, []string{
				d.names()[m.N%2], strconv.Itoa(d.Number), unit(d, m.N%2), string(m.Role()), m.Text, strconv.Itoa(m.N),
			})
		}
	}
	tables := map[string][][]string{"summary.csv": summaryRows(dialogues), "dialogues.csv": messages}
	var intents [][]string
	if intents, x.Labelled = intentRows(complete); x.Labelled > 0 {
		tables["intents.csv"] = intents
	}
	for name, rows := range tables {
		write := func(w io.Writer) error { return terminal.WriteCSV(w, slices.Values(rows), false) }
		if err := files.Write(filepath.Join(dir, name), write); err != nil {
			return x, err
		}
	}
	return x, nil
}

// papersOf groups the turns of dialogues by paper, in the order of the first dialogue.
func papersOf(dialogues []*Dialogue) ([]*exported, error) {
	var papers []*exported
	number := 0
	for _, d := range dialogues {
		i := slices.IndexFunc(papers, func(p *exported) bool { return p.Title == d.Paper.Title })
		if i < 0 {
			i = len(papers)
			papers = append(papers, &exported{ID: d.Paper.Title, Title: d.Paper.Title, Content: d.Paper.Content, Abstract: d.Paper.Abstract})
		}
		if !slices.Equal(papers[i].Content, d.Paper.Content) {
			return nil, fmt.Errorf("dialogue %d: the text of %q changed during the study", d.Number, d.Paper.Title)
		}
		var turns []turn // a message of the proponent without an answer is left out
		history, ids, past := []string{}, []string{}, [][]string{}
		for i := 0; i+1 < len(d.Messages); i += 2 {
			asked, answered := d.Messages[i], d.Messages[i+1]
			t := turn{
				ID: d.Paper.Title + "_" + strconv.Itoa(number+len(turns)), Proponent: asked.Text, Expert: answered.Text,
				Facts: d.Facts(answered), History: slices.Clone(history), HistoryIDs: slices.Clone(ids), HistoryFacts: slices.Clone(past),
			}
			turns = append(turns, t)
			history = slices.Concat(history, asked.Sentences(), answered.Sentences(), t.Facts)
			ids, past = append(ids, t.ID), append(past, t.Facts)
		}
		number += len(turns)
		papers[i].Turns = append(papers[i].Turns, turns...)
	}
	return papers, nil
}

// Facts returns the sentences that support a message, in the order of the paper.
func (d *Dialogue) Facts(m Message) []string {
	facts := []string{}
	for _, i := range m.Facts {
		facts = append(facts, d.Paper.Content[i])
	}
	return facts
}

// writeFold writes the three files of a fold: every paper is in the test part of one fold, and in the validation part
// of another.
func writeFold(dir string, papers []*exported, fold, folds int) error {
	parts := map[string][]*exported{"train": nil, "val": nil, "test": nil}
	for i, p := range papers {
		part := "train"
		switch i % folds {
		case fold:
			part = "test"
		case (fold + 1) % folds:
			part = "val"
		}
		parts[part] = append(parts[part], p)
	}
	for part, list := range parts {
		raw, err := papersJSON(list)
		if err == nil {
			err = files.WriteFile(filepath.Join(dir, fmt.Sprintf("fold_%d_%s.json", fold, part)), raw)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// papersJSON is an object of papers by title, in their order.
func papersJSON(papers []*exported) ([]byte, error) {
	var b, out bytes.Buffer
	b.WriteByte('{')
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i, p := range papers {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(p.Title); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := enc.Encode(p); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	err := json.Indent(&out, b.Bytes(), "", " ")
	return append(out.Bytes(), '\n'), err
}

// intentRows are the labelled sentences. A reader sees a new dialogue where a row of the proponent follows one of the
// expert, so a dialogue with labels of one role only is left out.
func intentRows(dialogues []*Dialogue) (rows [][]string, labelled int) {
	rows = [][]string{{"Role", "Message Number", "Sentence Number", "Sentence", "Tag"}}
	for _, d := range dialogues {
		byRole := make(map[Role][][]string)
		for _, m := range d.Messages[:len(d.Messages)/2*2] {
			for i, tag := range d.Labels[m.N] {
				if tag != "" {
					byRole[m.Role()] = append(byRole[m.Role()], []string{string(m.Role()), strconv.Itoa(m.N), strconv.Itoa(i), m.Sentences()[i], tag})
				}
			}
		}
		if len(byRole[Proponent]) > 0 && len(byRole[Expert]) > 0 {
			rows = slices.Concat(rows, byRole[Proponent], byRole[Expert])
			labelled++
		}
	}
	return rows, labelled
}

// names of the two people of a dialogue, in the order of the roles.
func (d *Dialogue) names() []string { return []string{d.Proponent, d.Expert} }

// unit numbers the part of one person in a dialogue.
func unit(d *Dialogue, seat int) string { return strconv.Itoa(2*d.Number - 1 + seat) }

// summaryRows are the dialogues, one row for each of their two people: their messages by kind, those with rationales, and the
// mean number of rationales of these.
func summaryRows(dialogues []*Dialogue) [][]string {
	rows := [][]string{{
		"Worker_name", "Unit", "Assignment", "Status", "Duration (seconds)", "Duration (minutes)", "Agent_role", "Article Title",
		"Interactions", "Questions", "Statements", "Supported messages", "Average fact usage",
	}}
	for _, d := range dialogues {
		status := "incomplete"
		if d.Complete() {
			status = "completed"
		}
		until := d.Ended
		if n := len(d.Messages); d.End == "" && n > 0 {
			until = d.Messages[n-1].At
		}
		seconds := max(until.Sub(d.Began).Seconds(), 0)
		for seat, name := range d.names() {
			questions, statements, supported, facts := 0, 0, 0, 0
			for _, m := range d.Messages {
				if m.N%2 != seat {
					continue
				}
				if strings.HasSuffix(m.Text, "?") {
					questions++
				} else {
					statements++
				}
				if len(m.Facts) > 0 {
					supported++
					facts += len(m.Facts)
				}
			}
			rows = append(rows, []string{
				name, unit(d, seat), strconv.Itoa(d.Number), status, number(seconds), number(seconds / 60), string(Message{N: seat}.Role()),
				d.Paper.Title, number(float64(len(d.Messages)) / 2), strconv.Itoa(questions), strconv.Itoa(statements),
				strconv.Itoa(supported), number(float64(facts) / float64(max(supported, 1))),
			})
		}
	}
	return rows
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

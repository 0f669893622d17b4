package author

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"airqa/qa"
	"airqa/qa/dataset"
)

// LitSearch is the retrieval benchmark from which 240 of AirQA's questions were made (AirQA paper, section 2.1): records with
// "query", "corpusids" of the papers that answer it, and "query_set"; and a corpus with "corpusid" and "title".

// litSearchSets are the query sets of questions that authors wrote about their own papers, with the venue of the papers.
var litSearchSets = map[string]string{"manual_acl": "acl2023", "manual_iclr": "iclr2024"}

// ReadTitles reads the titles of a LitSearch corpus, JSON Lines with "corpusid" and "title", by id. An error names file and line.
func ReadTitles(path string) (map[int64]string, error) {
	titles := make(map[int64]string)
	for block, err := range dataset.LineBlocks("corpus", path) {
		if err != nil {
			return nil, err
		}
		for line, raw := range block.Records() {
			var paper struct {
				CorpusID *int64 `json:"corpusid"`
				Title    string `json:"title"`
			}
			if err := json.Unmarshal(raw, &paper); err != nil {
				return nil, fmt.Errorf("corpus %s:%d: %w", path, line, dataset.FieldError(err))
			}
			if paper.CorpusID == nil {
				return nil, fmt.Errorf(`corpus %s:%d: no "corpusid"; a line is {"corpusid": 1, "title": "…"}`, path, line)
			}
			if title := strings.TrimSpace(paper.Title); title != "" {
				titles[*paper.CorpusID] = title
			}
		}
	}
	if len(titles) == 0 {
		return nil, fmt.Errorf("corpus %s has no paper with a title", path)
	}
	return titles, nil
}

// litSearch makes a draft of a record of LitSearch: any of its papers is the right answer, by title.
func (c *converter) litSearch(d *Draft) error {
	raw := c.fields["corpusids"]
	var ids []int64
	if err := json.Unmarshal(raw, &ids); err != nil || len(ids) == 0 {
		return fmt.Errorf(`"corpusids" is not a list of ids: %.100s`, raw)
	}
	if c.Titles == nil {
		return errors.New("a record of LitSearch has ids of papers only: give their titles with airqa questions convert --corpus FILE")
	}
	var titles []string
	for _, id := range ids {
		title, ok := c.Titles[id]
		if !ok {
			return fmt.Errorf("the corpus has no title for corpusid %d", id)
		}
		titles = append(titles, title)
	}
	row := Paper.row()
	gold := map[string]any{"question": strings.TrimSpace(d.Question), "reference_answer": titles}
	if len(titles) == 1 {
		gold["reference_answer"] = titles[0]
	}
	kwargs, err := json.Marshal(gold)
	if err != nil {
		return err
	}
	d.Evaluator = qa.Evaluator{Func: row.function, Kwargs: kwargs}
	d.Format, d.Tags = row.format, append([]string{"retrieval"}, d.Tags...)
	var set string
	_ = json.Unmarshal(c.fields["query_set"], &set) // another value is a set of no name
	if venue := litSearchSets[set]; venue != "" && len(d.Conferences) == 0 {
		d.Conferences = []string{venue}
	}
	annotator := "litsearch_automatic" // questions made of citations, "inline_acl" and "inline_nonacl"
	if strings.HasPrefix(set, "manual") {
		annotator = "litsearch_manual"
	}
	c.fields["annotator"], err = json.Marshal(annotator)
	return err
}

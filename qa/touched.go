package qa

// Hit is a passage that a retrieval found.
type Hit struct {
	// Rank counts from 1, best first.
	Rank int `json:"rank"`
	// ID is the passage's id in the database.
	ID      string `json:"id"`
	PaperID string `json:"paper_id"`
	// Page counts from 1; -1 if unknown.
	Page int `json:"page"`
	// Score is rounded as shown to the model; higher is nearer.
	Score float64 `json:"score"`
	// Beyond marks a hit after the limit of the call, which the model did not get.
	Beyond bool `json:"beyond,omitempty"`
}

// Touched lists what an action read: a query by its statement and its result, a view by its image.
type Touched struct {
	// Papers are the ids of papers, in the order of their first appearance.
	Papers []string `json:"papers,omitempty"`
	// Tables are the names of the database tables that the statement reads, sorted.
	Tables []string    `json:"tables,omitempty"`
	Pages  []PaperPage `json:"pages,omitempty"`
	// Rows are the ids of rows of tables other than metadata: pages, passages, figures, tables of papers.
	Rows []string `json:"rows,omitempty"`
	// More means that a list was truncated.
	More bool `json:"more,omitempty"`
}

// PaperPage is a page of a paper or an area of it.
type PaperPage struct {
	PaperID string `json:"paper_id"`
	// Page counts from 1.
	Page int `json:"page"`
	// Box is [x0, y0, width, height] in points from the top left; empty for a whole page.
	Box []float64 `json:"box,omitempty"`
}

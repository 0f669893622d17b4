package candidate

import "airqa/qa"

// Paper is what a prompt may show of a paper.
type Paper struct {
	ID, Title, Abstract string
	Authors             []string
	// Pages is the number of pages, Year 0 if unknown.
	Pages, Year int
	// Venue is the full name of the conference, VenueYear its short form such as "acl2023"; both may be empty.
	Venue, VenueYear, Volume string
}

// Part is an element of a paper that a question is about.
type Part struct {
	ID   string
	Kind string // a kind of [Elements]; [Text] for each section of a pair
	// Title is the caption or the heading.
	Title string
	// Text is the content: prose, HTML of a table, a formula, or lines of metadata.
	Text string
	// Around is the text of the page with a figure or an equation.
	Around string
	// Page counts from 1; 0 if unknown or several.
	Page int
	// Box is [x0, y0, width, height] in points; nil if unknown.
	Box []int
}

// Material is what a candidate is made from.
type Material struct {
	ID    ID
	Paper Paper
	// Parts is empty for a question about title and abstract, and has two entries for a pair of sections.
	Parts []Part
	// Round counts the earlier candidates of the category with the same parts.
	Round int
	// Images has the figure; none unless the model sees it.
	Images []qa.Image
}

// Draft is a question as the explorer wrote it.
type Draft struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
	// Evidence are words of the material that prove the answer.
	Evidence []string `json:"evidence,omitempty"`
}

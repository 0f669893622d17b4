package tools

import "airqa/qa"

// Table renders rows as a tool without a maximum of rows does.
func Table(r qa.Rows, limit int) qa.Observation { return show(r, limit, 0) }

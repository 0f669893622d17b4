// Package questions computes statistics of question files: the paper's Table 2 and Figures 2, 5 and 6 for any file
// ([Collect], [Tables]), and what in it cannot be scored as it is written ([Lint]). Start from [Read]. It runs nothing, calls
// no model and prints nothing (package render does).
package questions

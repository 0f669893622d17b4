// Package questions tells what a file of questions holds: the paper's Table 2 and Figures 2, 5 and 6 for any file
// ([Collect], [Write]), and what in it cannot be scored as it is written ([Lint], [WriteFindings]). Start from [Read].
// It runs nothing and calls no model; every format is made from one [Stats].
package questions

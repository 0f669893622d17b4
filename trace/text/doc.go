// Package text lays out trajectories for people, for a terminal of any width and as documents in every format of package
// render: one episode ([Episode], [Markdown], and [Page] for its lines), a list of episodes ([EpisodeList]), two
// trajectories or two runs side by side ([Diff], [DiffRuns]), and the causes of wrong answers ([Causes], [Cause]).
//
// It reads only what the packages beside it computed, and makes every text of a model, a paper or a question safe to print.
package text

// Package importer turns trajectories of other programs into run directories: ATIF, and the logs of inspect_ai (.eval and
// .json). Start from [Import]. trace, why, diff, report and export then read them like any other run.
//
// No two formats hold the same. What has no place in a run directory is counted in [Result.Losses] and in run.json;
// files that trajectories refer to are read only inside the folder of the import.
package importer

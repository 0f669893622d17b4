// Package archtest keeps the floors of the house: its test reads floors.txt and fails on a package that is not listed
// there, on an import that goes up or sideways, on a driver outside its one folder, and on a package without a
// comment. The package has no code of its own.
package archtest

// Package redact removes private text from what models and users wrote: secrets, home directories, hosts and e-mail
// addresses. Text of papers stays. Start from [New] and [Redactor.Scope]; it knows no files and no settings.
package redact

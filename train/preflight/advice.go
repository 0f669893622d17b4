package preflight

import "strings"

// advice maps the words of a reason to what to change.
var advice = []struct{ phrase, text string }{
	{
		"Invalid role tag",
		"alternate human (or observation) and gpt (or function_call), the first one human; write a system turn only at the start",
	},
	{"Invalid message count", "end each conversation with a gpt turn; a pair's conversation ends with a human turn"},
	{"every row of a batch is dropped", "fix the dropped rows: a batch without a kept row stops the load"},
	{"every row of one worker's shard", "fix the dropped rows: a worker without a kept row stops the load"},
	{"every row is dropped", "fix the dropped rows; check formatting, columns and tags in dataset_info.json"},
	{"in the first", "fill the column in every row, with \"\" for no system prompt; put a row with images first"},
	{"changed from", "write one type per key, in every row and also in keys that nothing reads"},
	{"is a new key after", "write the same keys in every row, at every depth"},
	{"for the first time, after", "write one type per key: no null before text, no fraction after whole numbers"},
	{"Couldn't cast", "write one type per key: no null before text"},
	{"Expected a string", "write every value as a string"},
	{"is a date", "write a value that is no date, or run the trainer's own loader"},
	{"JSON object must be str", "write tools as a JSON text, not as a list"},
	{"tool description", "write tools as a JSON list in a string"},
	{"function message", "write function_call values as JSON with name and arguments"},
	{"number of images", "write one <image> marker for each image, and none in other text"},
	{"does not support", "use a vision template such as qwen2_vl, or leave the list empty"},
	{"No such file", "write the image file, with a path relative to the folder of dataset_info.json"},
	{"KeyError", "name in columns and tags only what every row has; write all seven tags or none"},
	{"was specified twice", "write each key once"},
	{"surrogate", "write characters outside the basic plane as UTF-8 or as two escapes"},
	{"invalid UTF-8", "write the file as UTF-8"},
	{"current training stage", "use stage rm or dpo for pairs and sft for conversations; set ranking accordingly"},
	{"incompatible with", "set one of mask_history and train_on_prompt"},
	{"except SFT", "remove mask_history and train_on_prompt, which work in stage sft alone"},
	{"Allowed file types", "name the file .json or .jsonl"},
	{"list index out of range", "write kto_tag as true or false in every row"},
	{"fills max_length", "raise max_length (1,024 by default), or shorten the prompt"},
	{"must be from assistant", "end each line with an assistant message"},
	{"at least 10", "write more lines"},
	{"JSON parse error", "fix the line, or write one JSON object per line"},
}

// advise returns what to change for a reason.
func advise(reason string) string {
	for _, a := range advice {
		if strings.Contains(reason, a.phrase) {
			return a.text
		}
	}
	return ""
}

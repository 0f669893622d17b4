package export

import (
	"encoding/base64"

	"airqa/qa"
	"airqa/train"
	"airqa/train/format"
)

// imagesDir is the folder of images in an export.
const imagesDir = "images"

// imagePath is the path of an image with a hash inside an export.
func imagePath(sum string) string { return imagesDir + "/" + sum + ".png" }

func imagesOf(messages []qa.Message) (list []qa.Image) {
	for _, m := range messages {
		list = append(list, m.Images...)
	}
	return list
}

// conversation returns a row, or a preference pair if against is its rejected side, as a format has it. Only the last
// message is trained, but in a whole episode.
func (t *texts) conversation(f format.Format, row, against *train.Row) format.Conversation {
	same := len(row.Tools) == len(t.toolsOf) && (len(row.Tools) == 0 || &row.Tools[0] == &t.toolsOf[0])
	if !same || t.tools == nil {
		t.tools, t.toolsOf = t.safeJSON(format.ToolList(row.Tools)), row.Tools
	}
	c := format.Conversation{ID: row.ID, Tools: t.tools}
	context, target := t.messages(f, row.Context), t.messages(f, []qa.Message{row.Target})
	if against != nil {
		c.Rejected = &t.messages(f, []qa.Message{against.Target})[0]
	} else {
		weigh(context, row.History)
		weigh(target, []string{row.ID})
	}
	c.Messages = append(context, target...)
	return c
}

// weigh marks the turns of the model that are trained: those with an id.
func weigh(messages []format.Message, ids []string) {
	for i := range messages {
		trained := false
		if messages[i].Role == qa.Assistant && len(ids) > 0 {
			trained, ids = ids[0] != "", ids[1:]
		}
		messages[i].Trained = &trained
	}
}

// messages returns messages in a format. OpenAI and TRL have them as endpoints get them, see [qa.SplitResults].
func (t *texts) messages(f format.Format, list []qa.Message) []format.Message {
	if f != format.ShareGPT {
		list = qa.SplitResults(list)
	}
	out := make([]format.Message, 0, len(list))
	for _, m := range list {
		m.Text = t.safe(m.Text)
		if f == format.ShareGPT {
			for _, other := range m.Others {
				m.Text += "\n" + t.safe(other.Text)
			}
		}
		out = append(out, t.message(f, m))
	}
	return out
}

// message returns a message with a safe text in a format.
func (t *texts) message(f format.Format, m qa.Message) format.Message {
	out := format.Message{Role: m.Role, CallID: t.safe(m.ToolCallID), Parts: make([]format.Part, 0, 1+len(m.Images))}
	if m.Text != "" {
		out.Parts = append(out.Parts, format.Part{Text: m.Text})
	}
	for _, im := range m.Images {
		path := imagePath(im.SHA256)
		if f == format.OpenAI {
			path = "data:" + im.MIME + ";base64," + base64.StdEncoding.EncodeToString(im.Data)
		}
		out.Parts = append(out.Parts, format.Part{Image: path, Width: im.Width, Height: im.Height})
	}
	for _, c := range m.ToolCalls {
		out.Calls = append(out.Calls, t.safeCall(c))
	}
	if f == format.TRL {
		// As objects, a table would give each call the arguments of all others as nulls, and TRL trains on these.
		out = out.CallsInText()
		out.CallID = ""
	}
	return out
}

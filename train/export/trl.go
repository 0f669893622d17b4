package export

import (
	"airqa/qa"
	"airqa/train/windows"
)

// trl appends a row of TRL's prompt-completion format.
func (s shape) trl(dst []byte, t *texts, p *pair) []byte {
	o := begin(dst)
	o.text("id", p.row.ID)
	s.trlPrompt(&o, t, &p.row)
	s.trlMessages(&o, t, "completion", []qa.Message{p.row.Target})
	return o.end()
}

// trlPrompt appends the members of a row before its answer.
func (s shape) trlPrompt(o *object, t *texts, row *windows.Row) {
	if s.tools {
		o.text("tools", t.functions(row.Tools))
	}
	if s.images {
		o.key("images")
		o.dst = appendList(o.dst, imagesOf(row.Context), func(dst []byte, im qa.Image) []byte { return appendString(dst, imagePath(im)) })
	}
	s.trlMessages(o, t, "prompt", row.Context)
}

func (s shape) trlMessages(o *object, t *texts, name string, messages []qa.Message) {
	o.key(name)
	o.dst = appendList(o.dst, t.chat(messages), func(dst []byte, m qa.Message) []byte { return s.trlMessage(dst, t, m) })
}

// trlMessage appends a message. Calls are part of its text: as objects, a table would give each call the arguments of all
// others as nulls, and TRL trains on these.
func (s shape) trlMessage(dst []byte, t *texts, m qa.Message) []byte {
	m.Text = t.withCalls(m.Text, m.ToolCalls)
	o := begin(dst)
	o.text("role", string(m.Role))
	s.content(&o, t, m, func(dst []byte, _ qa.Image) []byte {
		part := begin(dst)
		part.text("type", "image")
		return part.end()
	})
	return o.end()
}

// imagesOf lists the images of some messages.
func imagesOf(messages []qa.Message) (list []qa.Image) {
	for _, m := range messages {
		list = append(list, m.Images...)
	}
	return list
}

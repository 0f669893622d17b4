package export

import "airqa/qa"

// trlPair appends a preference pair in TRL's format.
func (s shape) trlPair(dst []byte, t *texts, p *pair) []byte {
	o := begin(dst)
	o.text("id", p.row.ID)
	s.trlPrompt(&o, t, &p.row)
	s.trlMessages(&o, t, "chosen", []qa.Message{p.row.Target})
	s.trlMessages(&o, t, "rejected", []qa.Message{p.against.Target})
	return o.end()
}

// shareGPTPair appends a preference pair in LLaMA-Factory's ranking format: an odd number of turns and two answers.
func (s shape) shareGPTPair(dst []byte, t *texts, p *pair) []byte {
	c := t.conversation(&p.row, s.toolText(t, &p.row))
	last := len(c.Turns) - 1
	chosen := c.Turns[last]
	c.Turns = c.Turns[:last]
	o := begin(dst)
	o.text("id", p.row.ID)
	s.conversation(&o, t, c)
	o.raw("chosen", t.appendTurn(nil, chosen))
	o.raw("rejected", t.appendTurn(nil, t.turn(p.against.Target)))
	return o.end()
}

// openAIPair appends a preference pair in OpenAI's format.
func (s shape) openAIPair(dst []byte, t *texts, p *pair) []byte {
	messages := func(name string, o *object, list []qa.Message) {
		o.key(name)
		o.dst = appendList(o.dst, t.chat(list), func(dst []byte, m qa.Message) []byte { return s.openAIMessage(dst, t, m, noWeight) })
	}
	o := begin(dst)
	o.key("input")
	in := begin(o.dst)
	messages("messages", &in, p.row.Context)
	s.openAITools(&in, t, p.row.Tools)
	o.dst = in.end()
	messages("preferred_output", &o, []qa.Message{p.row.Target})
	messages("non_preferred_output", &o, []qa.Message{p.against.Target})
	return o.end()
}

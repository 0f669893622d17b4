package python

// Call is a call with literal arguments, as models write tool calls.
type Call struct {
	Name string
	// Args are the positional arguments, Keywords the named ones, both in order. Names are unique.
	Args     []Value
	Keywords []Keyword
	// NameStart is the offset of Name, End the offset after the closing parenthesis.
	NameStart, End int
}

// Keyword is one name=value of a [Call]; Offset is the offset of the name.
type Keyword struct {
	Name   string
	Value  Value
	Offset int
}

// ParseCall parses the call whose name begins at byte start of text, up to its closing parenthesis, and ignores the
// rest. The error is an *[Error] with positions in the whole text.
func ParseCall(text string, start int, o Options) (Call, error) {
	p := parser{src: text, pos: max(0, min(start, len(text))), o: o}
	c := Call{NameStart: p.pos, Name: word(text, p.pos)}
	p.pos += len(c.Name)
	if c.Name == "" {
		return c, p.unexpected("where the name of a call should stand")
	}
	p.skip()
	if p.peek() != '(' {
		return c, p.unexpected("where the parenthesis of the call should stand")
	}
	start = p.pos
	if err := p.open(); err != nil {
		return c, err
	}
	done := p.closed(')')
	for !done {
		err := p.argument(&c)
		if err != nil {
			return c, err
		}
		if done, err = p.next(')', start); err != nil {
			return c, err
		}
	}
	c.End = p.pos
	return c, p.checkBytes(c.NameStart, c.End)
}

func (p *parser) argument(c *Call) error {
	p.skip()
	at := p.pos
	if p.peek() == '*' {
		return p.fail(at, "arguments cannot be unpacked: write them out")
	}
	name := p.keyword()
	v, err := p.value()
	if err != nil {
		return err
	}
	if name == "" && len(c.Keywords) > 0 {
		return p.fail(at, "an argument without a name stands after %s=…: give it its name", c.Keywords[len(c.Keywords)-1].Name)
	}
	if name == "" {
		c.Args = append(c.Args, v)
		return nil
	}
	for _, k := range c.Keywords {
		if k.Name == name {
			return p.fail(at, "the argument %s is given twice", name)
		}
	}
	c.Keywords = append(c.Keywords, Keyword{Name: name, Value: v, Offset: at})
	return nil
}

// keyword skips "name =" and returns the name; otherwise it does not move.
func (p *parser) keyword() string {
	mark := p.pos
	name := word(p.src, p.pos)
	p.pos += len(name)
	p.skip()
	if name != "" && p.take('=') && p.peek() != '=' {
		return name
	}
	p.pos = mark
	return ""
}

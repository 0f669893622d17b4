package python

// open enters the bracket at pos.
func (p *parser) open() error {
	most := maxDepth
	if p.json {
		most = maxJSONDepth
	}
	if p.depth >= most {
		return p.fail(p.pos, "more than %d brackets are open here", most)
	}
	p.depth++
	p.pos++
	return nil
}

// closed leaves a bracket if its closing one comes next.
func (p *parser) closed(c byte) bool {
	p.skip()
	if !p.take(c) {
		return false
	}
	p.depth--
	return true
}

// next skips the comma between two items; done means that the closing bracket follows.
func (p *parser) next(closing byte, start int) (done bool, err error) {
	if p.closed(closing) {
		return true, nil
	}
	if !p.take(',') {
		return false, p.notClosed(closing, start)
	}
	return p.closed(closing), nil
}

func (p *parser) list() (Value, error) {
	start := p.pos
	if err := p.open(); err != nil {
		return nil, err
	}
	items, err := p.items(List{}, ']', start)
	if err != nil {
		return nil, err
	}
	return List(items), nil
}

// items appends the items up to the closing bracket and skips the bracket.
func (p *parser) items(items []Value, closing byte, start int) ([]Value, error) {
	done := p.closed(closing)
	for !done {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		items = append(items, v)
		if done, err = p.next(closing, start); err != nil {
			return nil, err
		}
	}
	return items, nil
}

func (p *parser) tuple() (Value, error) {
	start := p.pos
	if err := p.open(); err != nil {
		return nil, err
	}
	if p.closed(')') {
		return Tuple{}, nil
	}
	first, err := p.value()
	if err != nil {
		return nil, err
	}
	if p.closed(')') {
		return first, nil
	}
	if !p.take(',') {
		return nil, p.notClosed(')', start)
	}
	items, err := p.items([]Value{first}, ')', start)
	if err != nil {
		return nil, err
	}
	return Tuple(items), nil
}

func (p *parser) braces() (Value, error) {
	start := p.pos
	if err := p.open(); err != nil {
		return nil, err
	}
	if p.closed('}') {
		return &Dict{}, nil
	}
	p.skip()
	keyAt := p.pos
	first, err := p.value()
	if err != nil {
		return nil, err
	}
	p.skip()
	if p.peek() == ':' {
		return p.dict(first, keyAt, start)
	}
	return p.set(first, keyAt, start)
}

func (p *parser) dict(k Value, keyAt, start int) (Value, error) {
	d := &Dict{}
	for {
		if !p.take(':') {
			return nil, p.unexpected("where the colon of a dictionary should stand")
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		if !d.Set(k, v) {
			return nil, p.fail(keyAt, "a value of type %s cannot be a key", Type(k))
		}
		if done, err := p.next('}', start); done || err != nil {
			return d, err
		}
		p.skip()
		keyAt = p.pos
		if k, err = p.value(); err != nil {
			return nil, err
		}
		p.skip()
	}
}

func (p *parser) set(v Value, at, start int) (Value, error) {
	var d Dict
	for {
		if !d.Set(v, nil) {
			return nil, p.fail(at, "a value of type %s cannot be in a set", Type(v))
		}
		if done, err := p.next('}', start); done || err != nil {
			return Set(d.keys), err
		}
		p.skip()
		at = p.pos
		var err error
		if v, err = p.value(); err != nil {
			return nil, err
		}
	}
}

package pdf

import "maps"

// hidden reports whether a text object is in a layer (optional content) that is switched off when the file is opened: readers
// do not show it. PDFium extracts its text nevertheless.
func (d *Document) hidden(object uint32) bool {
	marks := int32(d.g.word("FPDFPageObj_CountMarks", uint64(object)))
	for i := range max(0, marks) {
		mark := uint64(d.g.word("FPDFPageObj_GetMark", uint64(object), uint64(i)))
		if d.markText("FPDFPageObjMark_GetName", mark) != "OC" {
			continue
		}
		if d.off == nil {
			d.off = layersOff(d.data)
		}
		const key = "Name\x00"
		at := d.g.scratch + scratchSize - uint32(len(key))
		copy(d.g.bytes(at, uint32(len(key))), key)
		if d.off[d.markText("FPDFPageObjMark_GetParamStringValue", mark, uint64(at))] {
			return true
		}
	}
	return false
}

// markText calls a function that writes UTF-16 to a buffer of 1 KB; "" if it fails.
func (d *Document) markText(function string, args ...uint64) string {
	const size = 1024
	if !d.g.yes(function, append(args, d.g.at(1), size, d.g.at(0))...) {
		return ""
	}
	return d.g.utf16At(1, min(uint32(d.g.int32At(0)), size))
}

// layersOff returns the names of the layers that are off, without those that a layer has that is on.
func layersOff(data []byte) (off map[string]bool) {
	off = make(map[string]bool)
	defer func() { _ = recover() }() // the layers of broken files stay on
	ctx, err := readObjects(data)
	if err != nil {
		return off
	}
	root, err := ctx.Catalog()
	if err != nil {
		return off
	}
	properties, _ := ctx.DereferenceDict(root["OCProperties"])
	standard, _ := ctx.DereferenceDict(properties["D"])
	isOff := make(map[string]bool) // by the layer's reference
	all, _ := ctx.DereferenceArray(properties["OCGs"])
	if state := standard.NameEntry("BaseState"); state != nil && *state == "OFF" {
		for _, layer := range all {
			isOff[layer.String()] = true
		}
	}
	for key, is := range map[string]bool{"ON": false, "OFF": true} {
		list, _ := ctx.DereferenceArray(standard[key])
		for _, layer := range list {
			isOff[layer.String()] = is
		}
	}
	for _, layer := range all {
		group, _ := ctx.DereferenceDict(layer)
		name, err := ctx.DereferenceText(group["Name"])
		if err != nil {
			continue
		}
		was, seen := off[name]
		off[name] = isOff[layer.String()] && (was || !seen)
	}
	maps.DeleteFunc(off, func(_ string, is bool) bool { return !is })
	return off
}

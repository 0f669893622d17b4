package gate

import (
	"slices"
	"strings"

	"airqa/extractor/candidate"
	"airqa/internal/lazyregexp"
	"airqa/internal/words"
)

// Forms in which a paper gives a name to what it contributes. The name is the first group.
const (
	// coined is a word with a capital that is no ordinary word at the start of a sentence: ChartBarn, DocVQA-2, LUMEN.
	coined = `([A-Z][\p{L}\d]*(?:[A-Z\d][\p{L}\d]*)+(?:[-+][\p{L}\d]+)*)`
	// capitalised also has names such as Tallow.
	capitalised = `([A-Z][\p{L}\d]+(?:[-+][\p{L}\d]+)*)`
	kinds       = `(?:data ?set|benchmark|corpus|model|method|framework|system|approach|architecture|tool|toolkit|library|suite|pipeline|` +
		`algorithm|network|task|metric|collection|platform|agent|simulator|challenge|survey|protocol)s?`
	makes = `(?:introduc|present|propos|develop|releas|buil[dt]|construct|creat|design|contribut|publish|offer|describ|collect|assembl)\p{Ll}*`
)

var ownNames = []*lazyregexp.Regexp{
	lazyregexp.New(`(?i:\b(?:called|named|dubbed|termed|coined|namely|entitled|titled|nicknamed))\s+["“‘']?` + capitalised),
	lazyregexp.New(`(?i:\b` + makes + `\s+(?:the|a|an|our)?)\s*["“‘']?` + coined),
	lazyregexp.New(`(?i:\b` + makes + `)\s+["“‘']?` + capitalised + `["”’']?(?:[,:]| \(|\s+[–—-]\s)`),
	lazyregexp.New(`(?i:\b` + makes + `\b)[^.;]{0,80}?(?i:\b` + kinds + `)\s*[,:(–—-]?\s*["“‘']?` + coined),
	lazyregexp.New(`(?i:\b` + makes + `\b)[^.;]{0,80}?(?i:\b` + kinds + `)\s[^.;]{0,80}?[,:(–—-]\s*["“‘']?` + coined + `["”’']?[.,;:)]`),
	lazyregexp.New(`\b[Oo]ur\s+(?:new\s+|novel\s+)?["“‘']?` + coined),
	lazyregexp.New(coined + `["”’']?\s*(?:,|\bis|[–—:])\s+(?:a|an|our|the first)\s(?:[\p{L}-]+\s){0,4}?` + kinds + `\b`),
}

// namedIn returns what a question says of the paper's own names: its title, the name before the colon of the title, or a
// name that the paper gives to its data set, system or method.
func namedIn(question string, m candidate.Material) string {
	title := m.Paper.Title
	name, _, hasName := strings.Cut(title, ":")
	switch {
	case holds(question, title):
		return title
	case hasName && len(words.Split(name)) <= 3 && holds(question, name):
		return name
	}
	texts := []string{m.Paper.Abstract}
	for _, p := range m.Parts {
		texts = append(texts, p.Text, p.Title)
	}
	for _, text := range texts {
		text = strings.Join(strings.Fields(text), " ")
		for _, pattern := range ownNames {
			for _, found := range pattern.FindAllStringSubmatch(text, -1) {
				if name := found[1]; len(name) > 2 && !terms[strings.TrimSuffix(name, "s")] && isWordIn(question, name) {
					return name
				}
			}
		}
	}
	return ""
}

// isWordIn reports whether a question has a name as a word in the same case: many names are words in capitals.
func isWordIn(question, name string) bool {
	return slices.ContainsFunc(words.Split(question), func(w words.Word) bool {
		return strings.HasPrefix(question[w.First:], name) && len(name) >= w.End-w.First
	})
}

// terms are abbreviations of the field that papers introduce as little as BERT, without a plural s.
var terms = words.Set(`Entity Entitie AI ML NLP NLU NLG LM LLM PLM VLM MLLM SLM QA VQA OCR NER POS MT NMT ASR TTS RL RLHF DPO CNN RNN LSTM GAN GNN MLP
CoT ICL RAG SQL PDF API GPU CPU TPU URL HTML LaTeX BERT GPT ChatGPT GPT-2 GPT-3 GPT-4 GPT-4o T5 LLaMA CLIP SGD IR CV KG KB MoE BLEU ROUGE SOTA
ImageNet WordNet Wikipedia PyTorch TensorFlow GitHub ACL EMNLP NAACL NeurIPS ICLR ICML CVPR`)

package structure

import "strings"

// Folded titles of special sections, in the most common languages of papers: English, Chinese, Japanese, Korean,
// Russian, German, Spanish, French, Portuguese, Italian.
var (
	abstractTitles = wordSet(`abstract summary 摘要 概要 要旨 要約 초록 요약 аннотация реферат резюме
		zusammenfassung kurzfassung resumen résumé resumo riassunto sommario`)
	keywordTitles = wordSet(`keywords keyword indexterms 关键词 关键字 關鍵詞 キーワード 키워드 주제어 ключевыеслова schlüsselwörter
		schlagwörter palabrasclave motsclés motsclefs palavraschave parolechiave`)
	bibliographyTitles = wordSet(`references bibliography referencesandnotes literaturecited 参考文献 參考文獻 引用文献 참고문헌
		литература списоклитературы списокиспользованнойлитературы библиография literatur literaturverzeichnis referencias
		referenciasbibliográficas bibliografía références bibliographie référencesbibliographiques referências
		referênciasbibliográficas bibliografia riferimentibibliografici`)
	// contentsTitles are headings of lists of contents. They count as sections only if the outline has them.
	contentsTitles = wordSet(`contents tableofcontents listoffigures listoftables 目录 目次 목차 содержание оглавление inhalt inhaltsverzeichnis índice contenido
		tabledesmatières sommaire sumário`)
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// leadIn returns the folded text of a line before a colon or a dash, or of the whole line: "摘要：本文" yields "摘要".
func leadIn(text string) string {
	if at := strings.IndexAny(text, ":：—–-."); at > 0 {
		return folded(text[:at])
	}
	return folded(text)
}

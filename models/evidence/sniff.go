package evidence

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// sniffed is how many bytes decide what a file is.
const sniffed = 3072

// sniff says what bytes look like, whatever the file is called, and whether that
// is text. It looks at the beginning only and unpacks nothing.
func sniff(head []byte) (mediaType string, text bool) {
	m := mimetype.Detect(head)
	for up := m; up != nil; up = up.Parent() {
		text = text || up.Is("text/plain")
	}
	return m.String(), text
}

// textEndings are endings of names that promise text.
var textEndings = strings.Fields(".txt .log .csv .tsv .json .jsonl .ndjson .har .md .xml .svg .html .htm .yaml .yml .eml .vcf .ics .ini .conf")

// namedText reports whether the name promises text, numbers of older logs
// (.log.1) and letter case aside. Such a file is looked through whatever its
// bytes look like.
func namedText(name string) bool {
	name = strings.ToLower(strings.TrimRight(name, "0123456789.-_ "))
	return slices.Contains(textEndings, path.Ext(name))
}

// wide reports whether text is of a kind with more than one byte for a letter.
func wide(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0xfe, 0xff}) || bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0, 0, 0xfe, 0xff})
}

// SaysOther says what the ending of the name promises when the bytes look like
// something else, such as "report.pdf"; "" when both agree or the ending means
// nothing. Text may have any ending.
func (a Attachment) SaysOther() string {
	ending := strings.ToLower(path.Ext(a.Name))
	known, ok := endings[ending]
	if !ok || a.Kind != File {
		return ""
	}
	plain, _, _ := strings.Cut(a.MediaType, ";")
	for _, k := range known {
		if plain == k || k == "text/" && strings.HasPrefix(plain, k) {
			return ""
		}
	}
	return ending
}

// endings are what a file with this ending looks like.
var endings = func() map[string][]string {
	all := map[string][]string{}
	for types, names := range map[string]string{
		"image/png image/vnd.mozilla.apng": ".png .apng", "image/jpeg": ".jpg .jpeg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg",
		"image/heic image/heif image/heic-sequence": ".heic .heif", "application/pdf": ".pdf", "application/zip": ".zip", "application/gzip": ".gz .tgz",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document application/zip":   ".docx",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet application/zip":         ".xlsx",
		"application/vnd.openxmlformats-officedocument.presentationml.presentation application/zip": ".pptx",
		"video/mp4 video/quicktime": ".mp4 .mov .m4v", "video/webm": ".webm", "text/html": ".html .htm", "text/xml application/xml": ".xml",
		"application/json application/x-ndjson application/geo+json text/ application/har+json": ".json .jsonl .ndjson .har", "text/": ".txt .log .csv .tsv .md .yaml .yml",
	} {
		for _, name := range strings.Fields(names) {
			all[name] = append(all[name], strings.Fields(types)...)
			if name == ".txt" || name == ".log" || name == ".md" {
				all[name] = append(all[name], "application/json", "application/x-ndjson", "text/")
			}
		}
	}
	return all
}()

// served are the types that a browser may be told: they hold nothing that runs.
// Everything else is sent as a heap of bytes.
var served = map[string]string{"text/plain": "text/plain; charset=utf-8", "text/csv": "text/csv; charset=utf-8", "application/json": "application/json",
	"image/png": "image/png", "image/jpeg": "image/jpeg", "image/gif": "image/gif", "image/webp": "image/webp", "application/pdf": "application/pdf"}

// ServedAs is the content type of a download.
func (a Attachment) ServedAs() string {
	plain, _, _ := strings.Cut(a.MediaType, ";")
	if t, ok := served[plain]; ok {
		return t
	}
	return "application/octet-stream"
}

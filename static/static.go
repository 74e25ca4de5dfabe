// Package static holds the style sheet, script, icons and fonts, and serves
// them under an address that changes whenever any of them does.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed app.css app.js icons.svg mark.svg fonts/*.woff2 vendor/*.css vendor/*.js
var files embed.FS

// Prefix is the path that Handler answers under.
const Prefix = "/static/"

// Fixed here so that they don't depend on the machine's MIME tables.
var contentTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
}

type asset struct {
	contentType string
	plain       []byte
	gzipped     []byte // nil when it would not be smaller
}

type tree struct {
	hash   string // short SHA-256 over every name and content
	assets map[string]asset
}

var load = sync.OnceValue(func() tree {
	t, sum := tree{assets: map[string]asset{}}, sha256.New()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		sum.Write([]byte(name + "\x00" + strconv.Itoa(len(content)) + "\x00"))
		sum.Write(content)
		t.assets[name] = asset{contentTypes[path.Ext(name)], content, compress(content)}
		return nil
	})
	if err != nil {
		panic(err) // the files are part of the binary
	}
	t.hash = hex.EncodeToString(sum.Sum(nil))[:12]
	return t
})

func compress(content []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	w.Write(content)
	w.Close()
	if b.Len() >= len(content) {
		return nil
	}
	return b.Bytes()
}

// URL is the address of a file such as "app.css". Relative addresses inside the
// style sheet stay within the same hash.
func URL(name string) string { return Prefix + load().hash + "/" + name }

// Handler serves the files: for a year under the current hash, for five minutes
// without a hash (a script tag typed by hand). Any other path is 404.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
			return
		}
		t := load()
		name, cache := strings.TrimPrefix(r.URL.Path, Prefix), "public, max-age=300"
		if rest, ok := strings.CutPrefix(name, t.hash+"/"); ok {
			name, cache = rest, "public, max-age=31536000, immutable"
		}
		a, ok := t.assets[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Cache-Control", cache)
		h.Set("Content-Type", a.contentType)
		h.Set("Vary", "Accept-Encoding")
		body := a.plain
		if a.gzipped != nil && acceptsGzip(r.Header.Get("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			body = a.gzipped
		}
		h.Set("Content-Length", strconv.Itoa(len(body)))
		if r.Method == http.MethodGet {
			w.Write(body)
		}
	})
}

// acceptsGzip reads an Accept-Encoding header; "gzip;q=0" is a refusal.
func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			q, found := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(params), " ", ""), "q=")
			weight, err := strconv.ParseFloat(q, 64)
			return !found || (err == nil && weight > 0)
		}
	}
	return false
}

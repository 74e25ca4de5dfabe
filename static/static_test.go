package static

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(path, encoding string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Accept-Encoding", encoding)
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w
}

func TestHashedFilesAreKeptForAYear(t *testing.T) {
	if !regexp.MustCompile(`^/static/[0-9a-f]{12}/app\.css$`).MatchString(URL("app.css")) {
		t.Fatalf("URL = %s", URL("app.css"))
	}
	for name, contentType := range map[string]string{
		"app.css": "text/css; charset=utf-8", "app.js": "text/javascript; charset=utf-8", "icons.svg": "image/svg+xml",
		"fonts/geist-latin-wght-normal.woff2": "font/woff2", "vendor/basecoat.css": "text/css; charset=utf-8", "vendor/htmx.min.js": "text/javascript; charset=utf-8",
	} {
		w := get(URL(name), "")
		if w.Code != 200 || w.Header().Get("Content-Type") != contentType || w.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %d %v", name, w.Code, w.Header())
		}
		want, _ := files.ReadFile(name)
		if !bytes.Equal(w.Body.Bytes(), want) {
			t.Errorf("%s: other content", name)
		}
	}
}

func TestGzipOnlyWhenAccepted(t *testing.T) {
	want, _ := files.ReadFile("app.css")
	w := get(URL("app.css"), "br, gzip;q=0.5")
	if w.Header().Get("Content-Encoding") != "gzip" || w.Header().Get("Vary") != "Accept-Encoding" {
		t.Fatalf("headers %v", w.Header())
	}
	z, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := io.ReadAll(z); !bytes.Equal(got, want) {
		t.Error("unzipped content differs")
	}
	for _, encoding := range []string{"", "br", "gzip;q=0", "gzip; q=0.0", "identity, gzip;q=nonsense"} {
		if w := get(URL("app.css"), encoding); w.Header().Get("Content-Encoding") != "" {
			t.Errorf("%q got %s", encoding, w.Header().Get("Content-Encoding"))
		}
	}
	if w := get(URL("fonts/geist-latin-wght-normal.woff2"), "gzip"); w.Header().Get("Content-Encoding") != "" {
		t.Error("a font is compressed already")
	}
}

func TestOtherPaths(t *testing.T) {
	for path, code := range map[string]int{
		"/static/app.css": 200, "/static/000000000000/app.css": 404, "/static/": 404, "/static/fonts/": 404, "/static/fonts": 404,
		URL(""): 404, URL("static.go"): 404, URL("../models/db.go"): 404, "/static/vendor/README.md": 404,
	} {
		if w := get(path, ""); w.Code != code {
			t.Errorf("%s = %d, want %d", path, w.Code, code)
		}
	}
	if c := get("/static/app.css", "").Header().Get("Cache-Control"); c != "public, max-age=300" {
		t.Errorf("unhashed Cache-Control %q", c)
	}
}

func TestMethods(t *testing.T) {
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest("POST", URL("app.css"), nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST = %d", w.Code)
	}
	w = httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest("HEAD", URL("app.css"), nil))
	if w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Content-Length") == "0" {
		t.Errorf("HEAD = %d, %d bytes", w.Code, w.Body.Len())
	}
}

// The policy allows our own host only, and no inline style or script.
func TestNothingFromElsewhere(t *testing.T) {
	for _, name := range []string{"app.css", "vendor/basecoat.css"} {
		css, _ := files.ReadFile(name)
		for _, u := range regexp.MustCompile(`url\(["']?([^"')]{0,40})`).FindAllSubmatch(css, -1) {
			if !strings.HasPrefix(string(u[1]), "data:") && !strings.HasPrefix(string(u[1]), "fonts/") {
				t.Errorf("%s loads %s", name, u[1])
			}
		}
	}
	js, _ := files.ReadFile("app.js")
	if bytes.Contains(js, []byte("localStorage.setItem('theme'")) || bytes.Contains(js, []byte(".style")) {
		t.Error("app.js sets a style or keeps the theme apart from the server")
	}
}

// Package arch keeps the house in order: imports only go down, Echo stays in
// handlers, GORM stays in models, and the calls that lost data in the past are
// not made again. README.md draws the floors.
package arch

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// floors, from the top. A package may import those on lower floors only.
var floors = [][]string{
	{"internal/shots"},
	{"cmd/countersign", "internal/bench", "internal/browser"},
	{"handlers"},
	{"handlers/api"},
	{"models/demo"},
	{"views/control"},
	{"views/signoff"},
	{"views/matrix"},
	{"views/*"},
	{"views/layout"},
	{"views/ui"},
	{"models/home", "models/search", "models/handoff", "models/workspace"},
	{"models/replay"},
	{"models/ledger"},
	{"models/signoff"},
	{"models/matrix"},
	{"models/control"},
	{"models/identity", "models/evidence", "models/workflow"},
	{"models/notice"},
	{"models/people"},
	{"internal/testdb"},
	{"models"},
	{"internal/withpg"},
	{"static", "migrations", "internal/localpg", "internal/pii", "internal/safecsv", "internal/strictjson", "internal/worddiff", "internal/arch"},
}

// below names packages that a floor must not use although it lies lower.
var alsoForbidden = map[string][]string{
	"views/": {"migrations", "models/demo", "gorm.io/", "github.com/jackc/", "database/sql", "github.com/labstack/"},
}

func floor(t *testing.T, pkg string) int {
	t.Helper()
	family, longest := -1, 0
	for i, packages := range floors {
		for _, p := range packages {
			if p == pkg {
				return i
			}
			if strings.HasSuffix(p, "/*") && strings.HasPrefix(pkg, strings.TrimSuffix(p, "*")) {
				family = i
			}
		}
	}
	// A helper package inside a floor's package belongs to the same floor.
	if family < 0 {
		for i, packages := range floors {
			for _, p := range packages {
				if strings.HasPrefix(pkg, p+"/") && len(p) > longest {
					family, longest = i, len(p)
				}
			}
		}
	}
	if family < 0 {
		t.Errorf("%s stands on no floor: give it one in %s", pkg, "internal/arch/arch_test.go")
	}
	return family
}

type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "countersign/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestImportsOnlyGoDown(t *testing.T) {
	all := packages(t)
	if len(all) < 15 {
		t.Fatalf("only %d packages found", len(all))
	}
	for _, p := range all {
		self := strings.TrimPrefix(p.ImportPath, "countersign/")
		from := floor(t, self)
		for _, imported := range p.Imports {
			other, ours := strings.CutPrefix(imported, "countersign/")
			if ours {
				if to := floor(t, other); to <= from && !strings.HasPrefix(other, self+"/") && !strings.HasPrefix(self, other+"/") {
					t.Errorf("%s imports %s, which is not below it", self, other)
				}
			}
			if strings.HasPrefix(imported, "github.com/labstack/") && !strings.HasPrefix(self, "handlers") {
				t.Errorf("%s imports Echo (%s): only handlers may", self, imported)
			}
			if strings.HasPrefix(imported, "gorm.io/") && self != "models" && !strings.HasPrefix(self, "models/") {
				t.Errorf("%s imports GORM (%s): only models may", self, imported)
			}
			for start, forbidden := range alsoForbidden {
				for _, f := range forbidden {
					if strings.HasPrefix(self, start) && (other == f || strings.HasSuffix(f, "/") && strings.HasPrefix(imported, f) || imported == f) {
						t.Errorf("%s imports %s", self, imported)
					}
				}
			}
		}
	}
}

var raw = regexp.MustCompile(`templ\.Raw\(|'unsafe-inline'`)

// Each of these lost or leaked something once; the reason is beside it.
var forbidden = map[*regexp.Regexp]string{
	regexp.MustCompile(`\.Save\(`):          "Save falls through to an upsert without the version condition",
	regexp.MustCompile(`AutoMigrate\(`):     "the schema is goose SQL only",
	regexp.MustCompile(`t\.Skip(f|Now)?\(`): "a skipped check is no check",
	raw:                                     "unescaped markup and inline code are not allowed",
}

func TestForbiddenCalls(t *testing.T) {
	root := "../.."
	read := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != root && (strings.HasPrefix(name, ".") || name == "data" || name == "node_modules" || name == "arch") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".templ") {
			return nil
		}
		read++
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for n, line := range strings.Split(string(b), "\n") {
			for pattern, why := range forbidden {
				if code, _, _ := strings.Cut(line, "//"); pattern.MatchString(code) && !(pattern == raw && strings.HasSuffix(path, "_test.go")) {
					t.Errorf("%s:%d: %s: %s", path, n+1, pattern, why)
				}
			}
			if strings.HasSuffix(path, ".templ") && regexp.MustCompile(`\s(style|on[a-z]+)=`).MatchString(line) {
				t.Errorf("%s:%d: inline style or handler: the Content-Security-Policy stops it", path, n+1)
			}
		}
		return nil
	})
	if err != nil || read < 50 {
		t.Fatal(read, err)
	}
}

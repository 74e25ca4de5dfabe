package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile("../../" + path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// rows are the first cells of the README's tables, without their backquotes.
func rows(readme string) map[string]bool {
	found := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(readme, -1) {
		found[m[1]] = true
	}
	return found
}

func settings(t *testing.T, node *kong.Node) (env []string) {
	t.Helper()
	for _, flag := range node.Flags {
		env = append(env, flag.Envs...)
	}
	for _, child := range node.Children {
		env = append(env, settings(t, child)...)
	}
	return env
}

func commands(node *kong.Node) (paths []string) {
	if len(node.Children) == 0 {
		return []string{node.FullPath()}
	}
	for _, child := range node.Children {
		paths = append(paths, commands(child)...)
	}
	return paths
}

func TestTheReadmeNamesEverySettingAndCommand(t *testing.T) {
	var c cli
	parser, err := kong.New(&c, kong.Name("countersign"))
	if err != nil {
		t.Fatal(err)
	}
	readme := read(t, "README.md")
	named := rows(readme)
	env := map[string]bool{}
	for _, name := range settings(t, parser.Model.Node) {
		env[name] = true
		if !named[name] {
			t.Errorf("README.md has no row for the setting %s", name)
		}
	}
	for name := range named {
		if regexp.MustCompile(`^[A-Z_]+$`).MatchString(name) && !env[name] {
			t.Errorf("README.md names the setting %s, which does not exist", name)
		}
	}
	all := commands(parser.Model.Node)
	for _, path := range all {
		words, _, _ := strings.Cut(path, " <")
		if !strings.Contains(readme, "| `"+words) {
			t.Errorf("README.md has no row for %s", words)
		}
	}
	if len(env) < 8 || len(all) < 5 {
		t.Errorf("only %d settings and %d commands found", len(env), len(all))
	}
}

func TestTheReadmeNamesEveryMakeTarget(t *testing.T) {
	named := rows(read(t, "README.md"))
	targets := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):.*## `).FindAllStringSubmatch(read(t, "Makefile"), -1) {
		targets["make "+m[1]] = true
	}
	for target := range targets {
		if !named[target] {
			t.Errorf("README.md has no row for %s", target)
		}
	}
	for name := range named {
		if strings.HasPrefix(name, "make ") && !targets[name] {
			t.Errorf("README.md names %s, which is no target", name)
		}
	}
	if len(targets) < 8 {
		t.Errorf("only %d targets found", len(targets))
	}
}

// The table of dependencies has every direct one, with the version in go.mod.
func TestTheReadmeNamesEveryDependency(t *testing.T) {
	mod := read(t, "go.mod")
	found := 0
	for _, m := range regexp.MustCompile(`(?m)^\| (\S+\.\S+/\S+) \| (v\S+) \|`).FindAllStringSubmatch(read(t, "README.md"), -1) {
		found++
		if !strings.Contains(mod, m[1]+" "+m[2]) {
			t.Errorf("README.md says %s %s, go.mod does not", m[1], m[2])
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(mod, -1) {
		if !strings.Contains(read(t, "README.md"), "| "+m[1]+" |") {
			t.Errorf("README.md has no row for %s, which go.mod requires directly", m[1])
		}
	}
	if found < 15 {
		t.Errorf("only %d modules found", found)
	}
}

//go:build unix

package localpg

import (
	"errors"
	"os"
	"testing"
)

func TestRemove(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := startNeighbour(t, dir, "serve", nil)
	url := server.line()
	if err := Remove(t.Context(), dir); !errors.Is(err, ErrInUse) {
		t.Fatalf("removing a folder in use: %v", err)
	}
	query(t, url, "SELECT 'undisturbed'")
	server.kill()
	must(t, Remove(t.Context(), dir))
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	if _, err := tryQuery(t.Context(), url, "SELECT 'there'"); err == nil {
		t.Error("the cluster of a removed folder still answers")
	}
	must(t, Remove(t.Context(), dir))
	if err := Remove(t.Context(), t.TempDir()); err == nil {
		t.Error("a folder that is no data folder was removed")
	}
}

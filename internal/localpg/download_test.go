//go:build unix

package localpg

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// repository stands for the published builds: the one archive that it has holds
// programs that only know their version (testdata/programs.txz).
func repository(t *testing.T, checksum func([]byte) string) Download {
	t.Helper()
	programs, err := os.ReadFile("testdata/programs.txz")
	must(t, err)
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	w, err := z.Create("programs.txz")
	must(t, err)
	_, err = w.Write(programs)
	must(t, err)
	must(t, z.Close())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !strings.Contains(r.URL.Path, "/17."):
			http.NotFound(w, r)
		case strings.HasSuffix(r.URL.Path, ".sha256"):
			_, _ = w.Write([]byte(checksum(archive.Bytes())))
		default:
			_, _ = w.Write(archive.Bytes())
		}
	}))
	t.Cleanup(server.Close)
	return Download{Repository: server.URL}
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func TestDownloadFetchesAndStartsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, repository(t, sum).Fetch(t.Context(), 17, dir))
	if got := installed(t.Context(), []string{dir + "/bin"}); len(got) != 1 || got[0].major != 17 {
		t.Errorf("fetched %v", got)
	}
}

func TestDownloadRefusesWhatDoesNotMatchOrIsMissing(t *testing.T) {
	t.Parallel()
	wrong := repository(t, func([]byte) string { return sum([]byte("something else")) })
	if err := wrong.Fetch(t.Context(), 17, t.TempDir()); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("a wrong checksum: %v", err)
	}
	if err := repository(t, sum).Fetch(t.Context(), 18, t.TempDir()); err == nil {
		t.Error("fetched a version that is not there")
	}
	if err := (Download{}).Fetch(t.Context(), 3, t.TempDir()); err == nil {
		t.Error("fetched PostgreSQL 3")
	}
}

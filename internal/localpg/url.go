//go:build unix

package localpg

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func (c *cluster) urlFile() string { return filepath.Join(c.dir, "database-url") }

func makeURL(password string, port int) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(owner, password),
		Host:     "127.0.0.1:" + strconv.Itoa(port),
		Path:     "/" + owner,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// readURL returns the password and the port of the last start from database-url.
// It returns an error when the file is missing or holds no password.
func (c *cluster) readURL() (password string, port int, err error) {
	text, err := os.ReadFile(c.urlFile())
	if err != nil {
		return "", 0, err
	}
	u, err := url.Parse(strings.TrimSpace(string(text)))
	if err != nil {
		return "", 0, errors.New("database-url holds no connection string")
	}
	password, ok := u.User.Password()
	if !ok || password == "" {
		return "", 0, errors.New("database-url holds no password")
	}
	port, _ = strconv.Atoi(u.Port())
	return password, port, nil
}

// writeURL puts the connection string into database-url, readable by its owner
// only. Readers see the old or the new one, never half of one.
func (c *cluster) writeURL(url string) error {
	if old, err := os.ReadFile(c.urlFile()); err == nil && string(old) == url+"\n" {
		return nil
	}
	part, err := os.CreateTemp(c.dir, ".database-url-") // mode 0600
	if err != nil {
		return fmt.Errorf("write database-url: %w", err)
	}
	defer os.Remove(part.Name())
	giveToOwnerOf(c.dir, part)
	_, err = part.WriteString(url + "\n")
	if err := errors.Join(err, part.Sync(), part.Close()); err != nil {
		return fmt.Errorf("write database-url: %w", err)
	}
	if err := os.Rename(part.Name(), c.urlFile()); err != nil {
		return fmt.Errorf("write database-url: %w", err)
	}
	syncFolder(c.dir)
	return nil
}

// writeSynced replaces a file's text, keeping its owner, and waits for the disk.
func writeSynced(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncFolder makes a rename in dir survive a power cut, where the system can.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

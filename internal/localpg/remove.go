//go:build unix

package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Remove deletes a data folder with everything in it, after stopping a cluster
// that a killed process left running. It returns an error wrapping ErrInUse,
// and removes nothing, while any process uses the folder; and an error for a
// folder that this package did not make. A folder that is not there is fine.
func Remove(ctx context.Context, dataDir string) error {
	dir, err := filepath.Abs(dataDir)
	if err != nil || dataDir == "" {
		return fmt.Errorf("data folder %q: %w", dataDir, errors.Join(err, os.ErrInvalid))
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, name := range []string{"lock", "start.lock"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("%s does not look like a data folder, nothing is removed: %w", dir, err)
		}
	}
	inUse := fmt.Errorf("%w: %s; stop the server and the commands that use it first", ErrInUse, dir)
	c := newCluster(dir, Options{})
	soon, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	gate, err := c.lockGate(soon)
	if err != nil {
		return errors.Join(inUse, err)
	}
	defer gate.release()
	users, err := openLock(filepath.Join(dir, "lock"))
	if err != nil {
		return err
	}
	defer users.release()
	alone, err := users.tryExclusive()
	if err != nil {
		return err
	}
	if !alone {
		return inUse
	}
	if err := c.stop(ctx); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

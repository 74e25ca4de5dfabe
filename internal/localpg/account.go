//go:build unix

package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// account is who PostgreSQL runs as. PostgreSQL refuses to run as root.
type account struct {
	name     string
	uid, gid int
	other    bool // not the account of this process
}

// accountFor chooses the account for the data folder: this process's own, or,
// for root, the owner of the cluster, else the owner of the data folder, else
// postgres, else nobody. It returns an error when the cluster belongs to
// somebody whom this process cannot become.
func accountFor(dir string) (account, error) {
	self := account{name: "uid " + strconv.Itoa(os.Geteuid()), uid: os.Geteuid(), gid: os.Getegid()}
	clusterUID, clusterGID, exists := ownerOf(filepath.Join(dir, "pg"))
	if self.uid != 0 {
		if exists && clusterUID != self.uid {
			return self, fmt.Errorf("the database in %s belongs to %s; run this as that user or as root",
				dir, userName(clusterUID))
		}
		return self, nil
	}
	if exists && clusterUID != 0 {
		return account{userName(clusterUID), clusterUID, clusterGID, true}, nil
	}
	if uid, gid, ok := ownerOf(dir); ok && uid != 0 {
		return account{userName(uid), uid, gid, true}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errU := strconv.Atoi(u.Uid)
		gid, errG := strconv.Atoi(u.Gid)
		if errU == nil && errG == nil && uid > 0 {
			return account{name, uid, gid, true}, nil
		}
	}
	return self, errors.New("PostgreSQL does not run as root, and there is neither a user postgres nor nobody to run it as; run this as an ordinary user")
}

// command prepares one of PostgreSQL's programs to run as the account, in a
// session of its own, so that Ctrl-C in a terminal reaches only us. folder is
// passed on as file 3; reach says what the program is to call it.
func (a account) command(ctx context.Context, folder *os.File, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = "/"
	cmd.WaitDelay = 5 * time.Second // a killed initdb's children may hold its output open
	cmd.ExtraFiles = []*os.File{folder}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Env = []string{"LC_ALL=C"}
	for _, name := range []string{"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	if a.other {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return cmd
}

// reach is the path by which a command gets into folder. Another account may
// not be able to enter the folders above it; on Linux the open file leads there
// without passing through them.
func (a account) reach(folder *os.File) string {
	if a.other && runtime.GOOS == "linux" {
		return "/proc/self/fd/3"
	}
	return folder.Name()
}

// own makes path the account's.
func (a account) own(path string) error {
	if !a.other {
		return nil
	}
	return os.Chown(path, a.uid, a.gid)
}

// explain adds to a failure what most likely caused it where reach cannot help.
func (a account) explain(err error, dir string) error {
	if a.other && runtime.GOOS != "linux" {
		return fmt.Errorf("%w (PostgreSQL runs as %s, which must be able to enter %s; use another DATA_DIR, or run this as an ordinary user)", err, a.name, dir)
	}
	return err
}

func ownerOf(path string) (uid, gid int, ok bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(st.Uid), int(st.Gid), true
}

// giveToOwnerOf lets root write into somebody's data folder without leaving
// files behind that the owner cannot use.
func giveToOwnerOf(dir string, f *os.File) {
	if os.Geteuid() != 0 {
		return
	}
	if uid, gid, ok := ownerOf(dir); ok && uid != 0 {
		_ = f.Chown(uid, gid)
	}
}

func userName(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return "uid " + strconv.Itoa(uid)
}

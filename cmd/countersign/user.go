package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"countersign/internal/localpg"
	"countersign/models"
	"countersign/models/people"
)

type userCmd struct {
	Add userAddCmd `cmd:"" help:"Add a person. Prints a one-time link at which they choose their password."`
}

type userAddCmd struct {
	Email         string        `arg:"" help:"E-mail address to sign in with."`
	Name          string        `required:"" help:"Name as others see it."`
	Role          []models.Role `help:"Role; give it several times for several." enum:"business_owner,implementer,reviewer,approver,viewer,admin" default:"viewer"`
	TimeZone      string        `default:"UTC" help:"Time zone to show times in, such as Europe/Berlin."`
	PasswordStdin bool          `help:"Read the password from standard input instead of making a link."`
	BaseURL       string        `env:"BASE_URL" placeholder:"URL" help:"Address that people use, for the link. Empty: http://localhost:8080."`
}

// Help is what --help adds.
func (userAddCmd) Help() string {
	return "Example: countersign user add owner@example.test --name \"Business owner\" --role business_owner"
}

// localBase is where a server with the default settings answers.
const localBase = "http://localhost:8080"

const longestPassword = 4 << 10

func (cmd userAddCmd) Run(ctx context.Context, g *globals) error {
	add := people.AddPersonByCommandCmd{Name: cmd.Name, Email: cmd.Email, TimeZone: cmd.TimeZone, Roles: cmd.Role}
	if cmd.PasswordStdin {
		typed, err := io.ReadAll(io.LimitReader(os.Stdin, longestPassword))
		if err != nil {
			return err
		}
		if add.Password = strings.TrimRight(string(typed), "\r\n"); add.Password == "" {
			return errors.New("no password came on standard input")
		}
	}
	db, done, err := g.open(ctx, localpg.Join, g.logger())
	if err != nil {
		return err
	}
	defer done()
	invitation, err := people.AddPersonByCommand(ctx, db, add)
	if err != nil {
		return err
	}
	fmt.Fprintf(g.out, "%s was added.\n", cmd.Email)
	if invitation.Token != "" {
		cmd.printLink(g.out, invitation.Token)
	}
	return nil
}

func (cmd userAddCmd) printLink(out io.Writer, token string) {
	base := strings.TrimRight(cmd.BaseURL, "/")
	if base == "" {
		base = localBase
	}
	fmt.Fprintf(out, "Send them this link. It works once, for 7 days:\n  %s/invite/%s\n", base, token)
	if cmd.BaseURL == "" {
		fmt.Fprintf(out, "BASE_URL is not set: put the address people use in place of %s.\n", localBase)
	}
}

package main

import (
	"context"
	"fmt"

	"countersign/internal/localpg"
	"countersign/models/people"
)

type tokenCmd struct {
	Create tokenCreateCmd `cmd:"" help:"Make a token for an automation. Prints the token and nothing else; it is shown only now."`
}

type tokenCreateCmd struct {
	Workflow    string         `required:"" help:"Short name of the workflow it is bound to."`
	Environment string         `required:"" help:"Short name of the environment it is bound to."`
	Name        string         `required:"" help:"Which automation uses it."`
	Scope       []people.Scope `help:"What it may do; give it several times for several. Without it: everything." enum:"deliveries,claims,outcomes,lookups,replays,read"`
	Expires     string         `placeholder:"DATE" help:"Last day it can be used, as year-month-day. Without it: no end."`
	Rate        int            `placeholder:"N" help:"Most calls in a minute. Without it: no limit."`
	As          string         `placeholder:"EMAIL" help:"Whom the automation counts as where duties are kept apart. Without it: the workflow's implementer."`
}

// Help is what --help adds.
func (tokenCreateCmd) Help() string {
	return "Example: TOKEN=$(countersign token create --workflow service-request --environment sandbox --name \"Intake flow\")"
}

func (cmd tokenCreateCmd) Run(ctx context.Context, g *globals) error {
	if err := g.hasDatabase(); err != nil {
		return err
	}
	db, done, err := g.open(ctx, localpg.Join, g.logger())
	if err != nil {
		return err
	}
	defer done()
	made, err := people.CreateTokenByCommand(ctx, db, people.CreateTokenByCommandCmd{As: cmd.As, TokenFacts: people.TokenFacts{Name: cmd.Name,
		Workflow: cmd.Workflow, Environment: cmd.Environment, Scopes: cmd.Scope, ExpiresOn: cmd.Expires, RatePerMinute: cmd.Rate}})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(g.out, made.Token)
	return err
}

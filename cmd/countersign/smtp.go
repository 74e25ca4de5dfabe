package main

import "countersign/models/notice"

// smtpFlags are the settings of the mail server.
type smtpFlags struct {
	Host     string `env:"SMTP_HOST" placeholder:"NAME" help:"Mail server that takes e-mail. Empty: people are told in their inbox only."`
	Port     int    `env:"SMTP_PORT" placeholder:"PORT" help:"Its port. Empty: 587, with tls 465, with none 25."`
	User     string `env:"SMTP_USER" placeholder:"NAME" help:"User to sign in as. Empty: without signing in."`
	Password string `env:"SMTP_PASSWORD" placeholder:"SECRET" help:"Password of that user."`
	TLS      string `env:"SMTP_TLS" enum:"starttls,tls,none" default:"starttls" help:"starttls (required), tls from the first byte, or none."`
	From     string `env:"SMTP_FROM" placeholder:"ADDRESS" help:"Sender, e.g. Countersign <countersign@example.test>."`
}

func (f smtpFlags) settings() notice.SMTP {
	return notice.SMTP{Host: f.Host, Port: f.Port, User: f.User, Password: f.Password, TLS: f.TLS, From: f.From}
}

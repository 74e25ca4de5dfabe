package browser

import (
	"regexp"
	"testing"
)

func TestAnInvitedPersonChoosesAPasswordAndSignsIn(t *testing.T) {
	t.Parallel()
	site := demoSite(t)
	admin := site.NewTab(t, Desk)
	admin.SignIn("admin")
	admin.Press("People")
	admin.Press("Add person")
	admin.Fill("Name", "Second reviewer")
	admin.Fill("E-mail", "second@example.test")
	admin.Tick("Reviewer")
	admin.PressTwice("Add person")
	admin.See("Second reviewer", "Send this link to Second reviewer")
	link := regexp.MustCompile(`/invite/[A-Za-z0-9_-]+`).FindString(admin.Text())
	if link == "" {
		t.Fatal("there is no link to send")
	}
	if n := site.text(t, "select count(*) from people where email = 'second@example.test'"); n != "1" {
		t.Fatalf("%s people were added", n)
	}

	person := site.NewTab(t, Phone.WithoutScript())
	person.Open(link)
	person.Fill("Password", "short")
	person.Fill("Password again", "short")
	person.Press("Save password and sign in")
	person.Answered(422)
	person.Fill("Password", "four words or more")
	person.Fill("Password again", "four words or more")
	person.Press("Save password and sign in")
	person.At("/")
	person.See("What needs you")

	later := site.NewTab(t, Phone.WithoutScript())
	later.SignInAs("second@example.test", "four words or more")
	later.Open(link)
	later.Answered(404)
}

func TestTheFirstAdministratorSetsUpAnEmptyWorkspace(t *testing.T) {
	t.Parallel()
	site := emptySite(t)
	tab := site.NewTab(t, Phone.WithoutScript())
	tab.Open("/")
	tab.At("/login*")
	tab.Open(site.setupLink(t))
	tab.Fill("Your name", "Administrator")
	tab.Fill("E-mail", "first@example.test")
	tab.Fill("Password", "four words or more")
	tab.Fill("Password again", "four words or more")
	tab.Press("Create administrator")
	tab.At("/")
	tab.See("What needs you")
}

package handlers_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/models"
	"countersign/views/help"
)

func TestHelpLeadsToPagesThatAreThere(t *testing.T) {
	a := newApp(t)
	b := a.as(a.person("Viewer", models.Viewer))
	seen := map[string]bool{}
	for _, path := range []string{"/help", "/help/sign-off", "/help/unknown-outcomes"} {
		links := b.get(path).want(http.StatusOK).Find("main a")
		for i := range links.Length() {
			if href := links.Eq(i).AttrOr("href", ""); !seen[href] {
				seen[href] = true
				b.get(href).want(http.StatusOK)
			}
		}
	}
	if len(seen) < 8 {
		t.Errorf("only %d links were followed", len(seen))
	}
	b.get("/help/nothing").want(http.StatusNotFound)
}

func TestGlossaryHasEachWordOnce(t *testing.T) {
	ids := map[string]bool{}
	for _, g := range help.Glossary {
		for _, w := range g.Words {
			if ids[w.ID] || w.Word == "" || !strings.HasSuffix(w.Means, ".") || strings.Contains(strings.ToLower(w.Means), "exactly once") {
				t.Errorf("%+v", w)
			}
			ids[w.ID] = true
		}
	}
}

func TestOverviewOfTheAdministration(t *testing.T) {
	a := newApp(t)
	admin, owner := a.person("Admin", models.Admin), a.person("Owner", models.BusinessOwner)
	a.as(owner).get("/admin").want(http.StatusForbidden)
	b := a.as(admin)
	p := b.get("/admin").want(http.StatusOK).says("2 active accounts, 0 invited and not here yet, 0 deactivated.").says("No mail server is set").saysNot("names somebody who left")
	links := p.Find("main .row a")
	for i := range links.Length() {
		b.get(links.Eq(i).AttrOr("href", "")).want(http.StatusOK)
	}
	if links.Length() != 7 {
		t.Errorf("%d pages", links.Length())
	}
}

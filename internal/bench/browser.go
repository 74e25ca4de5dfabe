package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"countersign/models/demo"
)

const origin = "http://bench.example.test"

// browser is somebody signed in: it sends what a browser sends, straight to the
// handler, and keeps the session cookie.
type browser struct {
	web    http.Handler
	cookie *http.Cookie
}

// signIn sends the sign-in form as a demo account.
func signIn(web http.Handler, email string) (*browser, error) {
	b := &browser{web: web}
	form := url.Values{"email": {email}, "password": {demo.Password}}
	r := httptest.NewRequest(http.MethodPost, origin+"/login", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	w := httptest.NewRecorder()
	web.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if c.Name == "countersign" {
			b.cookie = c
		}
	}
	if w.Code != http.StatusSeeOther || b.cookie == nil {
		return nil, fmt.Errorf("sign in as %s: status %d", email, w.Code)
	}
	return b, nil
}

// get renders a page and returns its text. Anything but 200 is an error: a
// redirect to the sign-in form would look fast.
func (b *browser) get(path string) (string, error) {
	r := httptest.NewRequest(http.MethodGet, origin+path, nil)
	r.AddCookie(b.cookie)
	w := httptest.NewRecorder()
	b.web.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		return "", fmt.Errorf("%s: status %d", path, w.Code)
	}
	return w.Body.String(), nil
}

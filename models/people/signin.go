package people

import (
	"context"
	"fmt"

	"countersign/models"
)

// SignInCmd is what the sign-in form says. Address is the caller's network address.
type SignInCmd struct{ Email, Password, Address string }

// SignedIn is what a session needs to hold.
type SignedIn struct {
	PersonID int64
	Epoch    int64
}

// SignIn checks an e-mail address and password.
//
// Invalid, in the same words and the same time, for an unknown e-mail address and a
// wrong password. TooMany with the wait when one of the throttle's limits is
// reached. A success starts the count of the account and address again.
// Every try is kept in sign_ins, which is its own record.
func SignIn(ctx context.Context, db *models.DB, cmd SignInCmd) (SignedIn, error) {
	email := CleanEmail(cmd.Email)
	var c models.Check
	if email == "" {
		c.Add("email", "Enter your e-mail address.")
	} else if len(email) > 254 {
		c.Add("email", "Enter an e-mail address such as owner@example.test.")
	} else {
		c.Line("email", email, 254)
	}
	if cmd.Password == "" {
		c.Add("password", "Enter your password.")
	}
	if err := c.Err(); err != nil {
		return SignedIn{}, err
	}
	return guess(ctx, db, email, cmd.Password, cmd.Address)
}

// account is what a guess is compared with.
type account struct {
	ID     int64
	Epoch  int64
	Hash   string
	Active bool
}

func guess(ctx context.Context, db *models.DB, email, password, address string) (SignedIn, error) {
	done, err := takeTurn(ctx, email, address)
	if err != nil {
		return SignedIn{}, err
	}
	defer done()
	try, err := reserve(ctx, db, email, address)
	if err != nil {
		return SignedIn{}, err
	}
	var a account
	if err := db.Query(ctx).Raw("select id, session_epoch as epoch, password_hash as hash, active from people where email = ?", email).Scan(&a).Error; err != nil {
		return SignedIn{}, err
	}
	ok, err := passwordMatches(ctx, tooLongIsWrong(password), a.Hash)
	if err != nil {
		return SignedIn{}, err
	}
	if !ok {
		return SignedIn{}, models.Invalid("password", "This e-mail address and password do not belong together. Check both and try again.")
	}
	if !a.Active {
		return SignedIn{}, models.Invalid("email", "This account is no longer active. Ask an administrator.")
	}
	if err := db.Query(ctx).Exec("update sign_ins set succeeded = true where id = ?", try).Error; err != nil {
		return SignedIn{}, err
	}
	return SignedIn{PersonID: a.ID, Epoch: a.Epoch}, nil
}

// tooLongIsWrong keeps a huge password from being hashed: none that long exists.
func tooLongIsWrong(password string) string {
	if len(password) > maxPassword {
		return ""
	}
	return password
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

package handlers

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

	"github.com/alexedwards/scs/pgxstore"
	"github.com/alexedwards/scs/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// sessionStore keeps a session that ended from coming back: a request that was
// under way while its person signed out saves the session once more when it is
// done, and that must not count.
type sessionStore struct {
	*pgxstore.PostgresStore
	pool *pgxpool.Pool
}

// Commit saves a session, and whose it is beside it, so that the person can see
// where they are signed in.
func (s *sessionStore) Commit(token string, data []byte, expiry time.Time) error {
	ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
	defer cancel()
	_, values, err := scs.GobCodec{}.Decode(data)
	if err != nil {
		return err
	}
	person, _ := values[sessionPerson].(int64)
	epoch, _ := values[sessionEpoch].(int64)
	device, _ := values[sessionDevice].(string)
	address, _ := values[sessionAddress].(string)
	_, err = s.pool.Exec(ctx, `insert into sessions (token, data, expiry, person_id, epoch, device, address) values ($1, $2, $3, nullif($4, 0::bigint), nullif($5, 0::bigint), left($6, 200), left($7, 100))
		on conflict (token) do update set data = excluded.data, expiry = excluded.expiry, person_id = excluded.person_id, epoch = excluded.epoch, device = excluded.device,
			address = excluded.address, seen_at = now()`, token, data, expiry, person, epoch, device, address)
	return err
}

// inStore is what the token of a session is called there.
func inStore(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

const storeLimit = 10 * time.Second

// Find is the session's data; found is false when it expired or ended.
func (s *sessionStore) Find(token string) (data []byte, found bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
	defer cancel()
	err = s.pool.QueryRow(ctx, `select data from sessions s where token = $1 and expiry > now()
		and not exists (select 1 from ended_sessions e where e.token = s.token)`, token).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	return data, err == nil, err
}

// Delete ends the session for good. What ended longer ago than a session may
// last is forgotten on the way.
func (s *sessionStore) Delete(token string) error {
	ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
	defer cancel()
	_, err := s.pool.Exec(ctx, `with ended as (insert into ended_sessions (token) values ($1) on conflict do nothing),
		old as (delete from ended_sessions where at < now() - make_interval(secs => $2))
		delete from sessions where token = $1`, token, (2 * absoluteLimit).Seconds())
	return err
}

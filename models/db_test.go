package models

import "testing"

func TestPoolSize(t *testing.T) {
	for url, want := range map[string]int32{
		"postgres://a@db.example.test/a": 20, "postgres://a@db.example.test/a?sslmode=disable": 20,
		"postgres://a@db.example.test/a?pool_max_conns=3": 3, "host=db.example.test pool_max_conns=50": 50,
	} {
		cfg, err := poolConfig(url)
		if err != nil || cfg.MaxConns != want {
			t.Errorf("%s: %v %v", url, cfg, err)
		}
	}
	if _, err := poolConfig("postgres://%"); err == nil {
		t.Error("nonsense was read")
	}
}

package people

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestHashingIsLimited(t *testing.T) {
	hash, err := hashPassword(t.Context(), "countersign-demo")
	if err != nil {
		t.Fatal(err)
	}
	for range cap(hashSlots) {
		hashSlots <- struct{}{}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err = passwordMatches(ctx, "countersign-demo", hash)
	for range cap(hashSlots) {
		<-hashSlots
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("hashed beyond the limit: %v", err)
	}
	if ok, err := passwordMatches(t.Context(), "countersign-demo", hash); !ok || err != nil {
		t.Errorf("the right password: %v %v", ok, err)
	}
	if ok, _ := passwordMatches(t.Context(), "nobody has this password", ""); ok {
		t.Error("the stand-in hash lets somebody in")
	}
}

package evidence

import (
	"io"

	"countersign/internal/pii"
)

// redactor copies a text and puts a mark in place of each finding that take
// says yes to. It finds what was found when the text was received, in the same
// order.
type redactor struct {
	to     io.Writer
	stream *pii.Stream
	cut    []pii.Found // to take out, not reached yet
	buf    []byte      // not written yet
	base   int64       // offset of buf[0]
	err    error
}

func newRedactor(to io.Writer, take func(Finding) bool) *redactor {
	r := &redactor{to: to}
	r.stream = pii.NewStream(func(f pii.Found) {
		if take(Finding{Kind: f.Kind}) {
			r.cut = append(r.cut, f)
		}
	})
	return r
}

// Write passes on what no later finding can reach any more.
func (r *redactor) Write(p []byte) (int, error) {
	r.buf = append(r.buf, p...)
	_, _ = r.stream.Write(p)
	r.pass(r.stream.Told())
	return len(p), r.err
}

// Close passes on the rest.
func (r *redactor) Close() error {
	_ = r.stream.Close()
	r.pass(r.base + int64(len(r.buf)))
	return r.err
}

// pass writes everything before offset to, marks in place of what is taken out.
func (r *redactor) pass(to int64) {
	for len(r.cut) > 0 && r.cut[0].Offset < to {
		f := r.cut[0]
		r.cut = r.cut[1:]
		r.write(f.Offset)
		r.put([]byte(Mark(f.Kind)))
		n := int(f.Offset + int64(f.Length) - r.base)
		r.buf = append(r.buf[:0], r.buf[n:]...)
		r.base += int64(n)
	}
	r.write(max(to, r.base))
}

func (r *redactor) write(to int64) {
	n := int(to - r.base)
	r.put(r.buf[:n])
	r.buf = append(r.buf[:0], r.buf[n:]...)
	r.base = to
}

func (r *redactor) put(b []byte) {
	if r.err == nil && len(b) > 0 {
		_, r.err = r.to.Write(b)
	}
}

package pii

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Found is a Hit with its place in a stream.
type Found struct {
	Kind         Kind
	Offset       int64 // in bytes, from the start of the stream
	Length       int   // in bytes
	Line, Column int   // from 1; the column counts characters
	Sure         bool
}

const (
	window  = 64 << 10 // how much is looked at together, in bytes
	overlap = 2 << 10  // of a line longer than a window: how much is looked at twice
	lag     = 1 << 10  // how far a finding by its name can lie behind what was read
)

// Stream finds in text that comes in pieces what Scan finds, and values whose
// name says that they are personal data: of JSON members, of name=value pairs
// and of CSV columns with a head. It calls found for each, in their order, none
// inside another, and needs the same small memory for any length. What it finds
// does not depend on how the text was cut.
type Stream struct {
	found func(Found)

	buf     []byte
	base    int64 // offset of buf[0]
	skip    int   // findings that start before buf[skip] were seen already
	read    int   // up to here names were looked at
	at      position
	names   namer
	pending []Found
	end     int64 // where the last finding that was told ends
}

// position is a line and a column, from 1, of the byte that comes next.
type position struct{ line, column int }

func (p *position) pass(text []byte) {
	if n := bytes.Count(text, []byte{'\n'}); n > 0 {
		p.line, p.column = p.line+n, 1
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	p.column += utf8.RuneCount(text)
}

// NewStream returns a Stream that is ready for the first Write.
func NewStream(found func(Found)) *Stream {
	s := &Stream{found: found, buf: make([]byte, 0, window), at: position{1, 1}}
	s.names = newNamer(func(f Found) { s.pending = append(s.pending, f) })
	return s
}

// Write looks at the next piece. It never fails.
func (s *Stream) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := copy(s.buf[len(s.buf):window], rest)
		s.buf, rest = s.buf[:len(s.buf)+n], rest[n:]
		if len(s.buf) == window {
			s.look(false)
		}
	}
	return len(p), nil
}

// Close looks at what is left.
func (s *Stream) Close() error {
	s.look(true)
	s.names.end()
	s.tell(true)
	return nil
}

// look finds what is in the buffer and keeps the part that must be seen again
// together with what follows.
func (s *Stream) look(last bool) {
	limit, keep := len(s.buf), len(s.buf)
	if !last {
		if i := bytes.LastIndexByte(s.buf, '\n'); i >= s.skip {
			limit, keep = i+1, i+1
		} else {
			for limit = len(s.buf) - overlap; !utf8.RuneStart(s.buf[limit]); {
				limit--
			}
			for keep = limit - overlap/2; !utf8.RuneStart(s.buf[keep]); {
				keep--
			}
		}
	}
	s.names.read(s.buf[s.read:limit])
	next := limit // of the first byte whose findings are new
	at, from := s.at, 0
	for start := 0; start < limit; {
		line := s.buf[start:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		if mayHold(line) {
			for _, h := range Scan(string(line)) {
				begin := start + h.Start
				if begin < s.skip || begin >= limit {
					continue
				}
				at.pass(s.buf[from:begin])
				from = begin
				s.pending = append(s.pending, Found{h.Kind, s.base + int64(begin), h.End - h.Start, at.line, at.column, h.Sure})
				next = max(next, start+h.End)
			}
		}
		start += len(line)
	}
	s.at.pass(s.buf[:keep])
	s.buf = s.buf[:copy(s.buf, s.buf[keep:])]
	s.base += int64(keep)
	s.skip, s.read = next-keep, limit-keep
	s.tell(last)
}

// tell calls found for what nothing can come before any more.
func (s *Stream) tell(all bool) {
	slices.SortStableFunc(s.pending, func(a, b Found) int {
		if a.Offset != b.Offset {
			return int(a.Offset - b.Offset)
		}
		return b.Length - a.Length
	})
	done := 0
	for _, f := range s.pending {
		if !all && f.Offset > s.base+int64(s.read)-lag {
			break
		}
		done++
		if f.Offset >= s.end {
			s.found(f)
			s.end = f.Offset + int64(f.Length)
		}
	}
	s.pending = slices.Delete(s.pending, 0, done)
}

// mayHold reports whether Scan can find anything at all.
func mayHold(line []byte) bool { return bytes.ContainsFunc(line, telling) }

// Told is the offset before which nothing more will be found.
func (s *Stream) Told() int64 { return max(0, s.base+int64(s.read)-lag) }

package handlers

import "time"

// Beat sets how often streams are looked after.
func (s *Server) Beat(d time.Duration) { s.heartbeat = d }

// AddPlace lets tests attach evidence to something of their own.
func (s *Server) AddPlace(kind string, find placeFinder) { s.places[kind] = find }

// Uploads sets how many forms with files are received at a time, how long
// another waits, and the least pace: some bytes in a time.
func (s *Server) Uploads(n int, wait, pause time.Duration, least int64) {
	s.uploads = newUploadSlots(n)
	s.uploads.wait, s.pace = wait, pace{pause, least}
}

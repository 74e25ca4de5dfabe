package notice

import (
	"fmt"
	"net/netip"
	"syscall"
)

// refusedAddress says that a webhook leads into a network that is not public.
type refusedAddress struct{ ip string }

func (e refusedAddress) Error() string {
	return fmt.Sprintf("the address leads to %s, which is not on the public internet, and is refused unless WEBHOOK_PRIVATE allows it", e.ip)
}

// special are ranges besides loopback, private, link-local and multicast ones
// that no public receiver has: shared, test and reserved ones, and those that
// carry an IPv4 address inside an IPv6 one.
var special = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"240.0.0.0/4", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10")

func prefixes(all ...string) (out []netip.Prefix) {
	for _, p := range all {
		out = append(out, netip.MustParsePrefix(p))
	}
	return out
}

// public reports whether an address can belong to a receiver elsewhere.
func public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() {
		return false
	}
	for _, p := range special {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// onlyPublic is asked for each address just before connecting to it, after names
// were resolved: a name that resolves to something else the next time helps nobody.
func onlyPublic(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return refusedAddress{address}
	}
	if !public(at.Addr()) {
		return refusedAddress{at.Addr().String()}
	}
	return nil
}

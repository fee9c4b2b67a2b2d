package main

import (
	"net"

	netutils "k8s.io/utils/net"
)

// addressQuestion is a text that may be an address or, with a slash, a range of addresses.
type addressQuestion struct {
	Text string `json:"text"`
}

type addressAnswer struct {
	// Address is the address as Go prints it; empty for what is none.
	Address string `json:"address,omitempty"`
	// Range is the range without the bits after its prefix; empty for what is none.
	Range string `json:"range,omitempty"`
	// IsStrict is false for texts that only the parser of older versions accepts.
	IsStrict bool `json:"isStrict"`
}

// addresses parses addresses and ranges as the API server does those of stored objects.
func addresses(question []byte) (any, error) {
	asked, err := read[addressQuestion](question)
	if err != nil {
		return nil, err
	}
	var answer addressAnswer
	if address := netutils.ParseIPSloppy(asked.Text); address != nil {
		answer.Address = address.String()
		answer.IsStrict = net.ParseIP(asked.Text) != nil
	}
	if _, network, err := netutils.ParseCIDRSloppy(asked.Text); err == nil {
		answer.Range = network.String()
		_, _, err := net.ParseCIDR(asked.Text)
		answer.IsStrict = err == nil
	}
	return answer, nil
}

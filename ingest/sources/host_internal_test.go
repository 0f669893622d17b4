package sources

import (
	"testing"
)

func TestRefuseLocal(t *testing.T) {
	tests := []struct {
		address string
		refused bool
	}{
		{"127.0.0.1:80", true},
		{"[::1]:443", true},
		{"10.1.2.3:80", true},
		{"169.254.169.254:80", true},
		{"[fe80::1%eth0]:80", true},
		{"[fd00::1]:80", true},
		{"[::ffff:127.0.0.1]:80", true},
		{"[64:ff9b::7f00:1]:80", true},
		{"100.64.0.1:80", true},
		{"0.0.0.0:80", true},
		{"224.0.0.1:80", true},
		{"not an address", true},
		{"8.8.8.8:443", false},
		{"[2606:4700::1111]:443", false},
	}
	for _, tt := range tests {
		t.Run(tt.address, func(t *testing.T) {
			if err := refuseLocal("tcp", tt.address, nil); (err != nil) != tt.refused {
				t.Errorf("error %v, want refused %v", err, tt.refused)
			}
		})
	}
}

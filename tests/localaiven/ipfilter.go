package localaiven

import (
	"fmt"
	"net/netip"
)

// checkFilter refuses what is no address and no network in the list of those that may connect. The published schema bounds
// its length only.
func checkFilter(config map[string]any) *apiError {
	entries, _ := config["ip_filter"].([]any)
	for i, entry := range entries {
		path := fmt.Sprintf("user_config.ip_filter.%d", i)
		if object, isObject := entry.(map[string]any); isObject {
			entry, path = object["network"], path+".network"
		}
		text, _ := entry.(string)
		_, noNetwork := netip.ParsePrefix(text)
		if _, noAddress := netip.ParseAddr(text); noNetwork != nil && noAddress != nil {
			return badRequest("Invalid input for %s: '%s' is not an IPv4 or IPv6 address or network", path, text)
		}
	}
	return nil
}

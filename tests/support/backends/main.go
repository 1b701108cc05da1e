// An integrator's server. A header names the signed-in user.
package main

import (
	"log"
	"net/http"
	"os"
	"strings"

	"backend/platformembed"
)

func main() {
	http.Handle("/embed-url", platformembed.Handler{
		APIBaseURL: os.Getenv("EMBED_API_BASE_URL"),
		APIKey:     os.Getenv("EMBED_API_KEY"),
		Origins:    strings.Fields(os.Getenv("EMBED_PAGE_ORIGINS")),
		Scope: func(r *http.Request) platformembed.Scope {
			user := r.Header.Get("X-Test-User")
			if user == "" {
				return nil
			}
			return platformembed.Scope{"bucket": os.Getenv("BUCKET"), "path": "/" + user}
		},
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

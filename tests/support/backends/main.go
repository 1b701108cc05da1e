// An integrator's server. A header names the signed-in user.
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"backend/platformembed"
	"backend/webhooks"
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
		Visitor: func(r *http.Request) *platformembed.Visitor {
			if r.Header.Get("X-Test-Unnamed") != "" {
				return nil
			}
			return &platformembed.Visitor{ID: r.Header.Get("X-Test-User")}
		},
	})
	http.Handle("/webhooks", webhooks.Handler{
		Secret:  os.Getenv("WEBHOOK_SECRET"),
		OnEvent: func(map[string]any) error { return nil },
	})
	// Whether the check would accept the message with X-Secret at the time of X-Now.
	http.HandleFunc("/check-webhook", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seconds, _ := strconv.ParseInt(r.Header.Get("X-Now"), 10, 64)
		fmt.Fprint(w, webhooks.IsSigned(r.Header.Get("X-Secret"), r.Header, body, time.Unix(seconds, 0)))
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

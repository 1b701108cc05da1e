// Package webhooks receives events of the platform. It needs the standard library only.
//
//	mux.Handle("/webhooks", webhooks.Handler{
//		Secret:  os.Getenv("WEBHOOK_SECRET"), // the whsec_… that was shown when the webhook was created
//		OnEvent: func(event map[string]any) error { … },
//	})
package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	tolerance    = 5 * time.Minute
	maxBodyBytes = 1024 * 1024
)

// Handler responds to the platform's requests.
type Handler struct {
	Secret string
	// OnEvent is called with each event. The same one may arrive again: ignore an event["id"] that you know. After an error it is sent again.
	OnEvent func(event map[string]any) error
}

// IsSigned tells whether the platform has signed these bytes within the last five minutes.
func IsSigned(secret string, header http.Header, body []byte, now time.Time) bool {
	timestamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	// With an empty key, anybody could sign.
	if err != nil || len(key) == 0 || !strings.HasPrefix(secret, "whsec_") {
		log.Print("webhooks: the secret is not the whsec_… of a webhook")
		return false
	}
	hash := hmac.New(sha256.New, key)
	hash.Write([]byte(header.Get("webhook-id") + "." + timestamp + "."))
	hash.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(hash.Sum(nil)))
	// There are two signatures while the secret is being changed.
	for _, signature := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal(expected, []byte(signature)) {
			return true
		}
	}
	return false
}

func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil || !IsSigned(strings.TrimSpace(h.Secret), r.Header, body, time.Now()) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var event map[string]any
	if err = json.Unmarshal(body, &event); err == nil {
		err = h.OnEvent(event)
	}
	if err != nil {
		log.Printf("webhooks: %v", err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Package platformembed is the token endpoint of <platform-embed>. It needs the standard library only.
//
//	mux.Handle("/embed-url", platformembed.Handler{
//		APIBaseURL: os.Getenv("EMBED_API_BASE_URL"),
//		APIKey:     os.Getenv("EMBED_API_KEY"),
//		Scope: func(r *http.Request) platformembed.Scope {
//			user := userOf(r) // from your session, never from the request
//			if user == nil || user.ID == "" { // the path "/" is the whole bucket
//				return nil
//			}
//			return platformembed.Scope{"bucket": "customer-files", "path": "/" + user.ID}
//		},
//		Visitor: func(r *http.Request) *platformembed.Visitor {
//			return &platformembed.Visitor{ID: userOf(r).ID}
//		},
//	})
package platformembed

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"strings"
	"time"
)

const (
	timeout = 10 * time.Second
	service = "files"
)

// Scope is what a token may access. It is a map, not a struct: with omitempty an empty path would be left out, and a scope without a path is
// the whole bucket.
type Scope map[string]any

// Visitor says who the visitor is. Revoking a visitor's tokens needs the ID.
type Visitor struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

// Handler is the token endpoint of <platform-embed>.
type Handler struct {
	APIBaseURL, APIKey string
	// Scope returns what this visitor may see, or nil if nobody is signed in.
	Scope func(*http.Request) Scope
	// Visitor is optional, and may return nil. It is called after Scope.
	Visitor func(*http.Request) *Visitor
	// Origins are other origins whose pages may call this endpoint. Pages of its own origin always may.
	Origins []string
}

// Redirects are not followed, so that the key goes only to the platform.
var client = &http.Client{
	Timeout:       timeout,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

type issued struct {
	URL       string `json:"url"`
	ExpiresAt int64  `json:"expiresAt"`
	Service   string `json:"service"`
}

// failure is what the platform says of a refusal, and what this endpoint does.
type failure struct {
	Error     string          `json:"error"`
	Code      string          `json:"code"`
	RequestID string          `json:"requestId,omitempty"`
	Status    int             `json:"status,omitempty"`
	Issues    json.RawMessage `json:"issues,omitempty"`
}

func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		respond(w, http.StatusMethodNotAllowed, failure{Code: "method_not_allowed", Error: "Use POST."})
		return
	}
	if !h.askedByOwnPage(r) {
		respond(w, http.StatusForbidden, failure{Code: "cross_site", Error: "This address serves its own pages only."})
		return
	}
	if asked := askedService(r); asked != nil && asked != service {
		respond(w, http.StatusForbidden, failure{Code: "service_not_allowed", Error: "This address serves another service."})
		return
	}
	scope := h.Scope(r)
	if scope == nil {
		respond(w, http.StatusUnauthorized, failure{Code: "not_signed_in", Error: "Sign in first."})
		return
	}
	h.issue(w, r, scope)
}

// askedByOwnPage: browsers send Sec-Fetch-Site; older ones send only Origin. A request with neither does not come from a browser.
func (h Handler) askedByOwnPage(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	for _, own := range h.Origins {
		if origin == own {
			return true
		}
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	// A proxy may have replaced the Host header. Another site's page cannot set this header.
	host := r.Header.Get("X-Forwarded-Host")
	if host == "" {
		host = r.Host
	}
	host = strings.TrimSpace(strings.Split(host, ",")[0])
	return origin == "" || origin == "https://"+host || origin == "http://"+host
}

// askedService returns the service that the page names, if any. Scope can read the body again.
func askedService(r *http.Request) any {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<16))
	r.Body = io.NopCloser(bytes.NewReader(body))
	var asked struct {
		Service any `json:"service"`
	}
	if json.Unmarshal(body, &asked) != nil {
		return nil
	}
	return asked.Service
}

// refusals are for the console of the page's developer. The log says more.
var refusals = map[string]string{
	"invalid_api_key":   "The platform does not know EMBED_API_KEY: it is mistyped, cut off or revoked.",
	"scope_not_allowed": "EMBED_API_KEY does not allow this scope; this server's log says which member.",
	"not_found":         "EMBED_API_BASE_URL is not the address of the platform's API.",
	"platform_invalid":  "EMBED_API_BASE_URL is not the address of the platform's API.",
}

// issue requests a URL from the platform. If the platform refuses this server, it is a 502, never a 401: a 401 asks the visitor to sign in.
func (h Handler) issue(w http.ResponseWriter, r *http.Request, scope Scope) {
	status, header, body, err := h.askPlatform(r, scope)
	if err != nil {
		note(failure{Code: "platform_unreachable", Error: err.Error()})
		respond(w, http.StatusServiceUnavailable, failure{Code: "platform_unreachable", Error: "The platform cannot be reached just now."})
		return
	}
	var url issued
	if status == http.StatusOK && json.Unmarshal(body, &url) == nil && url.URL != "" && url.ExpiresAt != 0 && url.Service != "" {
		respond(w, http.StatusOK, url)
		return
	}

	var said failure
	if json.Unmarshal(body, &said) != nil || said.Code == "" {
		said.Code = "platform_invalid"
	}
	said.Status, said.RequestID = status, header.Get("X-Request-Id")
	answer, sentence := http.StatusBadGateway, refusals[said.Code]
	if sentence == "" {
		sentence = "The platform refused; this server's log says why."
	}
	if status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500 {
		answer, sentence = http.StatusServiceUnavailable, "The platform cannot be reached just now."
		said.Code = "platform_unavailable"
		if again := header.Get("Retry-After"); again != "" {
			w.Header().Set("Retry-After", again)
		}
	}
	note(said)
	respond(w, answer, failure{Code: said.Code, Error: sentence, RequestID: said.RequestID})
}

func (h Handler) askPlatform(r *http.Request, scope Scope) (int, http.Header, []byte, error) {
	asked := map[string]any{"service": service, "scope": scope}
	if h.Visitor != nil {
		if visitor := h.Visitor(r); visitor != nil {
			asked["visitor"] = visitor
		}
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return 0, nil, nil, err
	}
	address := strings.TrimRight(h.APIBaseURL, "/") + "/api/embed/url"
	request, err := http.NewRequestWithContext(r.Context(), http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Api-Key", h.APIKey)
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	return response.StatusCode, response.Header, text, err
}

func respond(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

func note(what failure) {
	line, _ := json.Marshal(what)
	log.Printf("platform-embed: %s", line)
}

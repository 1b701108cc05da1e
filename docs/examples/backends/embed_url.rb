# frozen_string_literal: true

# The token endpoint of <platform-embed>, as a Rack application. It needs only Ruby's standard library.
#
#   mount EmbedUrl => "/embed-url"      # Rails: app/lib/embed_url.rb, config/routes.rb
#   map("/embed-url") { run EmbedUrl }  # Sinatra, Roda, Hanami: config.ru, below the sessions
#
# Set EMBED_API_BASE_URL and EMBED_API_KEY, and write scope_of_visitor and visitor for your own sessions.

require "json"
require "logger"
require "net/http"

module EmbedUrl
  ADDRESS = URI("#{ENV.fetch("EMBED_API_BASE_URL").chomp("/")}/api/embed/url")
  API_KEY = ENV.fetch("EMBED_API_KEY").strip
  TIMEOUT_SECONDS = 10
  SERVICE = "files"
  # Other origins whose pages may call this endpoint, separated by spaces.
  ORIGINS = ENV.fetch("EMBED_PAGE_ORIGINS", "").split
  LOGGER = Logger.new($stderr)
  # For the console of the page's developer. The log says more.
  REFUSALS = {
    "invalid_api_key" => "The platform does not know EMBED_API_KEY: it is mistyped, cut off or revoked.",
    "scope_not_allowed" => "EMBED_API_KEY does not allow this scope; this server's log says which member.",
    "not_found" => "EMBED_API_BASE_URL is not the address of the platform's API.",
    "platform_invalid" => "EMBED_API_BASE_URL is not the address of the platform's API.",
  }.freeze

  module_function

  # What this visitor may see: from your session, never from the request. nil if nobody is signed in.
  def scope_of_visitor(env)
    user_id = env["rack.session"]["user_id"].to_s
    { bucket: "customer-files", path: "/#{user_id}" } unless user_id.empty?
  end

  # Who this visitor is: your id, with which you can revoke their tokens, and a name if you like (name:). Or nil.
  def visitor(env)
    { id: env["rack.session"]["user_id"].to_s }
  end

  def call(env)
    return refusal(405, "method_not_allowed", "Use POST.", headers: { "allow" => "POST" }) unless env["REQUEST_METHOD"] == "POST"
    return refusal(403, "cross_site", "This address serves its own pages only.") unless asked_by_own_page?(env)
    return refusal(403, "service_not_allowed", "This address serves another service.") unless [nil, SERVICE].include?(asked_service(env))

    scope = scope_of_visitor(env)
    scope ? issue(scope, visitor(env)) : refusal(401, "not_signed_in", "Sign in first.")
  end

  # Browsers send Sec-Fetch-Site; older ones send only Origin. A request with neither does not come from a browser.
  def asked_by_own_page?(env)
    origin = env["HTTP_ORIGIN"]
    return true if ORIGINS.include?(origin)

    site = env["HTTP_SEC_FETCH_SITE"]
    return site == "same-origin" if site

    # A proxy may have replaced the Host header. Another site's page cannot set this header.
    host = (env["HTTP_X_FORWARDED_HOST"] || env["HTTP_HOST"]).to_s.split(",").first.to_s.strip
    [nil, "https://#{host}", "http://#{host}"].include?(origin)
  end

  # The service that the page names, if any.
  def asked_service(env)
    parse(env["rack.input"]&.read(65_536).to_s)["service"]
  end

  # Requests a URL from the platform. If the platform refuses this server, it is a 502, never a 401: a 401 asks the visitor to sign in.
  def issue(scope, visitor)
    response = ask_platform({ service: SERVICE, scope: scope, visitor: visitor }.compact)
    return refusal(503, "platform_unreachable", "The platform cannot be reached just now.") unless response

    status = response.code.to_i
    body = parse(response.body)
    issued = body.slice("url", "expiresAt", "service").compact
    return respond(200, issued) if status == 200 && issued.size == 3

    request_id = response["X-Request-Id"]
    busy = [408, 429].include?(status) || status >= 500
    code = body["code"].is_a?(String) ? body["code"] : "platform_invalid"
    code = "platform_unavailable" if busy
    log(status: status, code: code, requestId: request_id, error: body["error"], issues: body["issues"])
    return refusal(502, code, REFUSALS.fetch(code, "The platform refused; this server's log says why."), request_id: request_id) unless busy

    again = { "retry-after" => response["Retry-After"] }.compact
    refusal(503, code, "The platform cannot be reached just now.", request_id: request_id, headers: again)
  end

  # Net::HTTP follows no redirects, so the key goes only to the platform.
  def ask_platform(body)
    settings = { use_ssl: ADDRESS.scheme == "https",
                 open_timeout: TIMEOUT_SECONDS, write_timeout: TIMEOUT_SECONDS, read_timeout: TIMEOUT_SECONDS }
    Net::HTTP.start(ADDRESS.hostname, ADDRESS.port, settings) do |http|
      # Not compressed, so that Content-Length is the length of the body.
      headers = { "Content-Type" => "application/json", "Accept-Encoding" => "identity", "X-Api-Key" => API_KEY }
      response = http.post(ADDRESS.path, body.to_json, headers)
      # Net::HTTP returns a body that the connection has cut short.
      raise EOFError, "The response was cut off." if response.body.to_s.bytesize < response.content_length.to_i

      response
    end
  rescue StandardError => e # sockets, TLS, HTTP and compression each have errors of their own
    log(code: "platform_unreachable", error: e.message)
    nil
  end

  def parse(text)
    parsed = JSON.parse(text)
    parsed.is_a?(Hash) ? parsed : {}
  rescue JSON::ParserError
    {}
  end

  def refusal(status, code, error, request_id: nil, headers: {})
    respond(status, { error: error, code: code, requestId: request_id }.compact, headers)
  end

  def respond(status, body, headers = {})
    [status, { "content-type" => "application/json", "cache-control" => "no-store", **headers }, [body.to_json]]
  end

  def log(what)
    LOGGER.error("platform-embed: #{what.to_json}")
  end
end

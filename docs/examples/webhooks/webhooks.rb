# frozen_string_literal: true

# A receiver of webhooks, as a Rack application. It needs only Ruby's standard library.
#
#   mount Webhooks => "/webhooks"      # Rails: app/lib/webhooks.rb, config/routes.rb
#   map("/webhooks") { run Webhooks }  # Sinatra, Roda, Hanami: config.ru
#
# Set WEBHOOK_SECRET to the whsec_… that was shown when the webhook was created, and write on_event.

require "json"
require "openssl"

module Webhooks
  SECRET = ENV.fetch("WEBHOOK_SECRET").strip
  TOLERANCE_SECONDS = 5 * 60
  MAX_BODY_BYTES = 1024 * 1024

  module_function

  # Called with each event. The same one may arrive again: ignore an event["id"] that you know. After an exception it is sent again.
  def on_event(event); end

  # The key in a secret. With an empty one, anybody could sign.
  def key_of(secret)
    key = secret.start_with?("whsec_") ? secret.delete_prefix("whsec_").unpack1("m0") : ""
    raise ArgumentError, "WEBHOOK_SECRET is not the whsec_… of a webhook." if key.empty?

    key
  end

  # Whether the platform has signed these bytes within the last five minutes. The last three are the webhook-… headers.
  def signed?(secret, body, id, timestamp, signatures, now: Time.now)
    sent_at = Integer(timestamp, 10, exception: false)
    return false if sent_at.nil? || (now.to_i - sent_at).abs > TOLERANCE_SECONDS

    digest = OpenSSL::HMAC.digest("SHA256", key_of(secret), "#{id}.#{timestamp}.".b + body.b)
    expected = "v1,#{[digest].pack("m0")}"
    # There are two signatures while the secret is being changed.
    signatures.split(" ").any? { |signature| OpenSSL.secure_compare(expected, signature) }
  end

  def call(env)
    return [405, { "allow" => "POST" }, []] unless env["REQUEST_METHOD"] == "POST"

    body = env["rack.input"]&.read(MAX_BODY_BYTES).to_s
    headers = %w[ID TIMESTAMP SIGNATURE].map { |name| env["HTTP_WEBHOOK_#{name}"].to_s }
    return [400, {}, []] unless signed?(SECRET, body, *headers)

    on_event(JSON.parse(body))
    [204, {}, []]
  end

  key_of(SECRET) # A server with an invalid secret does not start.
end

# frozen_string_literal: true

# An integrator's Rack application. A header names the signed-in user.
require "rack"
begin
  require "rackup" # since Rack 3
  server = Rackup::Handler::WEBrick
rescue LoadError
  server = Rack::Handler::WEBrick
end
require "rack/lint"
require_relative ENV.fetch("EXAMPLE")
require_relative File.join(File.dirname(ENV.fetch("EXAMPLE")), "webhooks")

# Whether the check would accept the message with X-Secret at the time of X-Now.
check_webhook = lambda do |env|
  message = [env["rack.input"].read, *%w[ID TIMESTAMP SIGNATURE].map { |name| env["HTTP_WEBHOOK_#{name}"].to_s }]
  now = Time.at(env["HTTP_X_NOW"].to_i)
  [200, { "content-type" => "text/plain" }, [Webhooks.signed?(env["HTTP_X_SECRET"].to_s, *message, now: now).to_s]]
end

app = Rack::Builder.new do
  use(Class.new do
    def initialize(app) = @app = app

    def call(env)
      @app.call(env.merge("rack.session" => { "user_id" => env["HTTP_X_TEST_USER"] }.compact))
    end
  end)
  use Rack::Lint
  map("/embed-url") { run EmbedUrl }
  map("/webhooks") { run Webhooks }
  map("/check-webhook") { run check_webhook }
end
server.run(app.to_app, Host: "127.0.0.1", Port: ENV.fetch("PORT").to_i, AccessLog: [])

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

app = Rack::Builder.new do
  use(Class.new do
    def initialize(app) = @app = app

    def call(env)
      @app.call(env.merge("rack.session" => { "user_id" => env["HTTP_X_TEST_USER"] }.compact))
    end
  end)
  use Rack::Lint
  map("/embed-url") { run EmbedUrl }
end
server.run(app.to_app, Host: "127.0.0.1", Port: ENV.fetch("PORT").to_i, AccessLog: [])

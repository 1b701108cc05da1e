// The token endpoint of <platform-embed>, for ASP.NET Core from 8 on. In Program.cs, after UseAuthentication():
//
//     app.MapEmbedUrl();
//
// Set EMBED_API_BASE_URL and EMBED_API_KEY, and write ScopeOfVisitor and Visitor for your own sign-in.
//
// Not tested: our test machines (Debian) have no .NET.

using System.Security.Claims;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;

public static class EmbedUrl
{
    // Redirects are not followed, so that the key goes only to the platform.
    static readonly HttpClient Platform = new(new SocketsHttpHandler
    {
        AllowAutoRedirect = false,
        PooledConnectionLifetime = TimeSpan.FromMinutes(5),
    })
    { Timeout = TimeSpan.FromSeconds(10) };

    const string Service = "files";

    static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web)
    {
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    };

    /// <summary>What this visitor may see: from your session, never from the request. Null if nobody is signed in.</summary>
    static object? ScopeOfVisitor(ClaimsPrincipal visitor) =>
        visitor.FindFirst(ClaimTypes.NameIdentifier)?.Value is { Length: > 0 } id
            ? new { bucket = "customer-files", path = $"/{id}" }
            : null;

    /// <summary>Who this visitor is: your id, with which you can revoke their tokens, and a name if you like. Or null.</summary>
    static object? Visitor(ClaimsPrincipal visitor) => new { id = visitor.FindFirst(ClaimTypes.NameIdentifier)?.Value };

    public static void MapEmbedUrl(this WebApplication app)
    {
        string Setting(string name) =>
            app.Configuration[name]?.Trim() ?? throw new InvalidOperationException($"{name} is not set.");
        var address = $"{Setting("EMBED_API_BASE_URL").TrimEnd('/')}/api/embed/url";
        var apiKey = Setting("EMBED_API_KEY");
        // Other origins whose pages may call this endpoint, separated by spaces.
        var origins = (app.Configuration["EMBED_PAGE_ORIGINS"] ?? "").Split(' ', StringSplitOptions.RemoveEmptyEntries);

        // Any other method is answered with 405 by the framework.
        app.MapPost("/embed-url", async (HttpContext context, CancellationToken gone) =>
        {
            context.Response.Headers.CacheControl = "no-store";
            if (!AskedByOwnPage(context.Request, origins))
                return Refusal(403, "cross_site", "This address serves its own pages only.");
            using var asked = new MemoryStream();
            await context.Request.Body.CopyToAsync(asked, gone);
            if (Parse(asked.ToArray())["service"] is { } named && named.ToJsonString() != $"\"{Service}\"")
                return Refusal(403, "service_not_allowed", "This address serves another service.");
            if (ScopeOfVisitor(context.User) is not { } scope)
                return Refusal(401, "not_signed_in", "Sign in first.");

            var body = new Dictionary<string, object> { ["service"] = Service, ["scope"] = scope };
            if (Visitor(context.User) is { } visitor)
                body["visitor"] = visitor;
            using var request = new HttpRequestMessage(HttpMethod.Post, address) { Content = JsonContent.Create(body) };
            request.Headers.Add("X-Api-Key", apiKey);
            try
            {
                using var response = await Platform.SendAsync(request, gone);
                return Answer(context, response, Parse(await response.Content.ReadAsByteArrayAsync(gone)), app.Logger);
            }
            catch (Exception error) when (error is HttpRequestException or OperationCanceledException)
            {
                app.Logger.LogError("platform-embed: code platform_unreachable: {Error}", error.Message);
                return Refusal(503, "platform_unreachable", "The platform cannot be reached just now.");
            }
        });
    }

    /// <summary>Browsers send Sec-Fetch-Site; older ones send only Origin. A request with neither does not come from a browser.</summary>
    static bool AskedByOwnPage(HttpRequest request, string[] origins)
    {
        var origin = request.Headers.Origin.FirstOrDefault();
        if (origins.Contains(origin))
            return true;
        if (request.Headers["Sec-Fetch-Site"].FirstOrDefault() is { } site)
            return site == "same-origin";
        // A proxy may have replaced the Host header. Another site's page cannot set this header.
        var host = (request.Headers["X-Forwarded-Host"].FirstOrDefault() ?? request.Host.Value ?? "").Split(',')[0].Trim();
        return origin is null || origin == $"https://{host}" || origin == $"http://{host}";
    }

    /// <summary>For the console of the page's developer. The log says more.</summary>
    static string Sentence(string code) => code switch
    {
        "invalid_api_key" => "The platform does not know EMBED_API_KEY: it is mistyped, cut off or revoked.",
        "scope_not_allowed" => "EMBED_API_KEY does not allow this scope; this server's log says which member.",
        "not_found" or "platform_invalid" => "EMBED_API_BASE_URL is not the address of the platform's API.",
        _ => "The platform refused; this server's log says why.",
    };

    /// <summary>If the platform refuses this server, it is a 502, never a 401: a 401 asks the visitor to sign in.</summary>
    static IResult Answer(HttpContext context, HttpResponseMessage response, JsonObject body, ILogger log)
    {
        var status = (int)response.StatusCode;
        if (status == 200 && body["url"] is { } url && body["expiresAt"] is { } expiresAt && body["service"] is { } service)
            return Results.Json(new { url, expiresAt, service }, Json);

        var requestId = response.Headers.TryGetValues("X-Request-Id", out var ids) ? ids.First() : null;
        var busy = status is 408 or 429 or >= 500;
        var code = busy ? "platform_unavailable"
            : body["code"] is JsonValue value && value.TryGetValue(out string? said) ? said
            : "platform_invalid";
        log.LogError("platform-embed: status {Status}, code {Code}, request {RequestId}: {Error} {Issues}",
            status, code, requestId, body["error"]?.ToJsonString(), body["issues"]?.ToJsonString());
        if (!busy)
            return Refusal(502, code, Sentence(code), requestId);
        if (response.Headers.RetryAfter is { } again)
            context.Response.Headers.RetryAfter = again.ToString();
        return Refusal(503, code, "The platform cannot be reached just now.", requestId);
    }

    static JsonObject Parse(byte[] text)
    {
        try
        {
            return JsonNode.Parse(text) as JsonObject ?? new JsonObject();
        }
        catch (JsonException)
        {
            return new JsonObject();
        }
    }

    static IResult Refusal(int status, string code, string error, string? requestId = null) =>
        Results.Json(new { error, code, requestId }, Json, statusCode: status);
}

// A receiver of webhooks, for ASP.NET Core from 8 on. In Program.cs:
//
//     app.MapWebhooks();
//
// Set WEBHOOK_SECRET to the whsec_… that was shown when the webhook was created, and write OnEvent.
//
// Not tested: our test machines (Debian) have no .NET.

using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

public static class Webhooks
{
    const int ToleranceSeconds = 5 * 60;

    /// <summary>Called with each event. The same one may arrive again: ignore an id that you know. After an exception it is sent again.</summary>
    static Task OnEvent(JsonElement platformEvent) => Task.CompletedTask;

    /// <summary>The key in a secret. With an empty one, anybody could sign.</summary>
    static byte[] KeyOf(string secret)
    {
        var key = secret.StartsWith("whsec_", StringComparison.Ordinal)
            ? Convert.FromBase64String(secret["whsec_".Length..])
            : Array.Empty<byte>();
        return key.Length > 0 ? key : throw new InvalidOperationException("WEBHOOK_SECRET is not the whsec_… of a webhook.");
    }

    /// <summary>Whether the platform has signed these bytes within the last five minutes.</summary>
    public static bool IsSigned(string secret, IHeaderDictionary headers, byte[] body, DateTimeOffset now)
    {
        var timestamp = headers["webhook-timestamp"].ToString();
        if (!long.TryParse(timestamp, NumberStyles.None, CultureInfo.InvariantCulture, out var sentAt)
            || sentAt < now.ToUnixTimeSeconds() - ToleranceSeconds || sentAt > now.ToUnixTimeSeconds() + ToleranceSeconds)
            return false;
        byte[] message = [.. Encoding.UTF8.GetBytes($"{headers["webhook-id"]}.{timestamp}."), .. body];
        var expected = Encoding.UTF8.GetBytes($"v1,{Convert.ToBase64String(HMACSHA256.HashData(KeyOf(secret), message))}");
        // There are two signatures while the secret is being changed.
        return headers["webhook-signature"].ToString().Split(' ')
            .Any(signature => CryptographicOperations.FixedTimeEquals(expected, Encoding.UTF8.GetBytes(signature)));
    }

    public static void MapWebhooks(this WebApplication app)
    {
        var secret = app.Configuration["WEBHOOK_SECRET"]?.Trim() ?? "";
        KeyOf(secret); // A server with an invalid secret does not start.

        app.MapPost("/webhooks", async (HttpRequest request, CancellationToken gone) =>
        {
            using var body = new MemoryStream();
            await request.Body.CopyToAsync(body, gone);
            if (!IsSigned(secret, request.Headers, body.ToArray(), DateTimeOffset.UtcNow))
                return Results.BadRequest();
            await OnEvent(JsonSerializer.Deserialize<JsonElement>(body.ToArray()));
            return Results.NoContent();
        });
    }
}

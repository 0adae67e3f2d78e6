// ARI_SIGNING_SECRET=whsec_… dotnet run receiver.cs (.NET 10 or later; nothing else is needed).
using System.Net;
using System.Security.Cryptography;
using System.Text;

const long toleranceSeconds = 300;
var given = Environment.GetEnvironmentVariable("ARI_SIGNING_SECRET") ?? throw new InvalidOperationException("ARI_SIGNING_SECRET is missing");
var secret = Convert.FromBase64String(given.StartsWith("whsec_") ? given["whsec_".Length..] : given);

using var listener = new HttpListener();
listener.Prefixes.Add($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT") ?? "8000"}/");
listener.Start();
while (true)
{
    var call = await listener.GetContextAsync();
    using var buffer = new MemoryStream();
    await call.Request.InputStream.CopyToAsync(buffer);
    var body = buffer.ToArray();
    if (IsFromPlatform(call.Request.Headers, body))
    {
        // Store the body on disk here, before you answer. Process it afterwards: it may come twice, with the same
        // webhook-id.
        Console.WriteLine($"{call.Request.Headers["webhook-id"]} {Encoding.UTF8.GetString(body)}");
        call.Response.StatusCode = 204;
    }
    else
    {
        call.Response.StatusCode = 401;
    }
    call.Response.Close();
}

// The body is the raw bytes: JSON that was parsed and serialized again has another signature.
bool IsFromPlatform(System.Collections.Specialized.NameValueCollection headers, byte[] body)
{
    var timestamp = headers["webhook-timestamp"] ?? "";
    // Refuse replays of old calls.
    if (!long.TryParse(timestamp, out var sentAt)) return false;
    if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - sentAt) > toleranceSeconds) return false;
    var signed = Encoding.UTF8.GetBytes($"{headers["webhook-id"]}.{timestamp}.").Concat(body).ToArray();
    var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(HMACSHA256.HashData(secret, signed)));
    // While the secret is being changed there are several signatures, separated by blanks: one must match.
    return (headers["webhook-signature"] ?? "")
        .Split(' ')
        .Any(signature => CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(signature), expected));
}

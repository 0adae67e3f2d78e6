// ARI_SIGNING_SECRET=whsec_… java Receiver.java (Java 17 or later; nothing else is needed).
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
    private static final byte[] SECRET =
        Base64.getDecoder().decode(System.getenv("ARI_SIGNING_SECRET").replaceFirst("^whsec_", ""));
    private static final long TOLERANCE_SECONDS = 300;

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8000"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.createContext("/", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            boolean ours = isFromPlatform(exchange.getRequestHeaders(), body);
            if (ours) {
                // Store the body on disk here, before you answer. Process it afterwards: it may come twice, with the
                // same webhook-id.
                String id = exchange.getRequestHeaders().getFirst("webhook-id");
                System.out.println(id + " " + new String(body, StandardCharsets.UTF_8));
            }
            exchange.sendResponseHeaders(ours ? 204 : 401, -1);
            exchange.close();
        });
        server.start();
    }

    /** The body is the raw bytes: JSON that was parsed and serialized again has another signature. */
    static boolean isFromPlatform(Headers headers, byte[] body) {
        String id = headers.getFirst("webhook-id");
        String timestamp = headers.getFirst("webhook-timestamp");
        String signatures = headers.getFirst("webhook-signature");
        if (id == null || timestamp == null || signatures == null || !timestamp.matches("\\d{1,12}")) return false;
        // Refuse replays of old calls.
        long now = System.currentTimeMillis() / 1000;
        if (Math.abs(now - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) return false;
        byte[] expected = ("v1," + signature(id + "." + timestamp + ".", body)).getBytes(StandardCharsets.UTF_8);
        // While the secret is being changed there are several signatures, separated by blanks: one must match.
        for (String given : signatures.split(" ")) {
            if (MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), expected)) return true;
        }
        return false;
    }

    private static String signature(String before, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
            mac.update(before.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error);
        }
    }
}

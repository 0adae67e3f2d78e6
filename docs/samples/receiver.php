<?php
// ARI_SIGNING_SECRET=whsec_… php -S 127.0.0.1:8000 receiver.php (PHP 8.0 or later; nothing else is needed).
declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/** $body is the raw bytes: JSON that was parsed and serialized again has another signature. */
function isFromPlatform(string $id, string $timestamp, string $signatures, string $body): bool
{
    $secret = base64_decode(preg_replace('/^whsec_/', '', (string) getenv('ARI_SIGNING_SECRET')));
    if ($secret === '') {
        throw new RuntimeException('ARI_SIGNING_SECRET is missing');
    }
    // Refuse replays of old calls.
    if (!preg_match('/^\d{1,12}$/', $timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $secret, true));
    // While the secret is being changed there are several signatures, separated by blanks: one must match.
    foreach (explode(' ', $signatures) as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

// The default until the call is verified: PHP would answer 200 even after a failure.
http_response_code(500);

$body = (string) file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
if (!isFromPlatform($id, $timestamp, $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '', $body)) {
    http_response_code(401);
    exit();
}
// Store the body on disk here, before you answer. Process it afterwards: it may come twice, with the same webhook-id.
error_log("$id $body");
http_response_code(204);

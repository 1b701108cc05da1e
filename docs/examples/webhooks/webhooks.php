<?php

/**
 * A receiver of webhooks, for PHP from 8.1 on. Put it where your site answers POST /webhooks.php, set WEBHOOK_SECRET to the whsec_… that was
 * shown when the webhook was created, and write on_event().
 *
 * In Symfony or Laravel, leave the last lines out, from ini_set() on, and call is_signed() with `$request->getContent()`.
 */

declare(strict_types=1);

namespace PlatformEmbed;

const TOLERANCE_SECONDS = 5 * 60;
const MAX_BODY_BYTES = 1024 * 1024;

/** Called with each event. The same one may arrive again: ignore an $event['id'] that you know. After an exception it is sent again. */
function on_event(array $event): void
{
}

/** The key in a secret. With an empty one, anybody could sign. */
function key_of(string $secret): string
{
    $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, strlen('whsec_')), true) : '';
    return $key ?: throw new \LogicException('WEBHOOK_SECRET is not the whsec_… of a webhook.');
}

/** Whether the platform has signed these bytes within the last five minutes. $id, $timestamp and $signatures are the webhook-… headers. */
function is_signed(string $secret, string $body, string $id, string $timestamp, string $signatures, ?int $now = null): bool
{
    if (!ctype_digit($timestamp) || abs(($now ?? time()) - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", key_of($secret), true));
    foreach (explode(' ', $signatures) as $signature) { // There are two while the secret is being changed.
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

function receive(): int
{
    $secret = (string) getenv('WEBHOOK_SECRET');
    $body = (string) file_get_contents('php://input', length: MAX_BODY_BYTES);
    $header = fn (string $name): string => $_SERVER["HTTP_WEBHOOK_$name"] ?? '';
    if (!is_signed(trim($secret), $body, $header('ID'), $header('TIMESTAMP'), $header('SIGNATURE'))) {
        return 400;
    }
    on_event(json_decode($body, true));
    return 204;
}

ini_set('display_errors', '0'); // Errors belong in the log. PHP then responds with 500.
http_response_code(receive());

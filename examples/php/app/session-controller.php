<?php

declare(strict_types=1);

/** A stand-in for your own sign-in, which checks a password or asks your identity provider. */
function sign_in(): void
{
    $userId = $_POST['user_id'] ?? null;
    if (!is_string($userId) || !isset(USERS[$userId])) {
        http_response_code(400);
        return;
    }
    session_regenerate_id(true);
    $_SESSION['user_id'] = $userId;
    header('Location: /', true, 303);
}

function sign_out(): void
{
    $user = current_user();
    $_SESSION = [];
    session_regenerate_id(true);
    session_write_close();
    // If the platform cannot be reached, the session ends all the same, and the tokens expire by themselves.
    if ($user !== null && !revoke_tokens($user['id'])) {
        error_log("The embed tokens of {$user['id']} were not revoked.");
    }
    header('Location: /', true, 303);
}

/** Ends the embed tokens of a user on all devices. A device whose session goes on gets a new one. Returns whether it succeeded. */
function revoke_tokens(string $visitorId): bool
{
    $curl = curl_init(rtrim(PlatformEmbed\setting('EMBED_API_BASE_URL'), '/') . '/api/embed/revoke');
    curl_setopt_array($curl, [
        CURLOPT_POSTFIELDS => json_encode(['visitor' => $visitorId], JSON_THROW_ON_ERROR),
        CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'X-Api-Key: ' . PlatformEmbed\setting('EMBED_API_KEY')],
        CURLOPT_TIMEOUT => PlatformEmbed\TIMEOUT_SECONDS,
        CURLOPT_RETURNTRANSFER => true,
    ]);
    curl_exec($curl);
    return curl_getinfo($curl, CURLINFO_RESPONSE_CODE) === 200;
}

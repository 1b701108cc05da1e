<?php

/**
 * The token endpoint of <platform-embed>, for PHP from 8.1 on with its curl extension. Put it where your site answers POST /embed-url.php, set
 * EMBED_API_BASE_URL and EMBED_API_KEY, and write scope_of_visitor() and visitor() for your own sessions.
 * EMBED_PAGE_ORIGINS has other origins of yours whose pages may call this endpoint, separated by spaces.
 *
 * In Symfony or Laravel, leave the last lines out, from ini_set() on, and respond with `new JsonResponse(...PlatformEmbed\answer())`.
 */

declare(strict_types=1);

namespace PlatformEmbed;

const TIMEOUT_SECONDS = 10;
const SERVICE = 'files';
/** For the console of the page's developer. The log says more. */
const REFUSALS = [
    'invalid_api_key' => 'The platform does not know EMBED_API_KEY: it is mistyped, cut off or revoked.',
    'scope_not_allowed' => "EMBED_API_KEY does not allow this scope; this server's log says which member.",
    'not_found' => "EMBED_API_BASE_URL is not the address of the platform's API.",
    'platform_invalid' => "EMBED_API_BASE_URL is not the address of the platform's API.",
];

/** What this visitor may see: from your session, never from the request. Null if nobody is signed in. */
function scope_of_visitor(): ?array
{
    $user = \current_user();
    return $user === null ? null : \scope_of($user);
}

/** Who this visitor is: your id, with which you can revoke their tokens, and a name if you like ('name'). Or null. */
function visitor(): ?array
{
    $user = \current_user();
    return ['id' => $user['id'], 'name' => $user['name']];
}

/** @return array{array, int, array<string, string>} body, status and headers, like each function here */
function answer(): array
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        return refusal(405, 'method_not_allowed', 'Use POST.', headers: ['Allow' => 'POST']);
    }
    if (!asked_by_own_page()) {
        return refusal(403, 'cross_site', 'This address serves its own pages only.');
    }
    if (!in_array(asked_service(), [null, SERVICE], true)) {
        return refusal(403, 'service_not_allowed', 'This address serves another service.');
    }
    $scope = scope_of_visitor();
    return $scope === null ? refusal(401, 'not_signed_in', 'Sign in first.') : issue($scope);
}

/** Browsers send Sec-Fetch-Site; older ones send only Origin. A request with neither does not come from a browser. */
function asked_by_own_page(): bool
{
    $origin = $_SERVER['HTTP_ORIGIN'] ?? null;
    if (in_array($origin, explode(' ', getenv('EMBED_PAGE_ORIGINS') ?: ''), true)) {
        return true;
    }
    if (isset($_SERVER['HTTP_SEC_FETCH_SITE'])) {
        return $_SERVER['HTTP_SEC_FETCH_SITE'] === 'same-origin';
    }
    // A proxy may have replaced the Host header. Another site's page cannot set this header.
    $host = trim(explode(',', $_SERVER['HTTP_X_FORWARDED_HOST'] ?? $_SERVER['HTTP_HOST'] ?? '')[0]);
    return in_array($origin, [null, "https://$host", "http://$host"], true);
}

/** The service that the page names, if any. */
function asked_service(): mixed
{
    $body = json_decode((string) file_get_contents('php://input', length: 65536), true);
    return is_array($body) ? $body['service'] ?? null : null;
}

/** Requests a URL from the platform. If the platform refuses this server, it is a 502, never a 401: a 401 asks the visitor to sign in. */
function issue(array $scope): array
{
    $asked = ['service' => SERVICE, 'scope' => $scope];
    $visitor = visitor();
    if ($visitor !== null) {
        $asked['visitor'] = $visitor;
    }
    try {
        [$body, $status, $headers] = ask_platform($asked);
    } catch (\RuntimeException $error) {
        log_failure(['code' => 'platform_unreachable', 'error' => $error->getMessage()]);
        return refusal(503, 'platform_unreachable', 'The platform cannot be reached just now.');
    }
    if ($status === 200 && isset($body['url'], $body['expiresAt'], $body['service'])) {
        return respond(200, ['url' => $body['url'], 'expiresAt' => $body['expiresAt'], 'service' => $body['service']]);
    }

    $requestId = $headers['x-request-id'] ?? null;
    ['error' => $error, 'code' => $code, 'issues' => $issues] = $body + ['error' => null, 'code' => null, 'issues' => null];
    $code = is_string($code) ? $code : 'platform_invalid';
    $busy = in_array($status, [408, 429], true) || $status >= 500;
    if ($busy) {
        $code = 'platform_unavailable';
    }
    log_failure(compact('status', 'code', 'requestId', 'error', 'issues'));
    if ($busy) {
        $again = isset($headers['retry-after']) ? ['Retry-After' => $headers['retry-after']] : [];
        return refusal(503, $code, 'The platform cannot be reached just now.', $requestId, $again);
    }
    return refusal(502, $code, REFUSALS[$code] ?? "The platform refused; this server's log says why.", $requestId);
}

/** curl follows no redirects by default, so the key goes only to the platform. */
function ask_platform(array $body): array
{
    $headers = [];
    $curl = curl_init(rtrim(setting('EMBED_API_BASE_URL'), '/') . '/api/embed/url');
    curl_setopt_array($curl, [
        CURLOPT_POSTFIELDS => json_encode($body, JSON_THROW_ON_ERROR),
        CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'X-Api-Key: ' . setting('EMBED_API_KEY')],
        CURLOPT_TIMEOUT => TIMEOUT_SECONDS,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$headers): int {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $headers[strtolower($name)] = trim($value);
            return strlen($line);
        },
    ]);
    $text = curl_exec($curl);
    if ($text === false) {
        throw new \RuntimeException(curl_error($curl));
    }
    $parsed = json_decode($text, true);
    return [is_array($parsed) ? $parsed : [], curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $headers];
}

function setting(string $name): string
{
    return trim(getenv($name) ?: throw new \LogicException("$name is not set."));
}

function refusal(int $status, string $code, string $error, ?string $requestId = null, array $headers = []): array
{
    return respond($status, array_filter(compact('error', 'code', 'requestId')), $headers);
}

function respond(int $status, array $body, array $headers = []): array
{
    return [$body, $status, ['Cache-Control' => 'no-store'] + $headers];
}

function log_failure(array $what): void
{
    error_log('platform-embed: ' . json_encode($what));
}

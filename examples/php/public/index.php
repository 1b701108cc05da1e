<?php

declare(strict_types=1);

// The built-in server asks for every address. Files of this folder it serves itself.
if (PHP_SAPI === 'cli-server' && is_file(__DIR__ . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH))) {
    return false;
}

require __DIR__ . '/../app/bootstrap.php';
require __DIR__ . '/../app/users.php';
require __DIR__ . '/../app/embed-url.php';
require __DIR__ . '/../app/session-controller.php';
require __DIR__ . '/../app/files-controller.php';

// Other sites' requests come without the cookie, but a response could replace it, and so sign the visitor in or out.
// The check comes first, because starting a session already sets a cookie.
if ($_SERVER['REQUEST_METHOD'] === 'POST' && !PlatformEmbed\asked_by_own_page()) {
    http_response_code(403);
    exit('This address serves its own pages only.');
}
session_start([
    'use_strict_mode' => true,
    'cookie_httponly' => true,
    'cookie_samesite' => 'Lax',
    'cookie_secure' => getenv('COOKIE_SECURE') !== 'false',
]);

$routes = require __DIR__ . '/../routes.php';
$route = $routes[$_SERVER['REQUEST_METHOD'] . ' ' . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)] ?? null;
if ($route === null) {
    http_response_code(404);
    exit('Not found');
}
$route();

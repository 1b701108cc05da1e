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

$routes = require __DIR__ . '/../routes.php';
$route = $routes[$_SERVER['REQUEST_METHOD'] . ' ' . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)] ?? null;
if ($route === null) {
    http_response_code(404);
    exit('Not found');
}
$route();

<?php

declare(strict_types=1);

// Errors belong in the log.
ini_set('display_errors', '0');

// The environment comes before `.env`. Laravel reads both itself.
$file = __DIR__ . '/../.env';
$lines = is_file($file) ? preg_grep('/^\w+=/', file($file, FILE_IGNORE_NEW_LINES)) : [];
foreach ($lines as $line) {
    if (getenv(strstr($line, '=', true)) === false) {
        putenv(rtrim($line));
    }
}

function view(string $name, array $data): void
{
    extract($data);
    require __DIR__ . "/../views/$name.php";
}

/** For texts and attributes of HTML, like Blade's `{{ }}`. */
function e(string $text): string
{
    return htmlspecialchars($text, ENT_QUOTES);
}

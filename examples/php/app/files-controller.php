<?php

declare(strict_types=1);

function show_files(): void
{
    header('Cache-Control: no-store');
    $user = current_user();
    if ($user === null) {
        view('sign-in', ['users' => USERS]);
        return;
    }
    view('files', ['user' => $user, 'platform' => PlatformEmbed\setting('EMBED_PLATFORM_BASE_URL')]);
}

/** The token endpoint: `<platform-embed>` calls it for its first token and for every renewal. */
function embed_url(): void
{
    session_write_close(); // otherwise the visitor's other requests wait for this one
    [$body, $status, $headers] = PlatformEmbed\answer();
    header('Content-Type: application/json', true, $status);
    foreach ($headers as $name => $value) {
        header("$name: $value");
    }
    echo json_encode($body);
}

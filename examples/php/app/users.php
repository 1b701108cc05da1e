<?php

declare(strict_types=1);

/** Stand-ins for the users of your database. */
const USERS = [
    'u-1' => ['id' => 'u-1', 'name' => 'Ada', 'isAdmin' => true, 'folder' => '/Contracts'],
    'u-2' => ['id' => 'u-2', 'name' => 'Ben', 'isAdmin' => false, 'folder' => '/Photos'],
];

/** Returns who is signed in, or null. */
function current_user(): ?array
{
    return USERS[$_SESSION['user_id'] ?? ''] ?? null;
}

/** What this user may see and do. A scope without `path` would be the whole bucket. */
function scope_of(array $user): array
{
    $actions = $user['isAdmin'] ? ['download', 'upload', 'organize', 'delete'] : ['download'];
    return ['bucket' => 'demo-files', 'path' => $user['folder'], 'actions' => $actions];
}

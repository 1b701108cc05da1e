<?php

/** Whether the check would accept the message with X-Secret at the time of X-Now. The example responds first; this response replaces its own. */
require 'webhooks.php';
http_response_code(200);
[$body, $now] = [file_get_contents('php://input'), (int) $_SERVER['HTTP_X_NOW']];
$headers = array_map(fn ($name) => $_SERVER["HTTP_WEBHOOK_$name"] ?? '', ['ID', 'TIMESTAMP', 'SIGNATURE']);
echo json_encode(PlatformEmbed\is_signed($_SERVER['HTTP_X_SECRET'], $body, ...$headers, now: $now));

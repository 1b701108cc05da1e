<?php

/** Runs before the page and stands for the portal's own sign-in: a header names the signed-in user. */
session_id(bin2hex(random_bytes(16)));
session_start();
$_SESSION['user_id'] = $_SERVER['HTTP_X_TEST_USER'] ?? null;
session_write_close();

<?php

/** Runs before the page, as a portal's own sign-in did some time ago: a header says who is signed in. */
session_id(bin2hex(random_bytes(16)));
session_start();
$_SESSION['user_id'] = $_SERVER['HTTP_X_TEST_USER'] ?? null;
session_write_close();

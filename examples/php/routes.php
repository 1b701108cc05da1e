<?php

/** What responds to each request. In Laravel this is `routes/web.php`. */
return [
    'GET /' => show_files(...),
    'POST /sign-in' => sign_in(...),
    'POST /sign-out' => sign_out(...),
    'POST /embed-url' => embed_url(...),
];

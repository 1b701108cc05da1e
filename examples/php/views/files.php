<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="data:," />
    <title>Your files</title>
    <link rel="stylesheet" href="/style.css" />
    <link rel="stylesheet" href="<?= e($platform) ?>/platform-embed.css" />
    <script src="<?= e($platform) ?>/platform-embed.js" async></script>
  </head>
  <body>
    <div class="portal">
      <header>
        <h1>Files</h1>
        <p><?= e($user['name']) ?></p>
        <form method="post" action="/sign-out"><button type="submit">Sign out</button></form>
      </header>
      <main>
        <platform-embed service="files" token-endpoint="/embed-url"></platform-embed>
      </main>
    </div>
    <script>
      const embed = document.querySelector("platform-embed");
      // Removes the frame with its token at once, and requests no other.
      document.querySelector("header form").addEventListener("submit", () => embed.end());
      // The session has ended on the server, for example in another tab. Then this page is the sign-in.
      embed.addEventListener("platform-embed-session-expired", () => location.reload());
    </script>
  </body>
</html>

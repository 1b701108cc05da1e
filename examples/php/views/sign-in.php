<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="data:," />
    <title>Sign in</title>
    <link rel="stylesheet" href="/style.css" />
  </head>
  <body>
    <main class="sign-in">
      <h1>Sign in</h1>
      <form method="post" action="/sign-in">
        <?php foreach ($users as $user): ?>
          <button type="submit" name="user_id" value="<?= e($user['id']) ?>">
            Sign in as <?= e($user['name']) ?><small><?= $user['isAdmin'] ? 'admin, may change files' : 'may only read' ?></small>
          </button>
        <?php endforeach ?>
      </form>
    </main>
  </body>
</html>

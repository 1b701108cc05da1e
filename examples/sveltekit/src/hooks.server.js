import { readSession } from "$lib/server/session";
import { users } from "$lib/server/users";

export async function handle({ event, resolve }) {
  const userId = await readSession(event.cookies);
  event.locals.user = users.find(({ id }) => id === userId);
  return resolve(event);
}

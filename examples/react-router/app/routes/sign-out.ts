import { redirect } from "react-router";
import { revokeTokens } from "../revoke-tokens.server";
import { currentUser, destroySession, getSession } from "../session.server";
import type { Route } from "./+types/sign-out";

export async function action({ request }: Route.ActionArgs) {
  const user = await currentUser(request);
  // The session ends even if the platform cannot be reached. Its tokens then expire by themselves.
  if (user) await revokeTokens(user.id).catch(console.error);
  return redirect("/sign-in", { headers: { "Set-Cookie": await destroySession(await getSession()) } });
}

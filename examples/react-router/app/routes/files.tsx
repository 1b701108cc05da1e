import { PlatformEmbed, type PlatformEmbedElement } from "platform-embed-element/react";
import { revokeEmbedTokens } from "platform-embed-element/server";
import { useRef } from "react";
import { Form, redirect, useRevalidator } from "react-router";
import { currentUser, destroySession, getSession } from "../session.server";
import type { Route } from "./+types/files";

export const headers = () => ({ "Cache-Control": "no-store" });

export async function loader({ request }: Route.LoaderArgs) {
  const user = await currentUser(request);
  if (!user) throw redirect("/sign-in");
  return { name: user.name };
}

/** Signs out. It is here because React Router refuses other sites' forms for routes with a page, but not for routes without. */
export async function action({ request }: Route.ActionArgs) {
  const user = await currentUser(request);
  const headers = { "Set-Cookie": await destroySession(await getSession()) };
  // Ends the user's embed tokens on all devices. A device whose session goes on gets a new one.
  // If the platform cannot be reached, the session ends all the same, and the tokens expire by themselves.
  if (user)
    await revokeEmbedTokens({
      apiBaseUrl: process.env.EMBED_API_BASE_URL,
      apiKey: process.env.EMBED_API_KEY,
      visitor: user.id,
    }).catch(console.error);
  return redirect("/sign-in", { headers });
}

export default function Files({ loaderData }: Route.ComponentProps) {
  const embed = useRef<PlatformEmbedElement>(null);
  const { revalidate } = useRevalidator();
  return (
    <div className="portal">
      <header>
        <h1>Files</h1>
        <p>{loaderData.name}</p>
        {/* `end()` removes the frame with its token at once, and requests no other. */}
        <Form method="post" onSubmit={() => embed.current?.end()}>
          <button type="submit">Sign out</button>
        </Form>
      </header>
      <main>
        <PlatformEmbed
          ref={embed}
          service="files"
          tokenEndpoint="/embed-url"
          // The session has ended on the server, for example in another tab. The loader then redirects to the sign-in.
          onSessionExpired={() => revalidate()}
        />
      </main>
    </div>
  );
}

import { PlatformEmbed, type PlatformEmbedElement } from "platform-embed-element/react";
import { useRef } from "react";
import { Form, redirect, useRevalidator } from "react-router";
import { currentUser } from "../session.server";
import type { Route } from "./+types/files";

export const headers = () => ({ "Cache-Control": "no-store" });

export async function loader({ request }: Route.LoaderArgs) {
  const user = await currentUser(request);
  if (!user) throw redirect("/sign-in");
  return { name: user.name };
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
        <Form method="post" action="/sign-out" onSubmit={() => embed.current?.end()}>
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

"use client";

import { useRouter } from "next/navigation";
import { PlatformEmbed, type PlatformEmbedElement } from "platform-embed-element/react";
import { useRef } from "react";
import { signOut } from "./actions";

export function Files({ name }: { name: string }) {
  const router = useRouter();
  const embed = useRef<PlatformEmbedElement>(null);
  const endAndSignOut = async () => {
    // Removes the frame with its token at once, and requests no other.
    embed.current?.end();
    await signOut();
  };
  return (
    <div className="portal">
      <header>
        <h1>Files</h1>
        <p>{name}</p>
        <form action={endAndSignOut}>
          <button type="submit">Sign out</button>
        </form>
      </header>
      <main>
        <PlatformEmbed
          ref={embed}
          service="files"
          tokenEndpoint="/embed-url"
          // The session has ended on the server, for example in another tab.
          onSessionExpired={() => router.refresh()}
        />
      </main>
    </div>
  );
}

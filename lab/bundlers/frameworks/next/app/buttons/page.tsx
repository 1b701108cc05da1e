"use client";

import { PlatformEmbed, type PlatformEmbedElement } from "platform-embed-element/react";
import { useRef, useState } from "react";

export default function Page() {
  const embed = useRef<PlatformEmbedElement>(null);
  const [problem, setProblem] = useState("");
  const openFolder = () => embed.current?.navigate("/Photos/2026").catch(() => {}); // onError is called, too
  const signOut = () => {
    embed.current?.end();
    // … and end the session on your server.
  };
  return (
    <>
      <button type="button" onClick={openFolder}>
        Photos of 2026
      </button>
      <button type="button" onClick={signOut}>
        Sign out
      </button>
      <p>{problem}</p>
      <PlatformEmbed
        ref={embed}
        service="files"
        tokenEndpoint="/embed-url"
        onReady={() => setProblem("")}
        onError={({ detail }) => setProblem(detail.message)}
        style={{ height: 600 }}
      />
    </>
  );
}

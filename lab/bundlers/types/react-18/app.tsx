import type { PlatformEmbedElement } from "platform-embed-element";
import type {} from "platform-embed-element/types/react";
import { useRef } from "react";

export function Files() {
  const embed = useRef<PlatformEmbedElement>(null);
  return (
    <div className="files" onClick={() => embed.current?.navigate("/invoices")}>
      <platform-embed
        ref={embed}
        key="files"
        class="files"
        id="files"
        style={{ height: 600 }}
        service="files"
        scope={JSON.stringify({ bucket: "acme" })}
        token-endpoint="/embed-url"
        theme="dark"
        height="600px"
        loading="lazy"
        aria-label="Files"
      >
        <p slot="loading">One moment…</p>
      </platform-embed>
      {/* @ts-expect-error: React 18 sets attributes, and this would become "[object Object]" */}
      <platform-embed scope={{ bucket: "acme" }} />
      {/* @ts-expect-error: there is no such theme */}
      <platform-embed theme="pink" />
      {/* @ts-expect-error: React 18 does not listen to it */}
      <platform-embed onplatform-embed-ready={() => {}} />
      {/* @ts-expect-error: no attribute */}
      <platform-embed tokenEndpoint="/embed-url" />
    </div>
  );
}

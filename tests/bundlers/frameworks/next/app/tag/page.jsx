"use client";

import "platform-embed-element";

export default function Page() {
  return (
    <platform-embed service="files" scope={JSON.stringify({ path: "/Photos" })} token-endpoint="/embed-url">
      <p slot="loading">One moment…</p>
    </platform-embed>
  );
}

"use client";

import "platform-embed-element";
import type {} from "platform-embed-element/types/react";

export default function Page() {
  return (
    <platform-embed service="files" scope={JSON.stringify({ path: "/Photos" })} token-endpoint="/embed-url">
      <p slot="loading">One moment…</p>
    </platform-embed>
  );
}

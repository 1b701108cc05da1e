"use client";

import { createComponent, type EventName } from "@lit/react";
import * as React from "react";
import type { PlatformEmbedEventMap } from "./events.js";
import { PlatformEmbed as elementClass } from "./index.js";

export type * from "./index.js";

type EmbedEvent<Type extends keyof PlatformEmbedEventMap> = EventName<PlatformEmbedEventMap[Type]>;

/**
 * `<platform-embed>` as a React component: objects and functions are set as properties, events are `on…` props. A new
 * `fetchToken`, or a new but equal `scope`, does not mount another frame.
 */
export const PlatformEmbed = createComponent({
  react: React,
  tagName: "platform-embed",
  elementClass,
  displayName: "PlatformEmbed",
  events: {
    onLoading: "platform-embed-loading" as EmbedEvent<"platform-embed-loading">,
    onReady: "platform-embed-ready" as EmbedEvent<"platform-embed-ready">,
    onError: "platform-embed-error" as EmbedEvent<"platform-embed-error">,
    onTokenRefreshed: "platform-embed-token-refreshed" as EmbedEvent<"platform-embed-token-refreshed">,
    onSessionExpired: "platform-embed-session-expired" as EmbedEvent<"platform-embed-session-expired">,
    onEnded: "platform-embed-ended" as EmbedEvent<"platform-embed-ended">,
    onNavigate: "platform-embed-navigate" as EmbedEvent<"platform-embed-navigate">,
    onBeforeUpload: "platform-embed-before-upload" as EmbedEvent<"platform-embed-before-upload">,
    onUploadProgress: "platform-embed-upload-progress" as EmbedEvent<"platform-embed-upload-progress">,
    onUploadComplete: "platform-embed-upload-complete" as EmbedEvent<"platform-embed-upload-complete">,
    onUploadFailed: "platform-embed-upload-failed" as EmbedEvent<"platform-embed-upload-failed">,
    onDownloadComplete: "platform-embed-download-complete" as EmbedEvent<"platform-embed-download-complete">,
    onChange: "platform-embed-change" as EmbedEvent<"platform-embed-change">,
    onDone: "platform-embed-done" as EmbedEvent<"platform-embed-done">,
    onSelection: "platform-embed-selection" as EmbedEvent<"platform-embed-selection">,
    onChoose: "platform-embed-choose" as EmbedEvent<"platform-embed-choose">,
    onChooseCancel: "platform-embed-choose-cancel" as EmbedEvent<"platform-embed-choose-cancel">,
    onFileAction: "platform-embed-file-action" as EmbedEvent<"platform-embed-file-action">,
  },
});

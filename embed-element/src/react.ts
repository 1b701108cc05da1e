"use client";

import { createComponent, type EventName } from "@lit/react";
import * as React from "react";
import type { PlatformEmbedEventMap } from "./events.js";
import { PlatformEmbed as elementClass } from "./index.js";

export type * from "./index.js";

/** The name of an event, with the type of the event for its listener. */
const event = <Type extends keyof PlatformEmbedEventMap>(type: Type) =>
  type as EventName<PlatformEmbedEventMap[Type]>;

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
    onLoading: event("platform-embed-loading"),
    onReady: event("platform-embed-ready"),
    onError: event("platform-embed-error"),
    onTokenRefreshed: event("platform-embed-token-refreshed"),
    onSessionExpired: event("platform-embed-session-expired"),
    onEnded: event("platform-embed-ended"),
    onNavigate: event("platform-embed-navigate"),
    onBeforeUpload: event("platform-embed-before-upload"),
    onUploadProgress: event("platform-embed-upload-progress"),
    onUploadComplete: event("platform-embed-upload-complete"),
    onUploadFailed: event("platform-embed-upload-failed"),
    onDownloadComplete: event("platform-embed-download-complete"),
    onChange: event("platform-embed-change"),
    onDone: event("platform-embed-done"),
    onSelection: event("platform-embed-selection"),
    onChoose: event("platform-embed-choose"),
    onChooseCancel: event("platform-embed-choose-cancel"),
    onFileAction: event("platform-embed-file-action"),
  },
});

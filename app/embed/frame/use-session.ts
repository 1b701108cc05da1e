import { useEffect, useState, useSyncExternalStore } from "react";
import { PROTOCOL_VERSION, type ReadyMessage } from "../../../embed-element/protocol";
import { EmbeddingPage } from "./embedding-page-messages";
import type { FrameProps } from "./frame-props";
import { type SessionState, TokenSession } from "./token-session";

export interface FrameSession {
  embeddingPage: EmbeddingPage;
  session: TokenSession;
  state: SessionState;
  /** true once React has hydrated the page and the embedding page has been told `ready` */
  isReady: boolean;
  /** false when the view must show nothing of what it has: the session has ended, or the page was left (`SessionState.wasLeft`) */
  isOpen: boolean;
}

/**
 * The embedding page and the token session, while the view of `service` is mounted.
 * @param options `opensFolders`: whether the service opens a folder when the embedding page asks for it
 */
export function useSession(
  service: string,
  props: FrameProps,
  { opensFolders }: Pick<ReadyMessage, "opensFolders">,
): FrameSession {
  const { expiresAt } = props;
  const [embeddingPage] = useState(() => new EmbeddingPage(props));
  const [session] = useState(() => new TokenSession(service, props, embeddingPage));
  const [isReady, setReady] = useState(false);
  const state = useSyncExternalStore(session.subscribe, session.getState, session.getState);

  useEffect(() => {
    hideToken();
    // The element mounts a frame again that asks for a token before it is ready.
    embeddingPage.post({
      type: "platform.embed.ready",
      version: PROTOCOL_VERSION,
      service,
      expiresAt,
      opensFolders,
    });
    const stop = session.start();
    setReady(true);
    return stop;
  }, [embeddingPage, session, service, expiresAt, opensFolders]);

  const ended = state.status === "ended";
  useEffect(() => {
    if (!ended) return;
    const code = "session_ended";
    embeddingPage.post({ type: "platform.embed.error", version: PROTOCOL_VERSION, service, code });
  }, [embeddingPage, service, ended]);

  return { embeddingPage, session, state, isReady, isOpen: !ended && !state.wasLeft };
}

/** Removes the token from the URL, where it could be copied or passed on by accident. */
function hideToken(): void {
  const url = new URL(window.location.href);
  if (!url.searchParams.has("t")) return;
  url.searchParams.delete("t");
  window.history.replaceState(window.history.state, "", url);
}

import { useEffect, useState, useSyncExternalStore } from "react";
import { PROTOCOL_VERSION, parseHostMessage } from "../../../embed-element/protocol";
import type { ExplorerProps } from "../../services/files/explorer/props";
import { type SessionState, TokenSession } from "./token-session";

export const SERVICE = "files";

/** The frame's token session for as long as the explorer is mounted. */
export function useSession(props: ExplorerProps): { session: TokenSession; state: SessionState } {
  const [session] = useState(() => new TokenSession({ ...props, service: SERVICE }));
  const state = useSyncExternalStore(session.subscribe, session.getState, session.getState);

  useEffect(() => {
    hideToken();
    const stop = session.start();
    session.post({
      type: "platform.embed.ready",
      version: PROTOCOL_VERSION,
      service: SERVICE,
      expiresAt: session.expiresAt,
    });
    return stop;
  }, [session]);

  const ended = state.status === "ended";
  useEffect(() => {
    if (!ended) return;
    session.post({
      type: "platform.embed.error",
      version: PROTOCOL_VERSION,
      service: SERVICE,
      code: "session_ended",
    });
  }, [session, ended]);

  return { session, state };
}

/** The token has been read: it need not stay where it can be copied or passed on by accident. */
function hideToken(): void {
  const url = new URL(window.location.href);
  if (!url.searchParams.has("t")) return;
  url.searchParams.delete("t");
  window.history.replaceState(window.history.state, "", url);
}

/**
 * Theme and language as the page rendered them, or as the page around the frame has set them since. The theme becomes an
 * attribute of the document; the answer is the language, a BCP 47 tag.
 */
export function useAppearance(session: TokenSession, props: ExplorerProps): string {
  const [appearance, setAppearance] = useState({ theme: props.theme, locale: props.locale });

  useEffect(() => {
    const onMessage = (event: MessageEvent) => {
      const message = session.isFromHost(event) ? parseHostMessage(event.data) : null;
      if (message?.type !== "platform.embed.configure") return;
      const { theme, locale } = message;
      setAppearance((before) => ({ theme: theme ?? before.theme, locale: locale ?? before.locale }));
    };
    window.addEventListener("message", onMessage);
    return () => window.removeEventListener("message", onMessage);
  }, [session]);

  useEffect(() => {
    document.documentElement.dataset.theme = appearance.theme;
    document.documentElement.lang = appearance.locale;
  }, [appearance]);

  return appearance.locale;
}

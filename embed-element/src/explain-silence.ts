import type { EmbedErrorCode } from "./embed-error";

/** Of the platform at `origin`, whose page has not said a word: why that may be. */
export async function explainSilence(origin: string, signal: AbortSignal): Promise<EmbedErrorCode> {
  const answers = (mode: RequestMode) =>
    fetch(`${origin}/healthz`, { mode, credentials: "omit", cache: "no-store", signal }).then(
      ({ ok, type }) => ok || type === "opaque",
      () => false,
    );
  // The platform lets every page read this. What only a request without reading reaches is something in front of it.
  if (await answers("cors")) return "frame_blocked";
  return (await answers("no-cors")) ? "frame_failed" : "frame_unreachable";
}

import type { FrameProps } from "../../embed/frame/frame-props";
import type { VisibleEvents } from "../../events/visible-events.server";

/** The service's key in the messages between the frame and its page. */
export const SERVICE = "activity";

/** The view's own props, from the server. */
export interface ActivityContent {
  /** null if the token names none */
  bucket: string | null;
  /** `/`, or the token's folder */
  rootPath: string;
  /** the newest events, or why they could not be read */
  first: { ok: true; page: VisibleEvents } | { ok: false; code: string; requestId: string };
}

export type ActivityProps = FrameProps & ActivityContent;

import type { ComponentType } from "react";
import type { FrameProps } from "./frame/frame-props";
import type { AnyPage, AnyService, ContentOf } from "./service";

/** The `handle` of a page: its view, which the server renders and the browser hydrates. */
export interface EmbedHandle<Service extends AnyService | AnyPage> {
  /** its props are `FrameProps` and what `load` returned */
  View: ComponentType<FrameProps & ContentOf<Service>>;
  /** URL of its style sheet */
  stylesheet: string;
}

/** What the browser needs to hydrate a view: the module of the service's page, and the view's props. */
export interface HydrationData {
  /** URL of the built `page.tsx`, whose `handle.View` is the view */
  module: string;
  props: object;
}

/** A frame that was refused because of its token, and that another token may open. */
export interface RefusedFrame {
  service: string;
  /** exact origin of the embedding page, as the server has seen it */
  embeddingOrigin: string;
  /** parameters that its next address needs beside the token */
  parameters: Record<string, string>;
  /** the server's clock when it rendered the page, unix seconds */
  serverNow: number;
}

/** The element that contains only the view. */
export const VIEW_ID = "embed-view";
/** The script element that contains a `HydrationData` as JSON. */
export const PROPS_ID = "embed-props";
/** The script element that contains a `RefusedFrame` as JSON. */
export const REFUSED_FRAME_ID = "embed-refused-frame";

/** JSON that can be written into a script element without ending it. */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value).replace(/</g, "\\u003c");
}

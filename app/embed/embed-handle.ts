import type { ComponentType } from "react";
import type { FrameProps } from "./frame/frame-props";
import type { AnyService, ContentOf } from "./service";

/** The `handle` of a service's page, which the server renders and the browser hydrates. */
export interface EmbedHandle<Service extends AnyService> {
  /** its props are `FrameProps` and what the service's `load` returned */
  View: ComponentType<FrameProps & ContentOf<Service>>;
  /** URL of its style sheet */
  stylesheet: string;
}

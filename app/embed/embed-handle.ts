import type { ComponentType } from "react";
import type { FrameProps } from "./frame/frame-props";
import type { AnyService, ContentOf } from "./service";

/** What a service's page hands over, as its route's `handle`, to what shows it on the server and makes it live in the browser. */
export interface EmbedHandle<Service extends AnyService> {
  /** gets what every frame gets and what the service's `load` returned */
  View: ComponentType<FrameProps & ContentOf<Service>>;
  /** address of its style sheet */
  stylesheet: string;
}

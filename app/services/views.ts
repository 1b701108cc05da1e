import type { ComponentType } from "react";
import type { FrameProps } from "../embed/frame/frame-props";
import { filesView } from "./files/view";
import type { Contents } from "./registry.server";

/** The browser's side of a service that can be embedded. */
export interface EmbedView<Content extends object> {
  /** of the document */
  title: string;
  /** address of the view's style sheet */
  styles: string;
  /** Gets what every frame gets, and what the service's `load` returned. */
  Component: ComponentType<FrameProps & Content>;
}

const views: { [Key in keyof Contents]: EmbedView<Contents[Key]> } = { files: filesView };

/** The view of an enabled service. */
export function viewOf(key: string): EmbedView<object> {
  return views[key as keyof typeof views] as EmbedView<object>;
}

/** What the server leaves in a page for the script that makes it live: the module of the service's page, and the props of its view. */
export interface LivePage {
  /** address of the built `page.tsx`, whose `handle.View` is the view */
  module: string;
  props: object;
}

/** The element that holds the view, and nothing else. */
export const VIEW_ID = "embed-view";
/** The script element that holds a `LivePage` as JSON. */
export const PROPS_ID = "embed-props";

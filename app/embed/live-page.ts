/** What the browser needs to hydrate a page: the module of the service's page, and the props of its view. */
export interface LivePage {
  /** URL of the built `page.tsx`, whose `handle.View` is the view */
  module: string;
  props: object;
}

/** The element that contains only the view. */
export const VIEW_ID = "embed-view";
/** The script element that contains a `LivePage` as JSON. */
export const PROPS_ID = "embed-props";

import { type ComponentType, StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { type HydrationData, PROPS_ID, VIEW_ID } from "./embed/hydration";

// A frame is one page that never navigates, so no router is loaded: the server-rendered view is hydrated in place.
const view = document.getElementById(VIEW_ID);
const data = document.getElementById(PROPS_ID);
const text = data?.textContent;
// It contains the token and the first folder. The view removes what it shows when its session ends, and this must not stay.
data?.remove();
if (view && text) {
  const { module, props } = JSON.parse(text) as HydrationData;
  const { handle } = (await import(module)) as { handle: { View: ComponentType<object> } };
  startTransition(() => {
    hydrateRoot(
      view,
      <StrictMode>
        <handle.View {...props} />
      </StrictMode>,
    );
  });
}

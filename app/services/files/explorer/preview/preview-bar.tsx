import type { ReactNode } from "react";

/** What can be done with the kind of file that is shown, above it. */
export function PreviewBar({ children }: { children: ReactNode }) {
  return <div className="preview__bar">{children}</div>;
}

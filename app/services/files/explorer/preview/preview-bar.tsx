import type { ReactNode } from "react";

interface PreviewBarProps {
  /** the bar has its room already, and nothing in it: what is below must not change its size when the file is there */
  waiting?: boolean;
  children: ReactNode;
}

/** What can be done with the kind of file that is shown, above it. */
export function PreviewBar({ waiting = false, children }: PreviewBarProps) {
  return <div className={`preview__bar${waiting ? " preview__bar--waiting" : ""}`}>{children}</div>;
}

import type { ReactNode } from "react";
import { Icon, type IconName } from "./icons";

export type StateTone = "accent" | "warning" | "danger";

interface StateProps {
  icon: IconName;
  tone?: StateTone;
  title: string;
  text: string;
  /** a code of what is wrong: the doctor of the npm package reads it in the server's page */
  problem?: string;
  /** request id and advice */
  details?: ReactNode;
  /** `h1` where it is all that the page shows */
  heading?: "h1" | "h2";
  /** screen readers announce it at once */
  alert?: boolean;
  children?: ReactNode;
}

/** Fills the page or a part of it: what is wrong or missing, and what the person can do. `embed.css` has its style. */
export function State(props: StateProps) {
  const { icon, tone, title, text, problem, details, heading: Heading = "h2", alert, children } = props;
  return (
    <section className="embed-state" data-tone={tone} data-problem={problem}>
      <span className="embed-state__icon">
        <Icon name={icon} />
      </span>
      <div className="embed-state__words" role={alert ? "alert" : undefined}>
        <Heading className="embed-state__title">{title}</Heading>
        <p className="embed-state__text">{text}</p>
      </div>
      {children && <div className="embed-state__actions">{children}</div>}
      {details && <p className="embed-state__code">{details}</p>}
    </section>
  );
}

import type { ButtonHTMLAttributes } from "react";
import { Icon, type IconName } from "./icons";

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: IconName;
  /** what it does: its accessible name, and its tooltip unless there is a `title` */
  label: string;
}

export function IconButton({ icon, label, className = "", ...attributes }: IconButtonProps) {
  return (
    <button
      type="button"
      className={`icon-button ${className}`}
      aria-label={label}
      title={label}
      {...attributes}
    >
      <Icon name={icon} />
    </button>
  );
}

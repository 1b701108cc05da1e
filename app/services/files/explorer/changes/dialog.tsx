import { type ReactNode, useId } from "react";
import { useModal } from "../use-modal";

interface DialogProps {
  title: string;
  /** it came unasked, or asks before something is lost */
  alert?: boolean;
  className?: string;
  /** by Escape or a click beside it */
  onClose(): void;
  children: ReactNode;
}

/** A modal dialog with a title. The focus goes back to where it was when it closes. */
export function Dialog({ title, alert, className = "", onClose, children }: DialogProps) {
  const { modal } = useModal(onClose);
  const id = useId();
  return (
    <dialog
      {...modal}
      className={`modal dialog ${className}`}
      role={alert ? "alertdialog" : undefined}
      aria-labelledby={id}
    >
      <div className="dialog__body">
        <h2 id={id} className="dialog__title">
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}

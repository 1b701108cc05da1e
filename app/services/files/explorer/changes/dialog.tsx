import { type ReactNode, useId, useLayoutEffect, useRef } from "react";

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
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Closing, rather than only vanishing, gives the focus back.
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      role={alert ? "alertdialog" : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => event.target === dialog.current && onClose()}
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

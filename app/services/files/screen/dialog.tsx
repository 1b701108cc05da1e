import { type MouseEvent, type ReactNode, type SyntheticEvent, useId, useLayoutEffect, useRef } from "react";

interface DialogProps {
  title: string;
  /** an `alertdialog`: it opened by itself, or asks before something is lost */
  alert?: boolean;
  className?: string;
  /** by Escape or a click beside it */
  onClose(): void;
  children: ReactNode;
}

/** A modal dialog with a title. Closing it returns the focus. */
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

export const topDialog = () => [...document.querySelectorAll("dialog:modal")].at(-1);

/**
 * A `<dialog>` that is modal while it is mounted. Escape and a click on the backdrop call `onClose`; unmounting returns the focus.
 * @returns `dialog`, and `modal` with the attributes for its element
 */
export function useModal(onClose: () => void) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isPressedBeside = useRef(false);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Closing returns the focus; removing the element would not.
    return () => element?.close();
  }, []);
  // The dialog has no padding: a click on the element itself is a click on the backdrop.
  const isBeside = (event: MouseEvent) => event.target === dialog.current;
  const modal = {
    ref: dialog,
    onCancel(event: SyntheticEvent) {
      event.preventDefault();
      onClose();
    },
    // Chromium closes a dialog without `cancel` when Escape is pressed twice.
    onClose() {
      if (dialog.current?.open === false) onClose();
    },
    // Selecting text may end outside of the dialog.
    onMouseDown(event: MouseEvent) {
      isPressedBeside.current = isBeside(event);
    },
    onClick(event: MouseEvent) {
      if (isPressedBeside.current && isBeside(event)) onClose();
    },
  };
  return { dialog, modal };
}

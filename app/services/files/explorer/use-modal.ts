import { type MouseEvent, type SyntheticEvent, useLayoutEffect, useRef } from "react";

/**
 * A `<dialog>` that is modal from when it is drawn to when it is gone. Escape and a click beside it ask to close it; the focus goes back to
 * where it was.
 * @returns `dialog`, and what its element gets
 */
export function useModal(onClose: () => void) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isPressedBeside = useRef(false);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Closing, rather than only vanishing, gives the focus back.
    return () => element?.close();
  }, []);
  // Its own box is what is left of it beside its content: the backdrop.
  const isBeside = (event: MouseEvent) => event.target === dialog.current;
  const modal = {
    ref: dialog,
    onCancel(event: SyntheticEvent) {
      event.preventDefault();
      onClose();
    },
    // A browser that was asked twice closes it without asking.
    onClose() {
      if (dialog.current?.open === false) onClose();
    },
    // Whoever selects a text and lets go beside it has pressed inside.
    onMouseDown(event: MouseEvent) {
      isPressedBeside.current = isBeside(event);
    },
    onClick(event: MouseEvent) {
      if (isPressedBeside.current && isBeside(event)) onClose();
    },
  };
  return { dialog, modal };
}

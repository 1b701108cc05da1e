import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import type { Row } from "../folder/folder-state";
import { useLanguage } from "../language";
import { issueOfName } from "./name-issue";
import type { Typed } from "./use-early-keys";

interface RenameFieldProps {
  row: Row;
  /** where the row has its name; the field takes its place */
  place: HTMLElement;
  folderPath: string;
  others: readonly { name: string }[];
  /** before the field was there; it takes the place of what is selected there */
  typed?: Typed;
  /**
   * @param isByKey the focus belongs to the row again; otherwise it has gone elsewhere
   * @returns why it could not be done, for a person; null when it has been, and the field is closed
   */
  onRename(name: string, isByKey: boolean): Promise<string | null>;
  /** Nothing is to be renamed. */
  onClose(isByKey: boolean): void;
}

/** A name, written anew where it stands. */
export function RenameField({ row, place, folderPath, others, typed, onRename, onClose }: RenameFieldProps) {
  const { t } = useLanguage();
  const dot = row.type === "file" ? row.name.lastIndexOf(".") : -1;
  const stem = dot > 0 ? row.name.slice(0, dot) : row.name;
  const [name, setName] = useState(typed?.text ? typed.text + row.name.slice(stem.length) : row.name);
  const [problem, setProblem] = useState<string | null>(null);
  const isBusy = useRef(false);
  const input = useRef<HTMLInputElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is selected at the beginning is not selected again
  useLayoutEffect(() => {
    const length = typed?.text.length ?? 0;
    input.current?.focus();
    input.current?.setSelectionRange(length, length || stem.length);
    // In what can be dragged, no text can be selected with the mouse.
    const line = place.closest<HTMLElement>("[data-row]");
    if (line) line.draggable = false;
  }, [row, place]);

  const alert = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (problem !== null) alert.current?.scrollIntoView({ block: "nearest" });
  }, [problem]);

  const save = async (isByKey: boolean) => {
    if (isBusy.current) return;
    const wanted = name.trim();
    if (wanted === row.name) return onClose(isByKey);
    const issue = issueOfName(wanted, folderPath, others);
    if (issue !== null) return isByKey ? setProblem(t(`changes.${issue}`, { name: wanted })) : onClose(false);
    isBusy.current = true;
    const why = await onRename(wanted, isByKey);
    isBusy.current = false;
    if (why === null) return;
    setProblem(why);
    input.current?.focus();
  };
  const confirm = useRef(() => void save(true));
  useEffect(() => {
    if (typed?.isEntered) confirm.current();
  }, [typed]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") void save(true);
    else if (event.key === "Escape") onClose(true);
    else return;
    event.preventDefault();
  };
  return createPortal(
    <span className="rename">
      <input
        ref={input}
        type="text"
        className="field"
        dir="auto"
        aria-label={t("changes.renameOf", { name: row.name })}
        aria-invalid={problem !== null}
        aria-describedby="rename-problem"
        value={name}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => {
          setName(target.value);
          setProblem(null);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => void save(false)}
      />
      <span ref={alert} id="rename-problem" className="rename__problem" role="alert">
        {problem}
      </span>
    </span>,
    place,
  );
}

import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { useLanguage } from "../language";
import { issueOfName } from "./name-issue";

interface NameFormProps {
  label: string;
  /** where the name is to be */
  folderPath: string;
  /** what is there already, as far as it is known */
  others: readonly { name: string }[];
  /** @returns why it could not be done, for a person; null when it has been */
  onSubmit(name: string): Promise<string | null>;
  /** the buttons; the one that submits among them */
  children(isBusy: boolean, submit: () => void): ReactNode;
}

/** A field for the name of a new folder, which says what is wrong with it. No `form`: the frame's sandbox lets none be submitted. */
export function NameForm({ label, folderPath, others, onSubmit, children }: NameFormProps) {
  const { t } = useLanguage();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const submit = async () => {
    if (isBusy) return;
    const wanted = name.trim();
    const issue = issueOfName(wanted, folderPath, others);
    setBusy(issue === null);
    const why = issue === null ? await onSubmit(wanted) : t(`changes.${issue}`, { name: wanted });
    setBusy(false);
    setProblem(why);
    if (why !== null) input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  };
  return (
    <div className="name-form">
      <label htmlFor={id}>{label}</label>
      <input
        ref={input}
        id={id}
        type="text"
        className="field"
        // An empty field would begin at the left.
        dir={name === "" ? undefined : "auto"}
        value={name}
        // biome-ignore lint/a11y/noAutofocus: the person has asked for this field
        autoFocus
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="done"
        aria-invalid={problem !== null}
        aria-describedby={`${id}-problem`}
        onChange={({ target }) => {
          setName(target.value);
          setProblem(null);
        }}
        onKeyDown={onKeyDown}
      />
      <p id={`${id}-problem`} className="field-problem" role="alert">
        {problem}
      </p>
      {children(isBusy, () => void submit())}
    </div>
  );
}

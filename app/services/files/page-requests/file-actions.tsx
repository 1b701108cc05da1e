import type { Row } from "platform-embed-element/client";
import { useEffect, useRef, useState } from "react";
import type { FileAction, FileActionProgressMessage } from "../../../../embed-element/protocol";
import { IconButton } from "../../../embed/components/icons";
import type { EmbeddingPage } from "../../../embed/frame/embedding-page-messages";
import { SERVICE } from "../place/props";
import { focusList } from "../screen/focus-list";
import { useLanguage } from "../screen/language";
import { actionsFor, selectedItem } from "./selected-items";

/** How long the success of an action is shown. */
const DONE_SHOWN_MS = 8_000;
/** Longer texts of the page are cut. */
const MAX_TEXT_LENGTH = 200;

/** Path data of SVG, and nothing that could end the attribute. */
const PATH_DATA = /^[MmZzLlHhVvCcSsQqTtAa\d\s,.eE+-]+$/;

/** The icon that the page has drawn for its action; nothing if it is no path. */
export function ActionIcon({ path }: { path: string | undefined }) {
  if (path === undefined || !PATH_DATA.test(path)) return null;
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

interface FileActionBarProps {
  actions: readonly FileAction[];
  rows: readonly Row[];
  onRun(action: FileAction, rows: readonly Row[]): void;
}

/** The embedding page's actions for what is selected. */
export function FileActionBar({ actions, rows, onRun }: FileActionBarProps) {
  const { t } = useLanguage();
  const offered = actionsFor(actions, rows);
  if (offered.length === 0) return null;
  return (
    <section className="page-actions" aria-label={t("pageActions.region")}>
      {offered.map((action) => (
        <button key={action.id} type="button" className="button" onClick={() => onRun(action, rows)}>
          <ActionIcon path={action.icon} />
          <bdi>{action.label}</bdi>
        </button>
      ))}
    </section>
  );
}

/** An action of the page that it has reported on. */
interface RunningAction {
  id: number;
  label: string;
  state: FileActionProgressMessage["state"];
  /** 0 to 1; undefined: unknown */
  progress: number | undefined;
  /** the page's own words */
  text: string | undefined;
}

interface FileActionListProps {
  running: readonly RunningAction[];
  onDismiss(id: number): void;
}

/** The page's actions that run or have ended. */
export function FileActionList({ running, onDismiss }: FileActionListProps) {
  const { t } = useLanguage();
  if (running.length === 0) return null;
  return (
    <section className="change-list" aria-label={t("pageActions.progress")}>
      <ul>
        {running.map((action) => (
          <FileActionLine key={action.id} action={action} onDismiss={() => onDismiss(action.id)} />
        ))}
      </ul>
    </section>
  );
}

function FileActionLine({ action, onDismiss }: { action: RunningAction; onDismiss(): void }) {
  const { t } = useLanguage();
  const { label, state, progress, text } = action;
  const dismiss = useRef(onDismiss);
  dismiss.current = onDismiss;
  useEffect(() => {
    if (state !== "done") return;
    const timer = setTimeout(() => dismiss.current(), DONE_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const onClick = () => {
    onDismiss();
    // The button disappears: keep keyboard users in the page.
    focusList();
  };
  return (
    <li className={`download download--${state}`}>
      <div className="download__body">
        <p className="download__name">
          <bdi>{label}</bdi>
        </p>
        <p className="download__note" role={state === "failed" ? "alert" : undefined} dir="auto">
          {text || t(`pageActions.${state}`, { action: label })}
        </p>
        {state === "running" && (
          <progress className="download__progress" max={1} value={progress} aria-label={label} />
        )}
      </div>
      <IconButton icon="close" label={t("dismiss")} onClick={onClick} />
    </li>
  );
}

/** Runs the embedding page's actions: posts them to the page, and keeps what it says of them until the visitor dismisses it. */
export function useFileActions(
  embeddingPage: EmbeddingPage,
  bucket: string,
  announce: (sentence: string) => void,
) {
  const { t } = useLanguage();
  const [running, setRunning] = useState<readonly RunningAction[]>([]);
  const labels = useRef(new Map<number, string>());
  const nextId = useRef(1);
  const onProgress = ({ id, state, progress, text }: FileActionProgressMessage) => {
    const label = labels.current.get(id);
    if (label === undefined) return;
    if (state !== "running") {
      labels.current.delete(id);
      announce(t(`pageActions.${state}`, { action: label }));
    }
    const entry = {
      id,
      label,
      state,
      progress: progress === undefined ? undefined : Math.min(Math.max(progress, 0), 1),
      text: text?.slice(0, MAX_TEXT_LENGTH),
    };
    setRunning((all) =>
      all.some((one) => one.id === id) ? all.map((one) => (one.id === id ? entry : one)) : [...all, entry],
    );
  };
  const latest = useRef(onProgress);
  latest.current = onProgress;
  useEffect(
    () =>
      embeddingPage.listen((message) => {
        if (message.type === "platform.embed.file-action-progress") latest.current(message);
      }),
    [embeddingPage],
  );
  return {
    running,
    run(action: FileAction, rows: readonly Row[]) {
      const id = nextId.current++;
      labels.current.set(id, action.label);
      const items = rows.map((row) => selectedItem(bucket, row));
      embeddingPage.post({
        type: "platform.embed.file-action",
        service: SERVICE,
        id,
        action: action.id,
        items,
      });
    },
    /** The visitor needs to see no more of it. The page's work goes on. */
    dismiss(id: number) {
      labels.current.delete(id);
      setRunning((all) => all.filter((one) => one.id !== id));
    },
  };
}

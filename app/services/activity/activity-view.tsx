import { asFilesError, type FilesError, prefixOf } from "platform-embed-element/client";
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Icon, type IconName, IconSheet } from "../../embed/components/icons";
import { State, type StateTone } from "../../embed/components/state";
import { useServicePage } from "../../embed/frame/use-service-page";
import type { FrameSession } from "../../embed/frame/use-session";
import { ActivityList } from "../../events/activity/activity-list";
import { foldersOf } from "../../events/activity/group-events";
import { LanguageContext, useLanguage, useLanguageOf } from "../../events/activity/language";
import { type EventList, type LoadEvents, useEvents } from "../../events/activity/use-events";
import { problemCode } from "../files/screen/problem-code";
import { ActivityClient } from "./activity-client";
import { FilterBar } from "./filter-bar";
import { type Filters, isFiltered, noFilters, toRequest } from "./filters";
import { type ActivityProps, SERVICE } from "./props";

/** Who did what, inside the frame. */
export function ActivityView(props: ActivityProps) {
  const { root, frame, pageLanguage } = useServicePage(SERVICE, props, {
    opensFolders: false,
    contentHeight,
  });
  const language = useLanguageOf(pageLanguage);
  return (
    <LanguageContext.Provider value={language}>
      <div ref={root} className="service-page activity-page">
        <IconSheet />
        {frame.isOpen ? <Screen {...props} frame={frame} /> : <ClosedState {...frame} />}
      </div>
    </LanguageContext.Provider>
  );
}

type ScreenProps = ActivityProps & { frame: FrameSession };

function Screen({ frame, bucket, rootPath, first }: ScreenProps) {
  const { t } = useLanguage();
  const client = useMemo(() => new ActivityClient(frame.session), [frame.session]);
  const [filters, setFilters] = useState(noFilters);
  const load: LoadEvents = useCallback(
    (cursor, signal) => client.list({ ...toRequest(filters), ...(cursor && { cursor }) }, signal),
    [client, filters],
  );
  const events = useEvents(load, first.ok ? first.page : undefined);
  const rootPrefix = prefixOf(rootPath);
  const main = useRef<HTMLElement>(null);
  return (
    // Disables every button and field in it: they do nothing before the scripts have loaded.
    <fieldset role="presentation" className="service-page__controls" disabled={!frame.isReady}>
      <section className="activity-page__head" aria-label={t("root")}>
        <h1>{t("root")}</h1>
        <FilterBar
          client={client}
          filters={filters}
          setFilters={setFilters}
          isOnlyFiles={bucket !== null}
          nameFolder={(prefix) => foldersOf(prefix, rootPrefix) || t("topFolder")}
        />
        <ExportButton client={client} filters={filters} />
      </section>
      <noscript>
        <p className="activity-page__hint">{t("withoutScript")}</p>
      </noscript>
      <main
        ref={main}
        className="activity-page__main"
        aria-label={t("list")}
        aria-busy={events.phase === "loading"}
      >
        <NewerNotice count={events.newIds.size} list={main} />
        <Content
          events={events}
          session={frame}
          isFiltered={isFiltered(filters)}
          onClear={() => setFilters(noFilters)}
        >
          <ActivityList
            events={events.events}
            newIds={events.newIds}
            rootPrefix={rootPrefix}
            level={2}
            onPerson={(person) => setFilters({ ...filters, person })}
            onFolder={(folder) => setFilters({ ...filters, folder })}
          />
          <More events={events} />
        </Content>
      </main>
      {events.isStale && (
        <p className="activity-page__stale" role="status">
          {t("notUpToDate")}
        </p>
      )}
    </fieldset>
  );
}

interface ContentProps {
  events: EventList;
  session: FrameSession;
  isFiltered: boolean;
  onClear(): void;
  children: React.ReactNode;
}

/** The list, or why there is none. */
function Content({ events, session: { state, session }, isFiltered, onClear, children }: ContentProps) {
  const { t } = useLanguage();
  if (state.status === "not-renewed" && state.expired) return <PauseState state={state} session={session} />;
  if (events.phase === "loading") return <Loading />;
  if (events.phase === "failed")
    return <ProblemState problem={asFilesError(events.problem)} onRetry={events.reload} />;
  if (events.events.length > 0) return children;
  if (!isFiltered) return <State icon="clock" {...words(t, "empty")} />;
  return (
    <State icon="search" {...words(t, "noMatch")}>
      <button type="button" className="button" onClick={onClear}>
        {t("filters.clear")}
      </button>
    </State>
  );
}

type StateName = "empty" | "noMatch" | "notRenewed" | Problem;
type Problem = "session_ended" | "offline" | "unavailable" | "denied" | "failed";

const looks: Record<Problem, { icon: IconName; tone?: StateTone }> = {
  session_ended: { icon: "clock" },
  offline: { icon: "offline", tone: "warning" },
  unavailable: { icon: "cloud", tone: "warning" },
  denied: { icon: "lock" },
  failed: { icon: "warning", tone: "danger" },
};

const words = (t: ReturnType<typeof useLanguage>["t"], name: StateName) => ({
  title: t(`states.${name}.title`),
  text: t(`states.${name}.text`),
});

function problemName(problem: FilesError): Problem {
  const code = problemCode(problem);
  if (code === "unreachable") return "unavailable";
  return code in looks ? (code as Problem) : "failed";
}

function ProblemState({ problem, onRetry }: { problem: FilesError; onRetry(): void }) {
  const { t } = useLanguage();
  const name = problemName(problem);
  const { requestId } = problem;
  return (
    <State
      {...looks[name]}
      {...words(t, name)}
      alert
      details={requestId && t("requestId", { id: requestId })}
    >
      <button type="button" className="button" onClick={onRetry}>
        {t("retry")}
      </button>
    </State>
  );
}

/** The token has expired and was not renewed. */
function PauseState({ state, session }: Pick<FrameSession, "state" | "session">) {
  const { t } = useLanguage();
  const { title, text } = words(t, "notRenewed");
  // The page around the frame may never send another token: then only loading it again helps.
  const nextStep = state.wasLeft ? words(t, "session_ended").text : text;
  return (
    <State icon="clock" tone="accent" title={title} text={nextStep} alert>
      <button type="button" className="button button--primary" onClick={() => session.renew()}>
        {t("retry")}
      </button>
    </State>
  );
}

/** Replaces the whole screen when the frame is not open (`FrameSession.isOpen`). */
function ClosedState({ state, session }: Pick<FrameSession, "state" | "session">) {
  if (state.status === "ended") return <EndedState />;
  const hasFailed = state.status === "not-renewed";
  return (
    <main className="activity-page__main" aria-busy={!hasFailed}>
      {hasFailed && <PauseState state={state} session={session} />}
    </main>
  );
}

/** Without a session nothing works. */
function EndedState() {
  const { t } = useLanguage();
  return (
    <main className="activity-page__main">
      <State icon="clock" {...words(t, "session_ended")} heading="h1" alert>
        {/* `<platform-embed>` asks for a new token. */}
        <button type="button" className="button button--primary" onClick={() => window.location.reload()}>
          {t("reload")}
        </button>
      </State>
    </main>
  );
}

function Loading() {
  const { t } = useLanguage();
  return (
    <div className="activity-page__loading">
      <span className="visually-hidden">{t("loading")}</span>
      {[1, 2, 3, 4, 5].map((row) => (
        <div key={row} aria-hidden="true" />
      ))}
    </div>
  );
}

/** How far down one must be for what is new to be out of sight, CSS pixels. */
const OUT_OF_SIGHT_PX = 80;

/** Says how many new events are above the visible ones, and leads to them. */
function NewerNotice({ count, list }: { count: number; list: RefObject<HTMLElement> }) {
  const { t } = useLanguage();
  const [seen, setSeen] = useState(0);
  useEffect(() => {
    const element = list.current;
    const look = () => {
      if ((element?.scrollTop ?? 0) < OUT_OF_SIGHT_PX) setSeen(count);
    };
    look();
    element?.addEventListener("scroll", look, { passive: true });
    return () => element?.removeEventListener("scroll", look);
  }, [count, list]);
  const unseen = count - seen;
  return (
    <>
      <span className="visually-hidden" role="status">
        {count > 0 && t("newer", { count })}
      </span>
      {unseen > 0 && (
        <button
          type="button"
          className="activity-page__newer"
          onClick={() => list.current?.scrollTo({ top: 0, behavior: "smooth" })}
        >
          <Icon name="arrow" />
          {t("newer", { count: unseen })}
        </button>
      )}
    </>
  );
}

/** A button for the next page, which also loads when the button comes into view. */
function More({ events }: { events: EventList }) {
  const { t } = useLanguage();
  const button = useRef<HTMLButtonElement>(null);
  const latest = useRef(events);
  latest.current = events;
  const { cursor, isLoadingMore, problem } = events;
  const hasFailed = problem !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a button that stays in view has to be looked at again after each page
  useEffect(() => {
    if (!button.current || hasFailed) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) latest.current.loadMore();
    });
    observer.observe(button.current);
    return () => observer.disconnect();
  }, [cursor, hasFailed]);
  if (cursor === null) return null;
  return (
    <p className="activity-page__more">
      {hasFailed && <span role="alert">{t("states.failed.title")} </span>}
      <button
        ref={button}
        type="button"
        className="button"
        aria-disabled={isLoadingMore}
        onClick={events.loadMore}
      >
        {isLoadingMore ? t("loading") : t(hasFailed ? "retry" : "more")}
      </button>
    </p>
  );
}

function ExportButton({ client, filters }: { client: ActivityClient; filters: Filters }) {
  const { t } = useLanguage();
  const [state, setState] = useState<"idle" | "busy" | "failed">("idle");
  const stop = useRef(new AbortController());
  useEffect(() => {
    stop.current = new AbortController();
    return () => stop.current.abort();
  }, []);
  const download = async () => {
    if (state === "busy") return;
    setState("busy");
    try {
      const file = await client.export(toRequest(filters), stop.current.signal);
      save(file, `activity-${new Date().toISOString().slice(0, 10)}.csv`);
      setState("idle");
    } catch {
      if (!stop.current.signal.aborted) setState("failed");
    }
  };
  return (
    <>
      <button
        type="button"
        className="button activity-page__export"
        aria-disabled={state === "busy"}
        onClick={download}
      >
        <Icon name="download" />
        <span>{t(state === "busy" ? "exporting" : "export")}</span>
      </button>
      {state === "failed" && (
        <p className="activity-page__failure" role="alert">
          {t("exportFailed")}
        </p>
      )}
    </>
  );
}

/** How long the browser may take to begin reading the file. */
const REVOKE_AFTER_MS = 60_000;

function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_AFTER_MS);
}

/** The height at which everything that is loaded shows without scrolling, CSS pixels. */
function contentHeight(page: HTMLElement): number {
  const main = page.querySelector<HTMLElement>(".activity-page__main");
  return page.offsetHeight - (main?.offsetHeight ?? 0) + (main?.scrollHeight ?? 0);
}

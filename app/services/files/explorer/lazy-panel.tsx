import { moduleLoader, Store } from "platform-embed-element/client";
import { type ComponentType, useEffect, useState } from "react";
import { useLanguage } from "../screen/language";
import { useStore } from "../screen/use-store";

interface LazyPanelProps {
  /** The panel could not be loaded and the person dismissed it: forget what they asked for. */
  onGiveUp(): void;
}

type Panels = typeof import("./panels");

const loadModule = moduleLoader(() => import("./panels"));
/** null until they have loaded */
const panels = new Store<Panels | null>(null);

/**
 * Loads the code of all panels, again after a failure. One module for all: a bundler makes a file of its own of each set of modules that
 * the same imports reach, so every further `import()` would split the first screen's scripts into more files.
 */
export async function loadPanels(): Promise<Panels> {
  const loaded = await loadModule();
  panels.setState(loaded);
  return loaded;
}

/** Starts loading them ahead of time. It may be called often. */
export const preloadPanels = () => void loadPanels().catch(() => {});

/**
 * A panel whose code is loaded when one is first wanted, so that the first screen stays small. At the top of a file:
 *
 *     const LazyHelp = lazyPanel(({ Help }) => Help);
 *
 * and where it is shown: `{open && <LazyHelp onClose={close} onGiveUp={close} />}`.
 *
 * - Rendering it loads `panels.ts`. Once that is loaded, every panel renders at once.
 * - It mounts with the props of the moment when it has loaded. Keep what the person asks for meanwhile in the state of the component
 *   that renders it.
 * - After a second without the code, "Loading…" appears; when loading fails, a notice offers to retry or to dismiss, and to reload
 *   the frame once a retry has failed, too. It retries by itself when the browser is online again.
 *
 * Unlike `React.lazy`, which throws to an error boundary and never tries again.
 */
export function lazyPanel<Props extends object>(panelOf: (panels: Panels) => ComponentType<Props>) {
  return function LazyPanel(props: Props & LazyPanelProps) {
    const { t } = useLanguage();
    const loaded = useStore(panels);
    const [state, setState] = useState<"loading" | "failed">("loading");
    const [failures, setFailures] = useState(0);
    useEffect(() => {
      if (state !== "loading") return;
      let isMounted = true;
      loadPanels().catch(() => {
        if (!isMounted) return;
        setState("failed");
        setFailures((count) => count + 1);
      });
      return () => {
        isMounted = false;
      };
    }, [state]);
    useEffect(() => {
      if (state !== "failed") return;
      const loadAgain = () => setState("loading");
      window.addEventListener("online", loadAgain);
      return () => window.removeEventListener("online", loadAgain);
    }, [state]);
    if (loaded) {
      const Panel = panelOf(loaded);
      return <Panel {...props} />;
    }
    if (state !== "failed") return <p className="renewing">{t("loading")}</p>;
    return (
      <div className="notice" role="alert">
        <p>{t("partNotLoaded")}</p>
        <button type="button" className="link-button" onClick={() => setState("loading")}>
          {t("retry")}
        </button>
        {/* `<platform-embed>` gives the frame a new token, and the frame opens the same folder again. */}
        {failures > 1 && (
          <button type="button" className="link-button" onClick={() => window.location.reload()}>
            {t("reload")}
          </button>
        )}
        <button type="button" className="link-button" onClick={props.onGiveUp}>
          {t("dismiss")}
        </button>
      </div>
    );
  };
}

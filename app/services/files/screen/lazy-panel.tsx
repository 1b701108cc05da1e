import { moduleLoader } from "platform-embed-element/client";
import { type ComponentType, useEffect, useState } from "react";
import { useLanguage } from "./language";

interface LazyPanelProps {
  /** The panel could not be loaded and the person dismissed it: forget what they asked for. */
  onGiveUp(): void;
}

/**
 * A panel whose code is loaded when it is first wanted, so that the first screen stays small. At the top of a file:
 *
 *     const Help = lazyPanel(() => import("./help"));
 *
 * and where it is shown: `{open && <Help onClose={close} onGiveUp={close} />}`.
 *
 * - Rendering it loads the module, whose default export is the component. Once loaded, it renders at once everywhere.
 * - It mounts with the props of the moment when it has loaded. Keep what the person asks for meanwhile in the state of the component
 *   that renders it.
 * - After a second without the module, "Loading…" appears; when loading fails, a notice offers to retry or to dismiss, and to reload
 *   the frame once a retry has failed, too. It retries by itself when the browser is online again.
 * - `Help.preload()` starts loading ahead of time. It may be called often.
 *
 * Unlike `React.lazy`, which throws to an error boundary and never tries again.
 */
export function lazyPanel<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  let Loaded: ComponentType<Props> | undefined;
  const loadModule = moduleLoader(load);
  const loadOnce = async () => {
    Loaded = (await loadModule()).default;
  };

  function LazyPanel(props: Props & LazyPanelProps) {
    const { t } = useLanguage();
    const [state, setState] = useState<"loading" | "failed" | "loaded">("loading");
    const [failures, setFailures] = useState(0);
    useEffect(() => {
      if (state !== "loading") return;
      let isMounted = true;
      loadOnce().then(
        () => isMounted && setState("loaded"),
        () => {
          if (!isMounted) return;
          setState("failed");
          setFailures((count) => count + 1);
        },
      );
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
    if (Loaded) return <Loaded {...props} />;
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
  }

  return Object.assign(LazyPanel, { preload: () => void loadOnce().catch(() => {}) });
}

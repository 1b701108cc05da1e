import { type ComponentType, useEffect, useState } from "react";
import { useLanguage } from "./language";

interface PartProps {
  /** It could not be loaded, and is not wanted any more: forget what was asked of it. */
  onGiveUp(): void;
}

/**
 * A part of the screen whose code is loaded when it is first wanted, so that the first screen stays small. At the top of a file:
 *
 *     const ShortcutSheet = makePart(() => import("./shortcuts/shortcut-sheet"));
 *
 * and where it belongs: `{open && <ShortcutSheet onClose={close} onGiveUp={close} />}`.
 *
 * - Rendering it loads it. Once there it starts with the props of that moment: keep what is asked meanwhile, a typed word or a list of
 *   actions, in the state of the component that renders it, and nothing is lost.
 * - While it is on its way a word says so after a second; when it cannot be loaded, a notice offers to try again or to give up.
 * - `ShortcutSheet.prepare()` begins to load it ahead, at a first sign like hovering; it may be called often.
 *
 * The module's default export is the component. Once loaded it renders at once, also elsewhere.
 */
export function makePart<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  let Loaded: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  const prepare = () => {
    loading ??= load().then(
      (module) => {
        Loaded = module.default;
      },
      (error) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };

  function Part(props: Props & PartProps) {
    const { t } = useLanguage();
    const [state, setState] = useState<"loading" | "failed" | "loaded">("loading");
    useEffect(() => {
      if (state !== "loading") return;
      let here = true;
      prepare().then(
        () => here && setState("loaded"),
        () => here && setState("failed"),
      );
      return () => {
        here = false;
      };
    }, [state]);
    if (Loaded) return <Loaded {...props} />;
    if (state !== "failed") return <p className="renewing">{t("loading")}</p>;
    return (
      <div className="notice" role="alert">
        <p>{t("partNotLoaded")}</p>
        <button type="button" className="link-button" onClick={() => setState("loading")}>
          {t("retry")}
        </button>
        <button type="button" className="link-button" onClick={props.onGiveUp}>
          {t("dismiss")}
        </button>
      </div>
    );
  }

  return Object.assign(Part, { prepare: () => void prepare().catch(() => {}) });
}

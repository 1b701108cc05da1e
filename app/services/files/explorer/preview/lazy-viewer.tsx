import type { ComponentType } from "react";
import { moduleLoader } from "../../../../embed/frame/load-module";
import { PreviewProblem, PreviewWait } from "./preview-elements";
import { useLoaded } from "./use-loaded";

/** A viewer whose code is loaded with the first file that needs it. Retrying the preview loads it again. */
export function lazyViewer<Props extends { file: { name: string } }>(
  load: () => Promise<{ default: ComponentType<Props> }>,
) {
  const loadModule = moduleLoader(load);
  return function LazyViewer(props: Props) {
    const loaded = useLoaded(loadModule, []);
    if (loaded.state === "loading") return <PreviewWait />;
    if (loaded.state === "failed") return <PreviewProblem name={props.file.name} problem={loaded.problem} />;
    const Viewer = loaded.value.default;
    return <Viewer {...props} />;
  };
}

import { PreviewDialog, type PreviewDialogProps } from "../preview/preview-dialog";
import { DetailsList } from "./details-list";
import type { Details } from "./use-details";

interface PreviewWithDetailsProps extends Omit<PreviewDialogProps, "renderDetails"> {
  /** the highest folder that may be browsed */
  rootPath: string;
  sections: Pick<Details, "activity" | "versions">;
}

/** The preview of a file or a version, with the details of the file at its side. */
export function PreviewWithDetails({ rootPath, sections, ...preview }: PreviewWithDetailsProps) {
  return (
    <PreviewDialog
      {...preview}
      renderDetails={(file) => (
        <DetailsList row={{ type: "file", ...file }} rootPath={rootPath} sections={sections} />
      )}
    />
  );
}

import type { FrameProps } from "../../../embed/frame/frame-props";
import type { EmbedView } from "../../../embed/service";
import type { FilesScope } from "../scope.server";
import type { UploadLimits } from "../upload-limits";

/** The props of the hand-in page, from the server. */
export interface DropContent {
  bucket: string;
  /** where the files go */
  folderPath: string;
  limits: UploadLimits;
}

export type DropProps = FrameProps & DropContent;

/** The page for handing files in. It asks the store for nothing. */
export const dropView: EmbedView<FilesScope, DropContent> = {
  key: "drop",
  async load({ scope: { bucket, path = "/", uploadFolder = path, limits = {} } }) {
    return { bucket, folderPath: uploadFolder, limits };
  },
};

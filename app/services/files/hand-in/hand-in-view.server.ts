import type { FrameProps } from "../../../embed/frame/frame-props";
import type { EmbedView } from "../../../embed/service";
import type { FilesScope } from "../scope.server";
import type { UploadLimits } from "../upload-limits";

/** The props of the hand-in page, from the server. */
export interface HandInContent {
  bucket: string;
  /** where the files go */
  folderPath: string;
  limits: UploadLimits;
}

export type HandInProps = FrameProps & HandInContent;

/** The page for handing files in. It asks the store for nothing. */
export const handInView: EmbedView<FilesScope, HandInContent> = {
  key: "hand-in",
  async load({ scope: { bucket, path = "/", uploadFolder = path, limits = {} } }) {
    return { bucket, folderPath: uploadFolder, limits };
  },
};

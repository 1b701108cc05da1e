/** What is shown or done after the first screen: one module, which `lazy-panel.tsx` loads. */

export { Thumbnails } from "../browse/pictures/thumbnails";
export { DetailsDialog } from "../details/details-dialog";
export { DetailsPanel } from "../details/details-panel";
export { PreviewWithDetails } from "../details/preview-with-details";
export { ViewedVersionsDialog } from "../details/viewed-versions-dialog";
export { DownloadPanel } from "../downloads/download-panel";
export { ArchiveDownloads } from "../downloads/zip/archive-downloads";
export { MomentDialog } from "../history/moment-dialog";
export { PageRequestsPanel } from "../page-requests/page-requests-panel";
export { selectedItem } from "../page-requests/selected-items";
export { UploadPanel } from "../uploads/upload-panel";
export { ChangesWithMenus } from "./changes-with-menus";
export { Help } from "./help";

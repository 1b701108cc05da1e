/**
 * The messages between the embedded frame and the embedding page. They are in one file so that an integration can copy it.
 *
 * An integration without the element needs only the first two (docs/contract.md#rendering). A page may ignore the others;
 * the frame waits for no response to them. Both sides post to an exact origin, never `*`, and ignore messages of any other
 * shape.
 */

/** Increased when a message changes in a way that an older peer would misread. */
export const PROTOCOL_VERSION = 1;

/** Frame to page: the token has expired, or expires soon. */
export interface TokenExpiredMessage {
  type: "platform.embed.token-expired";
  service: string;
}

/** Page to frame: a freshly issued token. */
export interface TokenRefreshedMessage {
  type: "platform.embed.token-refreshed";
  token: string;
}

/** Page to frame: there is no new token; `retryable` says whether the frame may ask again later. */
export interface TokenUnavailableMessage {
  type: "platform.embed.token-unavailable";
  retryable: boolean;
}

/** Page to frame: theme, language and appearance of the frame. Members that are absent stay unchanged. */
export interface ConfigureMessage {
  type: "platform.embed.configure";
  theme?: EmbedTheme;
  /** a BCP 47 language tag */
  locale?: string;
  /** replaces the previous appearance as a whole; `{}` restores the platform's own */
  appearance?: EmbedAppearance;
  /** replaces the previous texts as a whole; `{}` or null restores the platform's own */
  texts?: FrameTexts | null;
  /** whether the page responds to `platform.embed.before-upload`; unless it is true, the frame neither asks nor waits */
  answersBeforeUpload?: boolean;
  /** what the visitor chooses for the page; null: the visitor manages files */
  picker?: PickerSettings | null;
  /** entries of the page's own in the frame's menus; replaces the previous ones */
  fileActions?: FileAction[] | null;
}

/** `file`: one file; `files`: one file or several; `folder`: one folder. */
export type PickerMode = "file" | "files" | "folder";

export interface PickerSettings {
  mode: PickerMode;
  /** the files that may be chosen, as in `<input accept>`: `image/*,.pdf`; absent or null: all */
  accept?: string | null;
}

/** An entry of the page's own in the menus of the files, and in the bar of what is selected. */
export interface FileAction {
  /** unique among the page's actions; comes back in the event */
  id: string;
  /** what the visitor reads, in their language */
  label: string;
  /** the data of an SVG path, drawn with lines in a square of 24 × 24: `M5 12h14` */
  icon?: string;
  /** `file`: for one file; `files`: for one file or several; `folder`: for one folder */
  for: "file" | "files" | "folder";
  /** the files that it is offered for, as in `<input accept>`; absent: all */
  accept?: string;
}

/** The page's decision about a file that is about to be uploaded. */
export interface UploadDecision {
  /** the index of the file in `BeforeUploadMessage.files` */
  index: number;
  /** `waiting`: the page has not decided yet, and another decision follows */
  outcome: "accepted" | "refused" | "waiting";
  /** a new name for an accepted file */
  name?: string;
  /** why the file was refused: plain text for the visitor; the frame shows the first 200 characters */
  reason?: string;
}

/** Page to frame: decisions about the files of a `BeforeUploadMessage`, in one or several messages. */
export interface UploadDecisionsMessage {
  type: "platform.embed.upload-decisions";
  /** the `id` of the `BeforeUploadMessage` */
  id: number;
  decisions: UploadDecision[];
}

/**
 * Page to frame, if its `ReadyMessage` has `opensFolders`: open a folder. The frame responds with a `FolderOpenedMessage`. A later message
 * replaces an earlier one whose folder is still being listed.
 */
export interface OpenFolderMessage {
  type: "platform.embed.open-folder";
  /** unique in this page */
  id: number;
  /** a folder path; `/` is the root of the bucket */
  path: string;
}

/** Page to frame: what became of a `FileActionMessage`. The first `done` or `failed` ends it. */
export interface FileActionProgressMessage {
  type: "platform.embed.file-action-progress";
  /** the `id` of the `FileActionMessage` */
  id: number;
  state: "running" | "done" | "failed";
  /** 0 to 1, while it runs; absent: unknown */
  progress?: number;
  /** what the visitor reads: plain text; the frame shows the first 200 characters */
  text?: string;
}

/** Frame to page: the token is valid and the frame shows its content; its scripts may still be loading. */
export interface VisibleMessage {
  type: "platform.embed.visible";
  service: string;
}

/** Frame to page: every check has passed and the service can be used. */
export interface ReadyMessage {
  type: "platform.embed.ready";
  version: number;
  service: string;
  /** when the current token expires, unix seconds */
  expiresAt: number;
  /** whether the frame responds to `platform.embed.open-folder`; an older one does not */
  opensFolders?: boolean;
}

/**
 * Frame to page: the frame shows an error instead of the service (`origin_not_allowed`, `token_expired`, …), or instead of a folder
 * (`folder_not_found`; for the first folder also `scope_not_allowed` and `path_invalid`).
 */
export interface ErrorMessage {
  type: "platform.embed.error";
  version: number;
  service: string;
  code: string;
  /** the folder that the code is about */
  path?: string;
}

/** Frame to page: the height of its content, CSS pixels. */
export interface ResizeMessage {
  type: "platform.embed.resize";
  height: number;
}

/**
 * Frame to page: another folder is open, or other filters are chosen in it. A folder that the page has asked for is not announced if it does
 * not exist.
 */
export interface NavigateMessage {
  type: "platform.embed.navigate";
  service: string;
  /** a folder path; `/` is the root of the bucket */
  path: string;
  /** the filters that are chosen, for the parameter `filter` of the frame's address; absent: none */
  filter?: string;
}

/** Frame to page: the folder of an `OpenFolderMessage` is shown, or could not be. */
export interface FolderOpenedMessage {
  type: "platform.embed.folder-opened";
  service: string;
  /** the `id` of the `OpenFolderMessage` */
  id: number;
  /**
   * Why the folder is not shown; absent if it is. `folder_not_found`; `scope_not_allowed`: it is outside of the token's scope;
   * `path_invalid`: it is not a folder path; `replaced`: another folder was opened meanwhile; or why it could not be listed:
   * `unavailable`, `unreachable`, `denied`, …
   */
  code?: string;
}

/** A file that is about to be uploaded. */
export interface FileToUpload {
  name: string;
  /** bytes */
  size: number;
  /** the media type to be stored with it */
  type: string;
  /** the folder that it is uploaded to; `/` is the root of the bucket */
  folderPath: string;
}

/**
 * Frame to page, if `answersBeforeUpload` is true: at most 500 files that are about to be uploaded. A file without a decision
 * after 5 seconds is uploaded unchanged. A file with the outcome `waiting` fails after 30 seconds.
 */
export interface BeforeUploadMessage {
  type: "platform.embed.before-upload";
  service: string;
  /** unique in this frame */
  id: number;
  files: FileToUpload[];
}

/** Frame to page: a file has been uploaded. */
export interface UploadCompleteMessage {
  type: "platform.embed.upload-complete";
  service: string;
  bucket: string;
  key: string;
  /** bytes */
  size: number;
  /** base64, of the whole file, as verified by the store; absent if the store verifies none */
  checksum?: string;
  /** `CRC32`, `CRC64NVME` */
  checksumAlgorithm?: string;
}

/** Frame to page, at most twice a second: the progress of all uploads together. */
export interface UploadProgressMessage {
  type: "platform.embed.upload-progress";
  service: string;
  files: number;
  filesDone: number;
  /** bytes of all files */
  size: number;
  /** bytes that have been sent */
  sent: number;
}

/** Frame to page: a file could not be uploaded; `code` is the state that the visitor sees. */
export interface UploadFailedMessage {
  type: "platform.embed.upload-failed";
  service: string;
  /** the file's name */
  name: string;
  code: string;
}

/**
 * Frame to page: files have been handed to the browser. For an archive this means its last byte. For single files it means
 * that the browser has been sent to their addresses; browsers do not tell a page what becomes of them.
 */
export interface DownloadCompleteMessage {
  type: "platform.embed.download-complete";
  service: string;
  bucket: string;
  /** number of files */
  files: number;
  /** bytes of all files */
  size: number;
}

export type ChangeAction = "create-folder" | "rename" | "move" | "copy" | "delete" | "restore" | "purge";

/** A file by its key, or a folder and everything in it by its path. */
export type ChangedItem = { key: string } | { folderPath: string };

/** Frame to page: a change by the visitor has finished. */
export interface ChangeMessage {
  type: "platform.embed.change";
  service: string;
  bucket: string;
  /** `restore` brings deleted files back, or makes older versions current; `purge` deletes what was deleted permanently */
  action: ChangeAction;
  /** the items that the visitor chose, under their old names: files by key, folders by path */
  items: ChangedItem[];
  /** the folder that they were moved or copied to, or in which they were renamed */
  to?: string;
  /** the new name of a renamed item, or of one that is moved back under its old name */
  name?: string;
  /** number of changed objects; a folder counts as all objects in it */
  done: number;
  /** objects that could not be changed, and why */
  failed: { key: string; code: string }[];
}

/** Frame to page: the visitor has finished handing files in, and has been thanked. They may send more, and finish again. */
export interface DoneMessage {
  type: "platform.embed.done";
  service: string;
  /** what has been handed in since the page was opened, without what was taken back */
  files: HandedInFile[];
}

/** A file that was handed in. */
export interface HandedInFile {
  bucket: string;
  /** under which it is stored: its name has a mark in it */
  key: string;
  /** as the visitor knows it */
  name: string;
  /** bytes */
  size: number;
}

/** The page's own words in the frame: plain text, in the visitor's language. */
export interface FrameTexts {
  /** the title of a hand-in page; the first 120 characters are shown */
  handInTitle?: string;
  /** what to hand in, and why; the first 600 characters are shown, with their line breaks */
  handInText?: string;
}

/** A file that the visitor has selected. */
export interface SelectedFile {
  bucket: string;
  key: string;
  name: string;
  /** bytes */
  size: number;
  /** a media type, by the name's extension */
  contentType: string;
}

/** A folder that the visitor has selected. */
export interface SelectedFolder {
  bucket: string;
  folderPath: string;
  name: string;
}

export type SelectedItem = SelectedFile | SelectedFolder;

/** A file that the visitor has chosen for the page. */
export interface ChosenFile extends SelectedFile {
  /** serves the file for five minutes; absent if the token does not allow downloads */
  url?: string;
}

export type ChosenItem = ChosenFile | SelectedFolder;

/** Frame to page: the visitor has selected other files and folders. */
export interface SelectionMessage {
  type: "platform.embed.selection";
  service: string;
  /** the first 1,000 */
  items: SelectedItem[];
  /** number of selected files and folders */
  count: number;
}

/** Frame to page, if it has a `picker`: the visitor has chosen these. */
export interface ChooseMessage {
  type: "platform.embed.choose";
  service: string;
  items: ChosenItem[];
}

/** Frame to page, if it has a `picker`: the visitor has chosen to choose nothing. */
export interface ChooseCancelMessage {
  type: "platform.embed.choose-cancel";
  service: string;
}

/** Frame to page: the visitor has chosen one of the page's `fileActions`. */
export interface FileActionMessage {
  type: "platform.embed.file-action";
  service: string;
  /** unique in this frame */
  id: number;
  /** the `id` of the `FileAction` */
  action: string;
  /** what it is for: at most 1,000 files, or one folder */
  items: SelectedItem[];
}

export type EmbedTheme = "light" | "dark" | "auto";

/**
 * A page's own look for the frame. Colours are opaque and written as `#0f766e`, `rgb()`, `hsl()`, `oklch()`, `oklab()`, `lch()`, `lab()` or
 * `color()` of `srgb` or `display-p3`. The frame derives readable shades from them where contrast is needed. For a member that is absent or
 * invalid the frame uses its own value.
 */
export interface EmbedAppearance {
  /** colour of buttons, links, focus and selection */
  accent?: string;
  /**
   * used by the theme that it suits: a dark colour by the dark theme, any other by the light one. If the theme is
   * `auto`, it chooses the theme
   */
  background?: string;
  /** a light colour is used by the dark theme, any other by the light one */
  text?: string;
  /** corner radius, CSS pixels, 0 to 24 */
  radius?: number;
  /** font families, separated by commas; the frame loads none, so they must be on the visitor's machine */
  font?: string;
  density?: "comfortable" | "compact";
}

export type FrameMessage =
  | TokenExpiredMessage
  | VisibleMessage
  | ReadyMessage
  | ErrorMessage
  | ResizeMessage
  | NavigateMessage
  | FolderOpenedMessage
  | BeforeUploadMessage
  | UploadProgressMessage
  | UploadCompleteMessage
  | UploadFailedMessage
  | DownloadCompleteMessage
  | ChangeMessage
  | DoneMessage
  | SelectionMessage
  | ChooseMessage
  | ChooseCancelMessage
  | FileActionMessage;

/** A message from the embedding page to the frame. */
export type HostMessage =
  | TokenRefreshedMessage
  | TokenUnavailableMessage
  | ConfigureMessage
  | UploadDecisionsMessage
  | OpenFolderMessage
  | FileActionProgressMessage;

type Check = (value: unknown) => boolean;
/** The `typeof` of each member, or a check of its value. */
type Shape = Record<string, "string" | "number" | "boolean" | Check>;

// The annotations let bundlers drop the shapes of the messages that an app does not parse.
/* @__NO_SIDE_EFFECTS__ */
const optional =
  (type: string): Check =>
  (value) =>
    value === undefined || typeof value === type;
/* @__NO_SIDE_EFFECTS__ */
const orNull =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null || check(value);
/* @__NO_SIDE_EFFECTS__ */
const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);
/* @__NO_SIDE_EFFECTS__ */
const listOf =
  (shape: Shape): Check =>
  (value) =>
    Array.isArray(value) && value.every((item) => hasShape(item, shape));

const fileShape: Shape = { name: "string", size: "number", type: "string", folderPath: "string" };

const frameShapes: Record<FrameMessage["type"], Shape> = {
  "platform.embed.token-expired": { service: "string" },
  "platform.embed.visible": { service: "string" },
  "platform.embed.ready": {
    version: "number",
    service: "string",
    expiresAt: "number",
    opensFolders: optional("boolean"),
  },
  "platform.embed.error": { version: "number", service: "string", code: "string", path: optional("string") },
  "platform.embed.resize": { height: "number" },
  "platform.embed.navigate": { service: "string", path: "string", filter: optional("string") },
  "platform.embed.folder-opened": { service: "string", id: "number", code: optional("string") },
  "platform.embed.before-upload": { service: "string", id: "number", files: listOf(fileShape) },
  "platform.embed.upload-progress": {
    service: "string",
    files: "number",
    filesDone: "number",
    size: "number",
    sent: "number",
  },
  "platform.embed.upload-complete": {
    service: "string",
    bucket: "string",
    key: "string",
    size: "number",
    checksum: optional("string"),
    checksumAlgorithm: optional("string"),
  },
  "platform.embed.upload-failed": { service: "string", name: "string", code: "string" },
  "platform.embed.download-complete": {
    service: "string",
    bucket: "string",
    files: "number",
    size: "number",
  },
  "platform.embed.change": {
    service: "string",
    action: "string",
    items: listOf({}),
    done: "number",
    failed: listOf({}),
  },
  "platform.embed.done": {
    service: "string",
    files: listOf({}),
  },
  "platform.embed.selection": { service: "string", items: listOf({}), count: "number" },
  "platform.embed.choose": { service: "string", items: listOf({}) },
  "platform.embed.choose-cancel": { service: "string" },
  "platform.embed.file-action": { service: "string", items: listOf({}), id: "number", action: "string" },
};

const fileActionShape: Shape = {
  id: "string",
  label: "string",
  icon: optional("string"),
  for: oneOf("file", "files", "folder"),
  accept: optional("string"),
};

const pickerShape: Shape = {
  mode: oneOf("file", "files", "folder"),
  accept: orNull((value) => typeof value === "string"),
};

const decisionShape: Shape = {
  index: "number",
  outcome: oneOf("accepted", "refused", "waiting"),
  name: optional("string"),
  reason: optional("string"),
};

const hostShapes: Record<HostMessage["type"], Shape> = {
  "platform.embed.token-refreshed": { token: "string" },
  "platform.embed.token-unavailable": { retryable: "boolean" },
  "platform.embed.configure": {
    theme: oneOf(undefined, "light", "dark", "auto"),
    locale: optional("string"),
    appearance: optional("object"),
    texts: orNull((value) =>
      hasShape(value, { handInTitle: optional("string"), handInText: optional("string") }),
    ),
    answersBeforeUpload: optional("boolean"),
    picker: orNull((value) => hasShape(value, pickerShape)),
    fileActions: orNull(listOf(fileActionShape)),
  },
  "platform.embed.upload-decisions": { id: "number", decisions: listOf(decisionShape) },
  "platform.embed.open-folder": { id: "number", path: "string" },
  "platform.embed.file-action-progress": {
    id: "number",
    state: oneOf("running", "done", "failed"),
    progress: optional("number"),
    text: optional("string"),
  },
};

function hasShape(data: unknown, shape: Shape): boolean {
  if (typeof data !== "object" || data === null) return false;
  return Object.entries(shape).every(([member, type]) => {
    const value = (data as Record<string, unknown>)[member];
    return typeof type === "function" ? type(value) : typeof value === type;
  });
}

function hasShapeOfType(data: unknown, shapes: Record<string, Shape>): boolean {
  const { type }: { type?: unknown } = Object(data);
  return typeof type === "string" && Object.hasOwn(shapes, type) && hasShape(data, shapes[type] ?? {});
}

/** Parses the `data` of a `MessageEvent` as a message of the frame. Returns null for anything else. */
export function parseFrameMessage(data: unknown): FrameMessage | null {
  return hasShapeOfType(data, frameShapes) ? (data as FrameMessage) : null;
}

/** Parses the `data` of a `MessageEvent` as a message of the page. Returns null for anything else. */
export function parseHostMessage(data: unknown): HostMessage | null {
  return hasShapeOfType(data, hostShapes) ? (data as HostMessage) : null;
}

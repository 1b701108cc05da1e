/**
 * The messages between the embedded frame and the page that hosts it, in one file, because an integration takes it as it is.
 *
 * A hand-written integration needs the first two and nothing else (docs/contract.md#embed-tokens). A page may ignore the
 * others, and the frame works without a response to any of them.
 * Both sides post to an exact origin, never `*`, and drop what fits none of the shapes below.
 */

/** Raised when a message changes in a way that an older peer would misread. */
export const PROTOCOL_VERSION = 1;

/** Frame to page: the token has expired, or is about to. */
export interface TokenExpiredMessage {
  type: "platform.embed.token-expired";
  service: string;
}

/** Page to frame: a freshly issued token. */
export interface TokenRefreshedMessage {
  type: "platform.embed.token-refreshed";
  token: string;
}

/** Page to frame: no new token will come; `retryable` says whether asking again later makes sense. */
export interface TokenUnavailableMessage {
  type: "platform.embed.token-unavailable";
  retryable: boolean;
}

/** Page to frame: how the frame should look and speak. Members left out stay as they are. */
export interface ConfigureMessage {
  type: "platform.embed.configure";
  theme?: EmbedTheme;
  /** a BCP 47 language tag */
  locale?: string;
  /** takes the place of the one before, as a whole; `{}` is the platform's own */
  appearance?: EmbedAppearance;
  /** the page responds to `platform.embed.before-upload`: unless it says so, it is never asked nor waited for */
  answersBeforeUpload?: boolean;
}

/** What may become of a file that is to be uploaded. */
export interface UploadDecision {
  /** which file of the question */
  index: number;
  /** `waiting`: the page is still finding out, and another decision follows */
  outcome: "accepted" | "refused" | "waiting";
  /** what an accepted file is to be called instead */
  name?: string;
  /** why it was refused: plain text for the person, of which the frame shows the first 200 characters */
  reason?: string;
}

/** Page to frame: decisions on files that it was asked about, all at once or one after the other. */
export interface UploadDecisionsMessage {
  type: "platform.embed.upload-decisions";
  /** the question's */
  id: number;
  decisions: UploadDecision[];
}

/** Frame to page: the token has been checked and the frame shows its content, though scripts may still be on their way. */
export interface VisibleMessage {
  type: "platform.embed.visible";
  service: string;
}

/** Frame to page: every check has passed and the service is on the screen. */
export interface ReadyMessage {
  type: "platform.embed.ready";
  version: number;
  service: string;
  /** when the token in use ends, unix seconds */
  expiresAt: number;
}

/** Frame to page: the frame shows a state instead of the service (`origin_not_allowed`, `token_expired`, …). */
export interface ErrorMessage {
  type: "platform.embed.error";
  version: number;
  service: string;
  code: string;
}

/** Frame to page: the height its content would like, in CSS pixels. */
export interface ResizeMessage {
  type: "platform.embed.resize";
  height: number;
}

/** Frame to page: another folder is open. */
export interface NavigateMessage {
  type: "platform.embed.navigate";
  service: string;
  /** a folder path; `/` is the root of the bucket */
  path: string;
}

/** A file that is to be uploaded. */
export interface FileToUpload {
  name: string;
  /** bytes */
  size: number;
  /** the media type that it will be stored with */
  type: string;
  /** the folder that it goes into; `/` is the root of the bucket */
  folderPath: string;
}

/**
 * Frame to page, if the page has said that it responds: files that are to be uploaded, 500 at most. Those without a decision after 5
 * seconds go up as they are; those that the page says it is waiting for have failed after 30.
 */
export interface BeforeUploadMessage {
  type: "platform.embed.before-upload";
  service: string;
  /** unique in this frame */
  id: number;
  files: FileToUpload[];
}

/** Frame to page: a file has arrived in the store. */
export interface UploadCompleteMessage {
  type: "platform.embed.upload-complete";
  service: string;
  bucket: string;
  key: string;
  /** bytes */
  size: number;
  /** base64, of the whole file, as the store has checked it; not where the store checks none */
  checksum?: string;
  checksumAlgorithm?: string;
}

/** Frame to page, at most twice a second: how far all uploads are together. */
export interface UploadProgressMessage {
  type: "platform.embed.upload-progress";
  service: string;
  files: number;
  filesDone: number;
  /** bytes of all files */
  size: number;
  /** bytes of them that are sent */
  sent: number;
}

/** Frame to page: a file has not arrived; `code` is the state the person sees. */
export interface UploadFailedMessage {
  type: "platform.embed.upload-failed";
  service: string;
  name: string;
  code: string;
}

/**
 * Frame to page: files have been handed to the browser. For an archive of several that is its last byte; for a file by itself, or
 * files one by one, that the browser has been sent to their addresses: what it makes of them, it tells no page.
 */
export interface DownloadCompleteMessage {
  type: "platform.embed.download-complete";
  service: string;
  bucket: string;
  /** how many */
  files: number;
  /** of all of them, bytes */
  size: number;
}

export type ChangeAction = "create-folder" | "rename" | "move" | "copy" | "delete" | "restore";

/** A file by its key, or a folder with all that is in it by its path. */
export type ChangedItem = { key: string } | { folderPath: string };

/** Frame to page: the person has changed something, and it has ended. */
export interface ChangeMessage {
  type: "platform.embed.change";
  service: string;
  bucket: string;
  action: ChangeAction;
  /** what was asked for, as it was called before */
  items: ChangedItem[];
  /** the folder that they were moved or copied to, or are renamed in */
  to?: string;
  /** what the item is called now */
  name?: string;
  /** how many objects have been changed: of folders, all that are in them */
  done: number;
  /** objects that could not be changed, and why */
  failed: { key: string; code: string }[];
}

export type EmbedTheme = "light" | "dark" | "auto";

/**
 * A page's own look for the frame. Colours are opaque and written as `#0f766e`, `rgb()`, `hsl()`, `oklch()`, `oklab()`, `lch()`, `lab()` or
 * `color()` of `srgb` or `display-p3`. The frame makes readable shades of them where contrast is needed. A member that is left out or
 * invalid is the platform's own; the others apply.
 */
export interface EmbedAppearance {
  /** of buttons, links, focus and what is selected */
  accent?: string;
  /** a dark one is for the dark theme, any other for the light one; where the theme is `auto`, it decides which of the two is shown */
  background?: string;
  /** a light one is for the dark theme, any other for the light one */
  text?: string;
  /** of corners, CSS pixels, 0 to 24 */
  radius?: number;
  /** names of font families, with commas between them; those that the visitor's machine has not are passed over */
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
  | BeforeUploadMessage
  | UploadProgressMessage
  | UploadCompleteMessage
  | UploadFailedMessage
  | DownloadCompleteMessage
  | ChangeMessage;

export type HostMessage =
  | TokenRefreshedMessage
  | TokenUnavailableMessage
  | ConfigureMessage
  | UploadDecisionsMessage;

type Fits = (value: unknown) => boolean;
/** A type by its name, or what a value has to pass. */
type Shape = Record<string, "string" | "number" | "boolean" | Fits>;

// A bundle that reads the messages of one side only goes without the shapes of the other's.
/* @__NO_SIDE_EFFECTS__ */
const optional =
  (type: string): Fits =>
  (value) =>
    value === undefined || typeof value === type;
/* @__NO_SIDE_EFFECTS__ */
const oneOf =
  (...values: unknown[]): Fits =>
  (value) =>
    values.includes(value);
/* @__NO_SIDE_EFFECTS__ */
const listOf =
  (shape: Shape): Fits =>
  (value) =>
    Array.isArray(value) && value.every((item) => hasShape(item, shape));

const fileShape: Shape = { name: "string", size: "number", type: "string", folderPath: "string" };

const frameShapes: Record<FrameMessage["type"], Shape> = {
  "platform.embed.token-expired": { service: "string" },
  "platform.embed.visible": { service: "string" },
  "platform.embed.ready": { version: "number", service: "string", expiresAt: "number" },
  "platform.embed.error": { version: "number", service: "string", code: "string" },
  "platform.embed.resize": { height: "number" },
  "platform.embed.navigate": { service: "string", path: "string" },
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
    answersBeforeUpload: optional("boolean"),
  },
  "platform.embed.upload-decisions": { id: "number", decisions: listOf(decisionShape) },
};

function hasShape(data: unknown, shape: Shape): boolean {
  if (typeof data !== "object" || data === null) return false;
  return Object.entries(shape).every(([member, type]) => {
    const value = (data as Record<string, unknown>)[member];
    return typeof type === "function" ? type(value) : typeof value === type;
  });
}

function fits(data: unknown, shapes: Record<string, Shape>): boolean {
  const { type }: { type?: unknown } = Object(data);
  return typeof type === "string" && Object.hasOwn(shapes, type) && hasShape(data, shapes[type] ?? {});
}

/** The frame's message in `data` (a `MessageEvent`'s), or null when it is none of ours. */
export function parseFrameMessage(data: unknown): FrameMessage | null {
  return fits(data, frameShapes) ? (data as FrameMessage) : null;
}

/** The page's message in `data` (a `MessageEvent`'s), or null when it is none of ours. */
export function parseHostMessage(data: unknown): HostMessage | null {
  return fits(data, hostShapes) ? (data as HostMessage) : null;
}

import "./define.js";
import { PlatformEmbed } from "./platform-embed.js";

export type {
  ChosenFile,
  ChosenItem,
  EmbedTheme,
  FileAction,
  PickerMode,
  SelectedFile,
  SelectedFolder,
  SelectedItem,
} from "../protocol.js";
export { type ChooseFilesOptions, chooseFiles } from "./choose-files.js";
export { EmbedError, type EmbedErrorCode } from "./embed-error.js";
export type * from "./events.js";
export type { EmbedTexts } from "./messages.js";
export type { EmbedState } from "./overlay.js";
export type { FetchToken, TokenAnswer, TokenReason, TokenRequest } from "./request-token.js";
export type { PlatformEmbedAttributes, PlatformEmbedListeners, PlatformEmbedProps } from "./tag-types.js";
/** The element's type. The name for apps that use the React component, which is called `PlatformEmbed` as well. */
export type PlatformEmbedElement = PlatformEmbed;
export { PlatformEmbed };

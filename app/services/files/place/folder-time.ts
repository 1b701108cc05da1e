export { type FolderTime, isSameTime, now } from "platform-embed-element/client";

export { moduleLoader } from "platform-embed-element/client";

// The services that can be embedded, a line for each. Its page is `page.tsx` in the same folder.
export { files } from "./files/service.server";

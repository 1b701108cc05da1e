// One line for each service that can be embedded. Its page is `page.tsx` in its folder.
export { files } from "./files/service.server";

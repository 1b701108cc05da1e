import { metaOf, pageOf } from "../../http/embed-route";
import { Explorer } from "./explorer/explorer";
import styles from "./explorer/explorer.css";
import type { files } from "./service.server";

export { action, headers, links, loader } from "../../http/embed-route";

export const meta = metaOf("Files", styles);

export default pageOf<typeof files>(Explorer);

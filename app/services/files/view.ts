import { Explorer } from "./explorer/explorer";
import styles from "./explorer/explorer.css";

export const filesView = { title: "Files", styles, Component: Explorer };

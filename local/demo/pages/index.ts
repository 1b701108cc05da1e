import type { DemoPage } from "../page";
import { databasesPage } from "./databases";
import { emailsPage } from "./emails";
import { filesPage } from "./files";
import { playgroundPage } from "./playground";
import { renewalPage } from "./renewal";

/** In the order of the menu. */
export const demoPages: DemoPage[] = [filesPage, renewalPage, playgroundPage, databasesPage, emailsPage];

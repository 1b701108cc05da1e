import type { DemoPage } from "../page";
import { activityPage } from "./activity";
import { databasesPage } from "./databases";
import { emailsPage } from "./emails";
import { filesPage } from "./files";
import { handInPage } from "./hand-in";
import { playgroundPage } from "./playground";
import { renewalPage } from "./renewal";
import { webhooksPage } from "./webhooks";

/** In the order of the menu. */
export const demoPages: DemoPage[] = [
  filesPage,
  handInPage,
  activityPage,
  webhooksPage,
  renewalPage,
  playgroundPage,
  databasesPage,
  emailsPage,
];

import { escapeHtml } from "../../../app/email/escape-html";
import type { DemoPage } from "../page";
import { activityPage } from "./activity";
import { databasesPage } from "./databases";
import { emailsPage } from "./emails";
import { filesPage } from "./files";
import { handInPage } from "./hand-in";
import { playgroundPage } from "./playground";
import { quotaPage } from "./quota";
import { renewalPage } from "./renewal";
import { webhooksPage } from "./webhooks";

/** In the order of the menu. */
export const demoPages: DemoPage[] = [
  filesPage,
  handInPage,
  quotaPage,
  activityPage,
  webhooksPage,
  renewalPage,
  playgroundPage,
  databasesPage,
  emailsPage,
];

/** For a person who followed a wrong link. Its path is empty, so that the menu marks no page as open. */
export const notFoundPage: DemoPage = {
  path: "",
  label: "",
  title: "There is no such page",
  lead: "The address may be mistyped, or the page has moved. These are all there are:",
  render() {
    const entries = demoPages.map(
      ({ path, label, lead }) => `<li><a href="${path}">${escapeHtml(label)}</a>: ${escapeHtml(lead)}</li>`,
    );
    return `<ul class="card not-found">${entries.join("")}</ul>`;
  },
};

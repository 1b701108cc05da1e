import { LIST, press, type Scene } from "./scene";

const ENTRY = ".activity__entry";

export const activityScenes: Scene[] = [
  { name: "activity", service: "activity", until: ENTRY },
  {
    name: "activity-names",
    service: "activity",
    until: ENTRY,
    act: (frame) => frame.locator(".activity__names summary").first().click(),
  },
  {
    name: "activity-no-match",
    service: "activity",
    until: ENTRY,
    async act(frame) {
      await frame.locator("select").nth(2).selectOption("dates");
      await frame.locator("input[type=date]").first().fill("2099-01-01");
      await frame.locator(".embed-state").waitFor();
    },
  },
  {
    name: "activity-failed",
    service: "activity",
    until: ENTRY,
    before: (page) =>
      page.route("**/api/embed/activity/list", (route) =>
        route.fulfill({ status: 500, json: { error: "No.", code: "internal" } }),
      ),
    async act(frame) {
      await frame.locator("select").first().selectOption("uploads");
      await frame.locator(".embed-state").waitFor();
    },
  },
  {
    name: "details-activity",
    until: LIST,
    async act(frame) {
      await press(frame, "Photos", "Alt+Enter");
      await frame.locator(".details-support summary").first().click();
      await frame.locator(ENTRY).first().waitFor();
    },
  },
];

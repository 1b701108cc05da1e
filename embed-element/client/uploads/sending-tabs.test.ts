import { afterEach, describe, expect, it } from "vitest";
import { realWorld } from "../world";
import { recordChannel } from "../world-storage";
import { SendingTabs } from "./sending-tabs";

const channels: BroadcastChannel[] = [];
/** A tab on a channel of the test's own. */
function openTab(): SendingTabs {
  const channel = new BroadcastChannel("sending-tabs.test");
  channels.push(channel);
  return new SendingTabs(recordChannel(channel), realWorld);
}
const closeTabs = () => {
  for (const channel of channels.splice(0)) channel.close();
};
afterEach(closeTabs);

describe("what other tabs are sending", () => {
  it("is nothing where there is no other tab", async () => {
    const tab = openTab();
    await tab.claim("film");
    expect(await tab.others()).toEqual(new Set());
  });

  it("is what they have claimed and not given up", async () => {
    const [here, there] = [openTab(), openTab()];
    const giveUp = await there.claim("film");
    await there.claim("song");
    expect(await here.others()).toEqual(new Set(["film", "song"]));
    giveUp?.();
    expect(await here.others()).toEqual(new Set(["song"]));
  });

  it("is nothing once their tab is gone", async () => {
    await openTab().claim("film");
    closeTabs();
    expect(await openTab().others()).toEqual(new Set());
  });
});

describe("an upload", () => {
  it("is sent by one tab at a time", async () => {
    const [here, there] = [openTab(), openTab()];
    const giveUp = await there.claim("film");
    expect(await here.claim("film")).toBeNull();
    giveUp?.();
    expect(await here.claim("film")).not.toBeNull();
  });

  it("goes to one of several tabs that claim it at once", async () => {
    const tabs = Array.from({ length: 5 }, openTab);
    const claims = await Promise.all(tabs.map((tab) => tab.claim("film")));
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
  });

  it("does not keep another from being claimed", async () => {
    const [here, there] = [openTab(), openTab()];
    const claims = await Promise.all([here.claim("film"), there.claim("song")]);
    expect(claims).not.toContain(null);
  });
});

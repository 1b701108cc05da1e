import { findFaults } from "../../../lab/screenshots/find-faults";
import type { Scene } from "../../../lab/screenshots/scene";
import { scenes, sizes } from "../../../lab/screenshots/scenes";
import { openScene, type Studio, startStudio } from "../../../lab/screenshots/studio";
import { test as base, expect } from "../fixtures";

/**
 * Every state of the pictures that `npm run screenshots` takes, by turns at one of two sizes: all at both take five minutes, and
 * `npm run screenshots -- --faults` looks at all sizes, palettes and languages.
 */
const looks = [
  { name: "1280", theme: "dark" },
  { name: "phone", theme: "light" },
] as const;

const test = base.extend<object, { studio: Studio }>({
  studio: [
    async ({ stack }, use) => {
      const studio = await startStudio(stack);
      await use(studio);
      await studio.close();
    },
    { scope: "worker" },
  ],
  // Many states are failures, and the demo shows e-mails in sandboxes: the browser's console tells of both.
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures off this pattern
  allowedConsole: async ({}, use) => {
    await use([
      /^Failed to load resource: /,
      /^<platform-embed> /,
      /^Blocked script execution in 'about:srcdoc'/,
    ]);
  },
});

const lookOf = ({ minWidth }: Scene, index: number) => (minWidth ? looks[0] : looks[index % looks.length]);

for (const look of looks) {
  const { name, theme } = look;
  const size = sizes.find((size) => size.name === name);
  if (!size) throw new Error(`There is no size ${name}.`);
  test.describe(`At ${name}`, () => {
    test.use({
      viewport: { width: size.width, height: size.height },
      hasTouch: size.touch === true,
      isMobile: size.touch === true,
      colorScheme: theme,
      locale: "en",
      contextOptions: { reducedMotion: "reduce" },
    });
    for (const scene of scenes.filter((scene, index) => lookOf(scene, index) === look))
      test(`the state ${scene.name} has no faults`, async ({ page, studio }) => {
        await openScene(studio, page, scene, { locale: "en", theme });
        expect(await findFaults(page, size.touch === true)).toEqual([]);
      });
  });
}

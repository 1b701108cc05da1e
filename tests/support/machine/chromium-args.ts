/** The arguments with which tests start Chromium. */
export const chromiumArgs = [
  // In a container or as root, Chromium's own sandbox cannot be set up; the pages are all ours.
  "--no-sandbox",
  // As on a computer: without, the headless shell (CHROMIUM_PATH) has one process for page and frame.
  "--site-per-process",
  // There is none where tests run, and what stands in for it takes some percent of the time.
  "--disable-gpu",
  // Chromium prepares the address bar's suggestions as a page for each window, which takes a fifth of the time. Headless windows have no bar.
  "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
  "--disable-background-networking",
  "--disable-component-update",
  "--no-first-run",
];

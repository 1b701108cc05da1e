/** `npm run test:mutation`, from the repository's root. docs/decisions/0063-mutants-are-killed-by-unit-tests.md */
export default {
  plugins: ["@stryker-mutator/vitest-runner"],
  testRunner: "vitest",
  vitest: { configFile: "tests/mutation/vitest.config.ts" },
  coverageAnalysis: "perTest",
  mutate: [
    "app/{embed,services/files,campaigns}/**/*.{ts,tsx}",
    // Run in browsers; the browser tests hold them.
    "!app/embed/frame/**",
    "!app/services/files/explorer/**",
    "!**/*.test.{ts,tsx}",
  ],
  // One runs for as long as it takes; two share a machine of two cores with whoever works there.
  concurrency: 2,
  // Under load the first run of a test file can be slow; an endless loop is noticed by its count, not by its time.
  timeoutMS: 60_000,
  incremental: true,
  incrementalFile: "tests/mutation/reports/incremental.json",
  tempDirName: "tests/mutation/.sandbox",
  ignorePatterns: ["build", "public", "docs", ".local", "production", "tests/mutation/reports"],
  reporters: ["clear-text", "html", "json"],
  htmlReporter: { fileName: "tests/mutation/reports/mutation.html" },
  jsonReporter: { fileName: "tests/mutation/reports/mutation.json" },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  disableTypeChecks: false,
};

/** `npm run test:mutation`, from the repository's root. tests/README.md */
export default {
  plugins: ["@stryker-mutator/vitest-runner"],
  testRunner: "vitest",
  vitest: { configFile: "lab/mutation/vitest.config.ts" },
  coverageAnalysis: "perTest",
  mutate: [
    "app/{embed,campaigns}/**/*.{ts,tsx}",
    "app/services/files/**/*.server.ts",
    "app/services/files/{place,changes,uploads/transfers,downloads/zip,hand-in}/**/*.ts",
    "embed-element/client/**/*.ts",
    "!embed-element/client/contract.ts",
    // This code runs in browsers, and browser tests cover it.
    "!app/embed/frame/**",
    "!app/services/files/**/use-*.ts",
    "!**/*.test.{ts,tsx}",
  ],
  concurrency: 2,
  // Under load the first run of a test file can be slow; an endless loop is noticed by its count, not by its time.
  timeoutMS: 60_000,
  incremental: true,
  incrementalFile: ".cache/mutation/incremental.json",
  tempDirName: ".cache/mutation/sandbox",
  ignorePatterns: ["build", "public", "docs", ".local", "production", ".cache"],
  reporters: ["clear-text", "html", "json", "progress-append-only"],
  htmlReporter: { fileName: ".cache/mutation/mutation.html" },
  jsonReporter: { fileName: ".cache/mutation/mutation.json" },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
};

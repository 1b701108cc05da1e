const input = "openapi.json";

module.exports = {
  client: { input, output: { target: "generated/orval.ts", client: "fetch", mode: "single" } },
  schemas: { input, output: { target: "generated/orval-zod.ts", client: "zod", mode: "single" } },
};

import { readdir } from "node:fs/promises";
import { describe, expect, inject, it } from "vitest";
import { routeOfFile } from "../support/app/route-files";

const stack = inject("stack");
const routes = new URL("../../app/routes/", import.meta.url);

interface Description {
  servers: { url: string }[];
  paths: Record<string, { servers?: { url: string }[] } & Record<string, unknown>>;
}
const describeApi = async (): Promise<Description> =>
  (await fetch(`${stack.apiBaseUrl}/openapi.json`)).json();

describe("GET /openapi.json", () => {
  it("describes exactly the routes that return JSON", async () => {
    const files = (await readdir(routes)).filter((name) => name.startsWith("api."));
    const described = files
      .map((file) => routeOfFile(file).replace(/:(\w+)/, "{$1}"))
      // A page.
      .filter((route) => route !== "/api/email/unsubscribe");
    expect(Object.keys((await describeApi()).paths).sort()).toEqual(described.sort());
  });

  it("names only methods that exist, with the base URL that serves them", async () => {
    const { servers, paths } = await describeApi();
    for (const [path, described] of Object.entries(paths)) {
      const base = (described.servers ?? servers)[0]?.url;
      for (const method of Object.keys(described).filter((key) => key !== "servers")) {
        const answer = await fetch(base + path, { method: method.toUpperCase() });
        const body = await answer.json();
        expect(answer.status, `${method} ${path}`).not.toBe(405);
        expect(body.error, `${method} ${path}`).not.toBe("There is nothing at this address.");
      }
    }
  });

  it("contains the schemas that requests are validated with", async () => {
    const { paths } = await describeApi();
    expect(paths["/api/embed/url"]).toMatchObject({
      post: {
        requestBody: {
          content: {
            "application/json": {
              schema: {
                required: ["service", "scope"],
                properties: { scope: { required: ["bucket"], additionalProperties: false } },
              },
            },
          },
        },
        responses: { 200: {}, 400: {}, 401: { description: expect.stringContaining("api_key_expired") } },
      },
    });
  });
});

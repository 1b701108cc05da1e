import { readdir } from "node:fs/promises";
import { Validator } from "@seriousme/openapi-schema-validator";
import openapiTS, { astToString } from "openapi-typescript";
import { describe, expect, inject, it } from "vitest";
import { routeOfFile } from "../support/app/route-files";

const stack = inject("stack");
const routes = new URL("../../app/routes/", import.meta.url);

interface Description {
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, { servers?: { url: string }[] } & Record<string, unknown>>;
  components: { schemas: Record<string, object> };
}
interface Operation {
  operationId: string;
  tags: string[];
  parameters?: { name: string; in: string }[];
  requestBody?: Content;
  responses: Record<string, Content>;
}
interface Content {
  content: { "application/json": { schema: object } };
}
const describeApi = async (): Promise<Description> =>
  (await fetch(`${stack.apiBaseUrl}/openapi.json`)).json();

/** Every operation by its id. */
function operationsOf({ paths }: Description): Map<string, Operation> {
  const operations = Object.values(paths).flatMap(({ servers: _, ...methods }) =>
    Object.values(methods as Record<string, Operation>),
  );
  return new Map(operations.map((operation) => [operation.operationId, operation]));
}

describe("GET /openapi.json", () => {
  it("is a valid OpenAPI 3.1 document", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate({ ...(await describeApi()) });
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(validator.version).toBe("3.1");
  });

  it("names every operation by a verb and a noun, once", async () => {
    const description = await describeApi();
    const count = Object.values(description.paths).flatMap((path) =>
      Object.keys(path).filter((key) => key !== "servers"),
    ).length;
    const operations = operationsOf(description);
    expect(operations.size).toBe(count);
    for (const name of operations.keys()) expect(name).toMatch(/^[a-z]+([A-Z][a-z]+)+$/);
    // A client that was generated earlier calls these names: they do not change.
    expect([...operations.keys()].sort()).toEqual([
      ...["abortMultipartUpload", "changeEmbedClient", "checkHealth", "checkReadiness"],
      ...["completeMultipartUpload", "copyItems", "createDatabase", "createEmbedClient", "createFolder"],
      ...["createMultipartUpload", "deleteItems", "deliverCampaignEmail"],
      ...[
        "diagnoseStorage",
        "getDatabase",
        "getEmbedClient",
        "issueEmbedUrl",
        "listDatabases",
        "listEmbedClients",
        "listFolder",
        "listUploadParts",
      ],
      ...["moveItems", "presignDownload", "presignDownloads", "presignUpload", "previewSimpleEmail"],
      ...["receiveEmailEvents", "restoreItems", "revokeEmbedClient", "rotateEmbedClientKey"],
      ...["searchFiles", "sendSimpleEmail", "signUploadParts"],
    ]);
  });

  it("names the schema of every body", async () => {
    const description = await describeApi();
    const named = { $ref: expect.stringMatching(/^#\/components\/schemas\/[A-Z]\w+$/) };
    for (const [name, { requestBody, responses }] of operationsOf(description)) {
      const bodies = [...Object.values(responses), ...(requestBody ? [requestBody] : [])];
      for (const { content } of bodies) expect(content["application/json"].schema, name).toEqual(named);
    }
    expect(Object.keys(description.components.schemas)).toEqual(
      expect.arrayContaining([
        ...["Failure", "IssueEmbedUrlRequest", "IssueEmbedUrlResponse", "FilesScope", "SimpleEmail"],
        ...["SentEmail", "UnsentEmail", "CreateDatabaseRequest", "DatabaseResource", "FileEntry"],
      ]),
    );
  });

  it("groups operations by who calls them, so that an integrator can leave out the others", async () => {
    const description = await describeApi();
    const [integrators, ...others] = description.tags.map(({ name, description }) => {
      expect(description, name).toMatch(/\.$/);
      return name;
    });
    expect(others).toEqual(["Embedded frame", "Queue and mail provider", "Operators"]);
    const operations = [...operationsOf(description)];
    const ofTag = (tag = "") => operations.flatMap(([name, { tags }]) => (tags.includes(tag) ? name : []));
    expect(ofTag(integrators).sort()).toEqual([
      ...["changeEmbedClient", "createDatabase", "createEmbedClient", "getDatabase", "getEmbedClient"],
      ...["issueEmbedUrl", "listDatabases", "listEmbedClients", "previewSimpleEmail"],
      ...["revokeEmbedClient", "rotateEmbedClientKey", "sendSimpleEmail"],
    ]);
    expect(ofTag("Queue and mail provider").sort()).toEqual(["deliverCampaignEmail", "receiveEmailEvents"]);
    expect(ofTag("Operators").sort()).toEqual(["checkHealth", "checkReadiness"]);
    expect(operations.filter(([, { tags }]) => tags.length !== 1)).toEqual([]);
  });

  it("has Idempotency-Key among the headers", async () => {
    const { parameters } = operationsOf(await describeApi()).get("sendSimpleEmail") ?? {};
    expect(parameters).toEqual([
      expect.objectContaining({
        name: "Idempotency-Key",
        in: "header",
        required: false,
        description: expect.stringContaining("once"),
      }),
    ]);
  });

  it("makes a typed client", async () => {
    const description = await describeApi();
    const types = astToString(await openapiTS(JSON.stringify(description)));
    expect(types).toMatch(
      /sendSimpleEmail: \{\s+parameters: \{[^}]+header\?: \{[^}]+"Idempotency-Key"\?: string;/,
    );
    expect(types).toContain('"application/json": components["schemas"]["SimpleEmail"];');
    expect(types).toMatch(
      /IssueEmbedUrlRequest: \{[^}]+service: "files";[^}]+scope: components\["schemas"\]\["FilesScope"\];/,
    );
    expect(types).toMatch(
      /ListDatabasesResponse: \{\s+databases: components\["schemas"\]\["DatabaseResource"\]\[\];/,
    );
  });

  it("describes exactly the routes that return JSON", async () => {
    const files = (await readdir(routes)).filter((name) => /^(api\.|healthz|readyz)/.test(name));
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

  it("says which requests may have their embed token in a header, too", async () => {
    const { paths } = await describeApi();
    const withHeader = Object.entries(paths).filter(([, { post }]) =>
      JSON.stringify(post)?.includes('"security":[{"embedToken":[]},{}]'),
    );
    const names = ["copy", "delete", "move", "restore"];
    expect(withHeader.map(([path]) => path)).toEqual(names.map((name) => `/api/embed/storage/${name}`));
  });

  it("names the optional headers of a request", async () => {
    const { paths } = await describeApi();
    expect(paths["/api/cluster/databases"]?.post).toMatchObject({
      parameters: [{ name: "Prefer", in: "header", required: false }],
    });
  });

  it("contains the schemas that requests are validated with", async () => {
    const { paths, components } = await describeApi();
    expect(paths["/api/embed/url"]).toMatchObject({
      post: {
        responses: { 200: {}, 400: {}, 401: { description: expect.stringContaining("api_key_expired") } },
      },
    });
    expect(components.schemas).toMatchObject({
      IssueEmbedUrlRequest: { required: ["service", "scope"] },
      FilesScope: { required: ["bucket"], additionalProperties: false },
    });
  });
});

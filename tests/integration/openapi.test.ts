import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { describe, expect, inject, it } from "vitest";
import { eventTypes } from "../../app/events/event";
import { contract } from "../../app/routes/openapi[.]json";
import { contextOf } from "../../app/shared/request-context.server";
import { createRouteApp } from "../support/app/route-app";
import { routeOfFile } from "../support/app/route-files";

const stack = inject("stack");
const routes = new URL("../../app/routes/", import.meta.url);

interface Description {
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  webhooks: Record<string, { post: Operation }>;
  paths: Record<string, { servers?: { url: string }[] } & Record<string, unknown>>;
  components: { schemas: Record<string, object>; responses: Record<string, Content> };
}
interface Operation {
  operationId: string;
  tags: string[];
  parameters?: { name: string; in: string }[];
  security?: object[];
  requestBody?: Content;
  responses: Record<string, Content | { $ref: string }>;
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

  it("is made once, so that requests for it hold up no others", async () => {
    const app = createRouteApp(stack);
    const request = new Request(`${app.apiBaseUrl}/openapi.json`);
    const describe = () =>
      contract.methods.GET?.run({ request, params: {}, app, context: contextOf(request, "/openapi.json") });
    const first = await describe();
    expect(first).toBeDefined();
    expect(await describe()).toBe(first);
    await app.close();
  });

  it("describes the message of every type of event, and its headers", async () => {
    const { webhooks, components } = await describeApi();
    expect(Object.keys(webhooks)).toEqual([...eventTypes, "webhook.test"]);
    for (const [type, { post }] of Object.entries(webhooks)) {
      const schema = post.requestBody?.content["application/json"].schema as { $ref: string };
      const name = schema.$ref.replace("#/components/schemas/", "");
      expect(components.schemas[name], type).toMatchObject({
        properties: { type: { enum: expect.arrayContaining([type]) } },
        required: expect.arrayContaining(["id", "type", "occurredAt", "companyId"]),
      });
      expect(components.schemas.WebhookMessage).toMatchObject({
        oneOf: expect.arrayContaining([schema]),
        discriminator: { propertyName: "type", mapping: { [type]: schema.$ref } },
      });
      expect(post.parameters).toMatchObject(
        ["id", "timestamp", "signature"].map((header) => ({ name: `webhook-${header}`, in: "header" })),
      );
    }
    // They are those of the record.
    const { oneOf } = components.schemas.Event as { oneOf: object[] };
    expect(oneOf).toContainEqual({ $ref: "#/components/schemas/FileEvent" });
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
      ...["completeMultipartUpload", "confirmUploads", "copyItems", "createDatabase"],
      "createDatabaseCredential",
      ...["createEmbedClient", "createFolder", "createMultipartUpload", "createWebhook"],
      ...["deleteDatabase", "deleteItems", "deleteWebhook", "deliverCampaignEmail"],
      ...[
        "diagnoseStorage",
        "enableWebhook",
        "exportActivity",
        "findMultipartUpload",
        "followFolder",
        "getDatabase",
        "getEmail",
        "getEmbedClient",
        "issueEmbedUrl",
        "listActivePeople",
        "listActivity",
        "listChangeTimes",
        "listDatabaseCredentials",
        "listDatabases",
        "listDeletedFiles",
        "listEmbedClients",
        "listEvents",
        "listFileActivity",
        "listFolder",
        "listRecentFiles",
        "listUploadParts",
        "listUsage",
        "listVersions",
        "listWebhookDeliveries",
        "listWebhooks",
      ],
      ...["moveItems", "presignDownload", "presignDownloads", "presignUpload", "previewSimpleEmail"],
      ...[
        "purgeVersions",
        "readFolderSizes",
        "readQuota",
        "receiveEmailEvents",
        "receiveStorageEvents",
        "removeDatabaseCredential",
        "replayWebhookEvents",
        "restoreDatabase",
        "restoreItems",
        "revokeEmbedClient",
        "revokeEmbedTokens",
        "rotateDatabaseCredential",
        "rotateEmbedClientKey",
        "rotateWebhookSecret",
      ],
      ...["searchFiles", "sendSimpleEmail", "signUploadParts", "takeBackUpload", "testWebhook"],
    ]);
  });

  it("names the schema of every body", async () => {
    const description = await describeApi();
    const named = { $ref: expect.stringMatching(/^#\/components\/schemas\/[A-Z]\w+$/) };
    const failures = new Set(
      Object.keys(description.components.responses).map((name) => `#/components/responses/${name}`),
    );
    for (const [name, { requestBody, responses }] of operationsOf(description)) {
      const own = Object.values(responses).flatMap((response) => {
        if (!("$ref" in response)) return [response];
        expect(failures, name).toContain(response.$ref);
        return [];
      });
      const bodies = [...own, ...(requestBody ? [requestBody] : [])];
      // A file and a stream have no schema.
      const isJson = ({ content }: Content) =>
        "application/json" in content || !("text/csv" in content || "text/event-stream" in content);
      for (const { content } of bodies.filter(isJson))
        expect(content["application/json"].schema, name).toEqual(named);
    }
    expect(Object.keys(description.components.schemas)).toEqual(
      expect.arrayContaining([
        ...["Failure", "IssueEmbedUrlRequest", "IssueEmbedUrlResponse", "FilesScope", "SimpleEmail"],
        ...["SentEmail", "UnsentEmail", "CreateDatabaseRequest", "DatabaseResource", "FileEntry", "Event"],
      ]),
    );
  });

  it("names every status that may come, and who may call, for every operation", async () => {
    const operations = operationsOf(await describeApi());
    for (const [name, { requestBody, responses, security }] of operations) {
      const expected = ["404", "405", "500", "503", ...(requestBody ? ["400", "408", "413", "415"] : [])];
      expect(Object.keys(responses), name).toEqual(expect.arrayContaining(expected));
      expect("429" in responses, name).toBe(!name.startsWith("check"));
      expect(security, name).toBeInstanceOf(Array);
    }
  });

  it("has no pattern that only some engines of regular expressions read", async () => {
    expect(JSON.stringify(await describeApi())).not.toMatch(/"pattern":"[^"]*(\\\\p\{|\(\?)/i);
  });

  it("says after how long to try again", async () => {
    const { components } = await describeApi();
    const header = { "Retry-After": { schema: { type: "integer" } } };
    expect(components.responses).toMatchObject({
      RateLimited: { headers: header },
      Unavailable: { headers: header },
      MethodNotAllowed: { headers: { Allow: {} } },
    });
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
      ...["changeEmbedClient", "createDatabase", "createDatabaseCredential", "createEmbedClient"],
      ...["createWebhook"],
      ...[
        "deleteDatabase",
        "deleteWebhook",
        "enableWebhook",
        "getDatabase",
        "getEmail",
        "getEmbedClient",
        "issueEmbedUrl",
      ],
      ...["listDatabaseCredentials", "listDatabases", "listEmbedClients", "listEvents"],
      ...["listUsage", "listWebhookDeliveries", "listWebhooks"],
      ...[
        "previewSimpleEmail",
        "removeDatabaseCredential",
        "replayWebhookEvents",
        "restoreDatabase",
        "revokeEmbedClient",
        "revokeEmbedTokens",
        "rotateDatabaseCredential",
        "rotateEmbedClientKey",
      ],
      ...["rotateWebhookSecret", "sendSimpleEmail", "testWebhook"],
    ]);
    expect(ofTag("Queue and mail provider").sort()).toEqual([
      "deliverCampaignEmail",
      "receiveEmailEvents",
      "receiveStorageEvents",
    ]);
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
    expect(types).toMatch(/WebhookMessage: components\["schemas"\]\["FileEvent"\] \|/);
  });

  it("makes types with which the example of the contract compiles, and an e-mail without optional members", async () => {
    const folder = await mkdtemp(join(tmpdir(), "platform-embed-openapi-"));
    const contract = await readFile(new URL("../../docs/contract.md", import.meta.url), "utf8");
    const [, example = ""] = /^```ts\n(import type \{ components \}[\s\S]*?)^```$/m.exec(contract) ?? [];
    const email = `export const email: components["schemas"]["SimpleEmail"] =
      { to: "ada@example.com", title: "Hello", description: "It works" };`;
    await writeFile(
      join(folder, "api.d.ts"),
      astToString(await openapiTS(JSON.stringify(await describeApi()))),
    );
    await writeFile(join(folder, "example.ts"), `declare const apiKey: string;\n${example}\n${email}`);
    const program = ts.createProgram([join(folder, "example.ts")], {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      types: [],
    });
    const problems = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);
    await rm(folder, { recursive: true });
    expect(example).not.toBe("");
    expect(problems).toEqual([]);
  });

  it("describes exactly the routes that return JSON", async () => {
    const files = (await readdir(routes)).filter((name) => /^(api\.|healthz|readyz)/.test(name));
    const described = files
      .map((file) => routeOfFile(file).replaceAll(/:(\w+)/g, "{$1}"))
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
    const names = ["copy", "delete", "move", "purge", "restore"];
    expect(withHeader.map(([path]) => path)).toEqual(names.map((name) => `/api/embed/storage/${name}`));
  });

  it("says that either of two credentials is enough, and that a list is also a stream", async () => {
    const { get } = (await describeApi()).paths["/api/events"] as { get: Operation };
    expect(get).toMatchObject({ security: [{ apiKey: [] }, { bearerToken: [] }] });
    expect(get.responses["200"]).toHaveProperty("content");
    expect(Object.keys((get.responses["200"] as Content).content)).toEqual([
      "application/json",
      "application/x-ndjson",
      "text/csv",
    ]);
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
      // One for each service.
      IssueEmbedUrlRequest: {
        anyOf: [{ required: ["service", "scope"] }, { required: ["service", "scope"] }],
      },
      ActivityScope: { additionalProperties: false },
      FilesScope: { required: ["bucket"], additionalProperties: false },
    });
  });
});

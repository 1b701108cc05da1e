import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type ClusterApp, startClusterApp } from "../support/app/cluster-app";
import {
  freshName,
  makeCompany,
  postDatabase,
  type Refusal,
  recordsOf,
} from "../support/databases/cluster-databases";

const stack = inject("stack");

const IN_USE = "in-use-0123456789-0123456789-0123";
const NEXT = "to-come-0123456789-0123456789-012";

let app: ClusterApp;
beforeAll(async () => {
  app = await startClusterApp(stack, { API_BEARER_TOKEN: `${IN_USE}, ${NEXT}` });
});
afterAll(() => app.close());

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

describe("with a bearer token configured", () => {
  it.each([IN_USE, NEXT])("%s gives access to the database endpoints", async (token) => {
    const companyId = await makeCompany(stack);
    const body = { companyId, name: freshName(), region: stack.clusterRegion };
    expect((await postDatabase(app.apiBaseUrl, body, bearer(token))).status).toBe(201);
    const list = await fetch(`${app.apiBaseUrl}/api/cluster/databases?companyId=${companyId}`, {
      headers: bearer(token),
    });
    expect(list.status).toBe(200);
  });

  it.each([{}, bearer("wrong"), { Authorization: `Basic ${btoa(IN_USE)}` }])(
    "%j gives no access and has no effect",
    async (headers) => {
      const body = { companyId: await makeCompany(stack), name: freshName(), region: stack.clusterRegion };
      const refused = await postDatabase<Refusal>(app.apiBaseUrl, body, headers);
      expect([refused.status, refused.body.code]).toEqual([401, "invalid_bearer_token"]);
      expect(refused.headers.get("WWW-Authenticate")).toBe("Bearer");
      expect(await recordsOf(stack, body.name)).toEqual([]);
      for (const path of [`?companyId=${body.companyId}`, "/some-id"]) {
        const answer = await fetch(`${app.apiBaseUrl}/api/cluster/databases${path}`, { headers });
        expect(answer.status).toBe(401);
      }
    },
  );
});

/** What a program is told in its environment, and the calls that each of them makes. */
const read = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set.`);
  return value;
};
export const baseUrl = read("API_BASE_URL");
export const bearer = { Authorization: `Bearer ${read("API_BEARER_TOKEN")}` };
export const unknownKey = { "X-Api-Key": "pek_unknown" };
export const companyId = read("COMPANY_ID");
export const bucket = read("BUCKET");

export const newClient = {
  companyId,
  name: "Generated",
  allowedServices: ["files"],
  allowedOrigins: ["https://app.example.com"],
  allowedScopes: { files: { buckets: [bucket] } },
};
export const newEmail = { to: "ada@example.com", title: "Hello", description: "It works." };
export const newWebhook = { url: "https://app.example.com/webhooks", types: ["file.uploaded" as const] };

/** The statuses that the API must answer with, in the order of the calls. */
export const expected = [200, 201, 200, 200, 200, 200, 200, 200, 200, 201, 200, 200, 200, 401];

/** Ends with an error unless the statuses are the expected ones. */
export function check(statuses: number[]): void {
  if (JSON.stringify(statuses) !== JSON.stringify(expected))
    throw new Error(`The statuses are ${statuses}, not ${expected}.`);
}

import { randomUUID } from "node:crypto";
import { S3Error } from "./errors";
import {
  childrenNamed,
  malformed,
  parseXml,
  textOf,
  type XmlNode,
  type XmlObject,
  type XmlValue,
} from "./xml";

const MOST_RULES = 1000;
const LONGEST_ID = 255;
const ACTIONS = [
  "AbortIncompleteMultipartUpload",
  "Expiration",
  "NoncurrentVersionExpiration",
  "NoncurrentVersionTransition",
  "Transition",
];

/**
 * The rules in the body of PutBucketLifecycleConfiguration, as they are written again: each with an ID. Throws
 * MalformedXML, InvalidArgument and InvalidRequest.
 */
export function parseLifecycleRules(document: string): XmlObject[] {
  const root = parseXml(document);
  const rules = childrenNamed(root, "Rule");
  if (root.name !== "LifecycleConfiguration" || rules.length !== root.children.length) throw malformed();
  if (rules.length === 0 || rules.length > MOST_RULES) throw malformed();
  const ids = rules.map((rule) => textOf(rule, "ID") || randomUUID());
  if (ids.some((id) => id.length > LONGEST_ID)) {
    throw new S3Error("InvalidArgument", `ID length should not exceed allowed limit of ${LONGEST_ID}`);
  }
  if (new Set(ids).size < ids.length) {
    throw new S3Error("InvalidArgument", "Rule ID must be unique. Found same ID for more than one rule");
  }
  for (const rule of rules) checkRule(rule);
  const filtered = rules.filter((rule) => childrenNamed(rule, "Filter").length > 0);
  if (filtered.length > 0 && filtered.length < rules.length) {
    throw new S3Error("InvalidRequest", "Filter element can only be used in Lifecycle V2.");
  }
  return rules.map((rule, position) => ({ ...objectOf(rule), ID: ids[position] }));
}

function checkRule(rule: XmlNode): void {
  const names = new Set(rule.children.map(({ name }) => name));
  const status = textOf(rule, "Status");
  if (status !== "Enabled" && status !== "Disabled") throw malformed();
  if (names.has("Filter") === names.has("Prefix")) throw malformed();
  for (const name of names) {
    if (!["ID", "Status", "Filter", "Prefix", ...ACTIONS].includes(name)) throw malformed();
  }
  if (!ACTIONS.some((action) => names.has(action))) {
    throw new S3Error("InvalidRequest", "At least one action needs to be specified in a rule");
  }
  for (const abort of childrenNamed(rule, "AbortIncompleteMultipartUpload")) {
    if (!/^[1-9][0-9]{0,9}$/.test(textOf(abort, "DaysAfterInitiation") ?? "")) {
      throw new S3Error("InvalidArgument", "'DaysAfterInitiation' must be a positive integer");
    }
  }
}

/** What was read, as it can be written again. */
function objectOf(node: XmlNode): XmlObject {
  const names = new Set(node.children.map(({ name }) => name));
  return Object.fromEntries(
    [...names].map((name): [string, XmlValue] => [
      name,
      childrenNamed(node, name).map((child) => (child.children.length > 0 ? objectOf(child) : child.text)),
    ]),
  );
}

import { malformedXml, S3Error } from "./errors";
import { childrenNamed, parseXml, textOf, type XmlNode } from "./xml";

/** Elements of the document, each with the element that names its destination. */
const DESTINATIONS = {
  TopicConfiguration: "Topic",
  QueueConfiguration: "Queue",
  CloudFunctionConfiguration: "CloudFunction",
} as const;

/** Amazon S3 User Guide, "Supported event types for SNS, SQS, and Lambda". */
const EVENT =
  /^s3:(ReducedRedundancyLostObject|(ObjectCreated|ObjectRemoved|ObjectRestore|ObjectTagging|ObjectAcl|Replication|LifecycleExpiration|LifecycleTransition|IntelligentTiering|TestEvent)(:\w+|:\*)?)$/;

interface Destination {
  id: string | undefined;
  events: string[];
  prefix: string;
  suffix: string;
}

/**
 * Checks the body of PutBucketNotificationConfiguration. This store publishes nothing, so it accepts any destination with the form of an
 * ARN.
 * @returns the document; undefined if it switches notifications off
 * @throws MalformedXML and InvalidArgument. Amazon S3 User Guide, "Configuring event notifications using object key name filtering"
 */
export function checkNotifications(document: string): string | undefined {
  const root = parseXml(document, "NotificationConfiguration");
  const destinations = Object.entries(DESTINATIONS).flatMap(([element, target]) =>
    childrenNamed(root, element).map((node) => readDestination(node, target)),
  );
  const ids = destinations.flatMap(({ id }) => id ?? []);
  if (new Set(ids).size < ids.length) throw invalid("Configuration Ids should be unique.");
  for (const [index, one] of destinations.entries()) {
    if (destinations.slice(0, index).some((other) => doOverlap(one, other))) {
      throw invalid(
        "Configurations overlap. Configurations on the same bucket cannot share a common event type.",
      );
    }
  }
  return root.children.length === 0 ? undefined : document;
}

function readDestination(node: XmlNode, target: string): Destination {
  const events = childrenNamed(node, "Event").map(({ text }) => text);
  if (events.length === 0) throw malformedXml();
  if (!events.every((event) => EVENT.test(event))) {
    throw invalid("The event is not supported for notifications");
  }
  if (!/^arn:[\w-]+:[\w-]+:[\w-]*:\w*:.+$/.test(textOf(node, target) ?? "")) {
    throw invalid("The ARN is not well formed");
  }
  const rules = childrenNamed(node, "Filter")
    .flatMap((filter) => childrenNamed(filter, "S3Key"))
    .flatMap((key) => childrenNamed(key, "FilterRule"));
  const filterOf = (name: string) =>
    rules
      .filter((rule) => textOf(rule, "Name")?.toLowerCase() === name)
      .map((rule) => textOf(rule, "Value") ?? "")[0] ?? "";
  return { id: textOf(node, "Id"), events, prefix: filterOf("prefix"), suffix: filterOf("suffix") };
}

/** Whether some change of some object would be published to both. */
function doOverlap(one: Destination, other: Destination): boolean {
  const isPart = (event: string, of: string) =>
    event === of || (of.endsWith(":*") && event.startsWith(of.slice(0, -1)));
  const shareEvent = one.events.some((event) =>
    other.events.some((another) => isPart(event, another) || isPart(another, event)),
  );
  const sharePrefix = one.prefix.startsWith(other.prefix) || other.prefix.startsWith(one.prefix);
  const shareSuffix = one.suffix.endsWith(other.suffix) || other.suffix.endsWith(one.suffix);
  return shareEvent && sharePrefix && shareSuffix;
}

const invalid = (message: string) => new S3Error("InvalidArgument", message);

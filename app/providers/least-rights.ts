/**
 * What the credentials need: the actions behind each command that this service sends, as the Service Authorization Reference of AWS lists
 * them. `npm run doctor -- --policy` prints them as a policy, and an assumed role's session is limited to them.
 */

/** What an action is granted on. `any`: AWS has no narrower resource for it. */
type Resource = "bucket" | "objects" | "identity" | "configurationSet" | "cluster" | "secret" | "any";

/** `commands`: only commands that change settings of a bucket. `doctor`: only checks. */
type Use = "service" | "commands" | "doctor";

interface Rights {
  on: Resource;
  actions: readonly string[];
  use: Use;
}

const rights = (on: Resource, use: Use, ...actions: string[]): Rights => ({ on, use, actions });

/** By the name of the SDK's command. Empty: nothing needs to be granted. */
export const rightsOfCommands: Readonly<Record<string, readonly Rights[]>> = {
  ListObjectsV2Command: [rights("bucket", "service", "s3:ListBucket")],
  ListObjectVersionsCommand: [rights("bucket", "service", "s3:ListBucketVersions")],
  GetBucketVersioningCommand: [rights("bucket", "service", "s3:GetBucketVersioning")],
  GetObjectCommand: [rights("objects", "service", "s3:GetObject", "s3:GetObjectVersion")],
  HeadObjectCommand: [rights("objects", "service", "s3:GetObject", "s3:GetObjectVersion")],
  GetObjectTaggingCommand: [
    rights("objects", "service", "s3:GetObjectTagging", "s3:GetObjectVersionTagging"),
  ],
  PutObjectCommand: [rights("objects", "service", "s3:PutObject")],
  // A copy takes the tags of its source with it.
  CopyObjectCommand: [
    rights("objects", "service", "s3:GetObject", "s3:GetObjectVersion", "s3:PutObject"),
    rights("objects", "service", "s3:GetObjectTagging", "s3:GetObjectVersionTagging", "s3:PutObjectTagging"),
  ],
  DeleteObjectCommand: [rights("objects", "service", "s3:DeleteObject", "s3:DeleteObjectVersion")],
  CreateMultipartUploadCommand: [rights("objects", "service", "s3:PutObject", "s3:PutObjectTagging")],
  UploadPartCommand: [rights("objects", "service", "s3:PutObject")],
  UploadPartCopyCommand: [
    rights("objects", "service", "s3:GetObject", "s3:GetObjectVersion", "s3:PutObject"),
  ],
  CompleteMultipartUploadCommand: [rights("objects", "service", "s3:PutObject")],
  AbortMultipartUploadCommand: [rights("objects", "service", "s3:AbortMultipartUpload")],
  ListPartsCommand: [rights("objects", "service", "s3:ListMultipartUploadParts")],
  // `npm run cleanup` counts what unfinished uploads take.
  ListMultipartUploadsCommand: [rights("bucket", "commands", "s3:ListBucketMultipartUploads")],
  GetBucketCorsCommand: [rights("bucket", "commands", "s3:GetBucketCORS")],
  PutBucketCorsCommand: [rights("bucket", "commands", "s3:PutBucketCORS")],
  GetBucketLifecycleConfigurationCommand: [rights("bucket", "commands", "s3:GetLifecycleConfiguration")],
  PutBucketLifecycleConfigurationCommand: [rights("bucket", "commands", "s3:PutLifecycleConfiguration")],
  GetBucketNotificationConfigurationCommand: [rights("bucket", "commands", "s3:GetBucketNotification")],
  PutBucketNotificationConfigurationCommand: [rights("bucket", "commands", "s3:PutBucketNotification")],
  PutBucketVersioningCommand: [rights("bucket", "commands", "s3:PutBucketVersioning")],
  GetPublicAccessBlockCommand: [rights("bucket", "doctor", "s3:GetBucketPublicAccessBlock")],
  GetBucketPolicyStatusCommand: [rights("bucket", "doctor", "s3:GetBucketPolicyStatus")],
  // The doctor only asks whether the credentials are valid: a refusal says so, too.
  ListBucketsCommand: [],
  // Every identity may ask who it is.
  GetCallerIdentityCommand: [],
  SendEmailCommand: [
    rights("identity", "service", "ses:SendEmail"),
    rights("configurationSet", "service", "ses:SendEmail"),
  ],
  GetAccountCommand: [rights("any", "doctor", "ses:GetAccount")],
  GetEmailIdentityCommand: [rights("identity", "doctor", "ses:GetEmailIdentity")],
  GetConfigurationSetCommand: [rights("configurationSet", "doctor", "ses:GetConfigurationSet")],
  ExecuteStatementCommand: [
    rights("cluster", "service", "rds-data:ExecuteStatement"),
    // The Data API reads the secret with the caller's rights.
    rights("secret", "service", "secretsmanager:GetSecretValue"),
  ],
  GetMetricDataCommand: [rights("any", "commands", "cloudwatch:GetMetricData")],
};

interface Statement {
  Sid?: string;
  Effect: "Allow";
  Action: string[];
  Resource: string | string[];
}

export interface PolicyDocument {
  Version: "2012-10-17";
  Statement: Statement[];
}

/** The ARNs of each kind; statements about a kind without one are left out. */
type PolicyResources = Record<Exclude<Resource, "any">, readonly string[]>;

const sids: Record<Use, string> = { service: "Service", commands: "Commands", doctor: "Doctor" };
const services: Record<Resource, string> = {
  bucket: "Buckets",
  objects: "Objects",
  identity: "Identities",
  configurationSet: "ConfigurationSet",
  cluster: "Clusters",
  secret: "Secrets",
  any: "Account",
};

const allRights = () => Object.values(rightsOfCommands).flat();

const sorted = (values: Iterable<string>) => [...new Set(values)].sort();

/** The policy for these resources. What `Commands…` and `Doctor…` grant is only for the operator's commands. */
export function leastPolicy(resources: PolicyResources): PolicyDocument {
  const granted = new Set<string>();
  const statements = (Object.keys(sids) as Use[]).flatMap((use) =>
    (Object.keys(services) as Resource[]).flatMap((on): Statement[] => {
      const arns = on === "any" ? ["*"] : sorted(resources[on]);
      const ofBoth = allRights().filter((one) => one.use === use && one.on === on);
      const actions = sorted(ofBoth.flatMap(({ actions }) => actions)).filter(
        (action) => !granted.has(`${on} ${action}`),
      );
      for (const action of actions) granted.add(`${on} ${action}`);
      if (arns.length === 0 || actions.length === 0) return [];
      return [{ Sid: `${sids[use]}${services[on]}`, Effect: "Allow", Action: actions, Resource: arns }];
    }),
  );
  return { Version: "2012-10-17", Statement: statements };
}

/**
 * The session policy of an assumed role, as JSON: the session may do what both the role and this policy allow. STS accepts 2,048 characters,
 * so it names actions and leaves resources to the role.
 */
export function sessionPolicy(): string {
  const Action = sorted(allRights().flatMap(({ actions }) => actions));
  const policy: PolicyDocument = {
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Action, Resource: "*" }],
  };
  return JSON.stringify(policy);
}

/** The error codes of this store, and the HTTP status of each. Amazon S3 API Reference, "Error responses". */
const STATUS = {
  AccessDenied: 403,
  AccessForbidden: 403,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  BadDigest: 400,
  BadRequest: 400,
  BucketAlreadyOwnedByYou: 409,
  BucketNotEmpty: 409,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  ExpiredToken: 400,
  IllegalLocationConstraintException: 400,
  IncompleteBody: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidBucketName: 400,
  InvalidDigest: 400,
  InvalidToken: 400,
  InvalidPart: 400,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidStorageClass: 400,
  InvalidTag: 400,
  InvalidURI: 400,
  KeyTooLongError: 400,
  MalformedXML: 400,
  MetadataTooLarge: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchCORSConfiguration: 404,
  NoSuchKey: 404,
  NoSuchLifecycleConfiguration: 404,
  NoSuchUpload: 404,
  NoSuchVersion: 404,
  NotImplemented: 501,
  NotModified: 304,
  PreconditionFailed: 412,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  XAmzContentSHA256Mismatch: 400,
} as const;

/** An error response. `details` become elements of the XML document, `headers` are sent with it. */
export class S3Error extends Error {
  readonly status: number;

  constructor(
    readonly code: keyof typeof STATUS,
    message: string,
    readonly details: Record<string, string> = {},
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
    this.status = STATUS[code];
  }
}

export function noSuchKey(key: string, headers?: Record<string, string>): S3Error {
  return new S3Error("NoSuchKey", "The specified key does not exist.", { Key: key }, headers);
}

export function invalidArgument(name: string, value: string, message: string): S3Error {
  return new S3Error("InvalidArgument", message, { ArgumentName: name, ArgumentValue: value });
}

export function malformedXml(): S3Error {
  return new S3Error(
    "MalformedXML",
    "The XML you provided was not well-formed or did not validate against our published schema",
  );
}

/** The errors of the RDS Data API, with the status of each. RDS Data API reference, "Errors". */
const statuses = {
  AccessDeniedException: 403,
  BadRequestException: 400,
  DatabaseErrorException: 400,
  DatabaseNotFoundException: 404,
  DatabaseResumingException: 400,
  DatabaseUnavailableException: 504,
  ForbiddenException: 403,
  HttpEndpointNotEnabledException: 400,
  IncompleteSignatureException: 400,
  InternalServerErrorException: 500,
  InvalidSecretException: 400,
  InvalidSignatureException: 403,
  MissingAuthenticationTokenException: 403,
  NotFoundException: 404,
  SecretsErrorException: 400,
  ServiceUnavailableError: 503,
  StatementTimeoutException: 400,
  ThrottlingException: 429,
  TransactionNotFoundException: 404,
  UnrecognizedClientException: 403,
  UnsupportedResultException: 400,
} as const;

export type DataApiErrorType = keyof typeof statuses;

export class DataApiError extends Error {
  readonly status: number;

  constructor(
    readonly type: DataApiErrorType,
    message: string,
    /** further members of the body */
    readonly members: Record<string, unknown> = {},
  ) {
    super(message);
    this.status = statuses[type];
  }
}

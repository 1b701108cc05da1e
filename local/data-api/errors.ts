/** Errors of the RDS Data API that this one returns or that tests inject, with their status. RDS Data API reference, "Errors". */
const statuses = {
  AccessDeniedException: 403,
  BadRequestException: 400,
  DatabaseErrorException: 400,
  DatabaseNotFoundException: 404,
  DatabaseResumingException: 400,
  DatabaseUnavailableException: 504,
  ExpiredTokenException: 403,
  IncompleteSignatureException: 400,
  InternalServerErrorException: 500,
  InvalidSignatureException: 403,
  MissingAuthenticationTokenException: 403,
  NotFoundException: 404,
  SecretsErrorException: 400,
  ServiceUnavailableError: 503,
  StatementTimeoutException: 400,
  UnrecognizedClientException: 403,
  UnsupportedResultException: 400,
} as const;

export type DataApiErrorType = keyof typeof statuses;

export class DataApiError extends Error {
  readonly status: number;

  constructor(
    readonly type: DataApiErrorType,
    message: string,
  ) {
    super(message);
    this.status = statuses[type];
  }
}

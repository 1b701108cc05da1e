/**
 * An embed token is a member of the body, so it can be checked only once the body has been read. A larger body must therefore have the token
 * in its header `Authorization: Bearer …` as well. Bytes; enough for a thousand keys of 250 bytes. docs/contract.md#requests
 */
export const MAX_BYTES_WITHOUT_TOKEN_HEADER = 256 * 1024;

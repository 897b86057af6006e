/** For schemas: the whole text. */
export const UUID_PATTERN = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

const UUID = new RegExp(UUID_PATTERN)

/** In lower case, as we and PostgreSQL write them. PostgreSQL refuses a statement with any other text as an id. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

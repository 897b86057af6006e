/** What is wrong with a pattern, as the rest of a sentence that begins with its field. */
export class GlobError extends Error {
  override readonly name = 'GlobError'
}

/** What is wrong with a pattern, phrased to follow the name of its field. */
export class GlobError extends Error {
  override readonly name = 'GlobError'
}

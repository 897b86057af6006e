/** Shorter values are found everywhere by chance, and tell nothing. */
const MIN_LENGTH = 4

/** Replaces the values of secrets in a text, also single lines of those that have several. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  const values = secrets
    .flatMap((secret) => [secret, ...secret.split('\n')])
    .map((value) => value.trim())
    .filter((value) => value.length >= MIN_LENGTH)
    .sort((a, b) => b.length - a.length)
  return values.reduce((rest, value) => rest.replaceAll(value, '***'), text)
}

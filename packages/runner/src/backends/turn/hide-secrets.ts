import type { ProgramSetup } from '../backend.ts'

/** A shorter value is hardly a secret, and hiding it would garble the text. */
const SHORTEST_SECRET = 8

export type HideSecrets = (text: string) => string

/** For messages that people read: programs repeat parts of their environment in them. */
export function secretsHider({
  gateway,
  tools,
  variables,
}: Pick<ProgramSetup, 'gateway' | 'tools' | 'variables'>): HideSecrets {
  const secrets = [gateway.token, ...tools.map(({ token }) => token), ...Object.values(variables)]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    // A secret may contain another one.
    .sort((one, other) => other.length - one.length)
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '[hidden]'), text)
}

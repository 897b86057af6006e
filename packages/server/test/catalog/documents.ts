/** The least that a document of each kind needs. */
export const SMALLEST: Readonly<Record<string, Record<string, unknown>>> = {
  workspace: {},
  persona: {},
  environment: {},
  secret: { value: 'correct horse' },
  profile: {},
  team: {},
  pool: {},
  'vm-profile': {},
  token: { account: 'ci', role: 'viewer' },
  'share-link': { workspace: 'shop', agent: ['fix'], account: 'ada' },
  integration: { url: 'https://hooks.example.com/skein' },
  schedule: { every: '60s', profile: 'night', workspace: 'shop', spawn: { description: 'Tidy up.' } },
  trigger: { profile: 'night', workspace: 'shop', spawn: { description: 'Look.' } },
  quota: {},
  ceiling: {},
  backend: { models: ['m-*'], defaultModel: 'm-1' },
}

export function encode(document: unknown): string {
  return Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)).toString('base64')
}

/** A page token as a client could forge it. */
export function forgeToken(parts: unknown): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

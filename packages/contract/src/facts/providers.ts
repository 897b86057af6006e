/** The namespaces of organizations and owners. */
export const PROVIDERS = [
  'PROVIDER_UNSPECIFIED',
  'PROVIDER_CODEHOST_OAUTH',
  'PROVIDER_CODEHOST_APP',
  'PROVIDER_IDP_OIDC',
  'PROVIDER_SERVICE_PROFILE',
] as const
export type Provider = (typeof PROVIDERS)[number]

const SPECIFIED = PROVIDERS.filter((provider) => provider !== 'PROVIDER_UNSPECIFIED')

/** As in filters, addresses and commands: `service_profile`. */
export function providerName(provider: string): string {
  return provider.replace(/^PROVIDER_/, '').toLowerCase()
}

export const PROVIDER_NAMES: readonly string[] = SPECIFIED.map(providerName)

/** Undefined for an unknown name. */
export function providerNamed(name: string): Provider | undefined {
  return SPECIFIED.find((provider) => providerName(provider) === name.toLowerCase())
}

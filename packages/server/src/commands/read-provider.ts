import { ConfigError, type Provider } from '@skein/contract'
import { PROVIDER_NAMES, providerNamed } from '@skein/contract/facts'

export function readProvider(option: string, name: string): Provider {
  const provider = providerNamed(name)
  if (provider) return provider
  throw new ConfigError(`${option} must be one of ${PROVIDER_NAMES.join(', ')}.`)
}

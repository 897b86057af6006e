import type { IntegrationEntry } from '@skein/client'

/** Where it sends to. The URL of a chat may be known only to a secret. */
export function describePlace({ url, to }: Pick<IntegrationEntry, 'url' | 'to'>): string {
  if (to.length > 0) return to.join(', ')
  return url === '' ? '(URL from a secret)' : url
}

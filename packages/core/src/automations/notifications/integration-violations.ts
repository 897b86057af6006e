import type { Documents, FieldViolation } from '@skein/contract'
import { isForPeople } from '@skein/contract/facts'
import { isReservedHeader } from '../webhooks/reserved-headers.ts'

type Integration = Documents['integration']

/** What an integration's schema cannot express: which fields go together. */
export function* integrationViolations(integration: Integration): Generator<FieldViolation> {
  const { type, url, urlSecret, to, notify, children, events, headers } = integration
  if (type === 'email') yield* mailViolations(integration)
  else {
    if (to.length > 0) yield { field: 'to', description: 'only for the type email' }
    if (url === '' && urlSecret === '') yield { field: 'url', description: 'required' }
    if (url !== '' && urlSecret !== '') yield { field: 'urlSecret', description: 'not together with url' }
    if (url !== '') yield* urlViolations(url)
  }
  if (isForPeople(type)) {
    if (events.length !== 1 || events[0] !== '*')
      yield { field: 'events', description: 'only for the type webhook: choose topics with notify' }
  } else {
    if (notify.length > 0) yield { field: 'notify', description: 'not for the type webhook: choose events' }
    if (children) yield { field: 'children', description: 'not for the type webhook' }
  }
  for (const name of Object.keys(headers)) {
    if (isReservedHeader(name)) yield { field: `headers.${name}`, description: 'is set by the service' }
  }
}

function* mailViolations({ url, urlSecret, to, headers }: Integration): Generator<FieldViolation> {
  if (to.length === 0) yield { field: 'to', description: 'required for the type email' }
  if (url !== '') yield { field: 'url', description: 'not for the type email' }
  if (urlSecret !== '') yield { field: 'urlSecret', description: 'not for the type email' }
  if (Object.keys(headers).length > 0) yield { field: 'headers', description: 'not for the type email' }
  const known = new Set(to.map((address) => address.toLowerCase()))
  if (known.size < to.length) yield { field: 'to', description: 'contains an address twice' }
}

/** What the schema's pattern cannot tell. */
export function* urlViolations(url: string, field = 'url'): Generator<FieldViolation> {
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol)) yield { field, description: 'is not a URL' }
  else if (parsed.username !== '' || parsed.password !== '') {
    yield { field, description: 'must not contain a password: send it in a header, from a secret' }
  } else if (parsed.hash !== '') yield { field, description: 'must not contain a fragment' }
}

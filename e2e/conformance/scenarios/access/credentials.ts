import { base64, type Api } from '../../api.ts'
import type { Book } from '../../book.ts'

export async function credentials(book: Book, api: Api): Promise<void> {
  const [prefixAndId = '', secret = ''] = api.service.apiKey.split('.')
  book.row(
    'a key is a prefix, an id and a secret: skn_<id>.<secret>',
    /^[a-z]+_[A-Za-z0-9]+\.[A-Za-z0-9_-]+$/.test(api.service.apiKey),
  )
  const attempt = (authorization: string) =>
    api.call('GET', '/v1/whoami', undefined, { key: null, headers: { authorization } })
  const missing = await api.whoami({ key: null })
  book.unauthenticated('a missing credential is UNAUTHENTICATED', missing)
  book.row(
    '… and the answer says how to authenticate (WWW-Authenticate: Bearer)',
    missing.headers.get('www-authenticate')?.startsWith('Bearer'),
  )
  book.unauthenticated('another scheme is UNAUTHENTICATED', await attempt(`Basic ${base64('a:b')}`))
  book.unauthenticated('Bearer without a key is UNAUTHENTICATED', await attempt('Bearer'))
  book.unauthenticated('the bare key without Bearer is UNAUTHENTICATED', await attempt(api.service.apiKey))
  book.unauthenticated('a malformed key is UNAUTHENTICATED', await attempt('Bearer nonsense'))
  book.unauthenticated(
    'a known key id with a wrong secret is UNAUTHENTICATED',
    await attempt(`Bearer ${prefixAndId}.${'A'.repeat(secret.length)}`),
  )
  book.unauthenticated(
    'an unknown key id is UNAUTHENTICATED',
    await attempt(`Bearer skn_c1zzzzzzzzzzzzzzzzzzzzzzzzzz.${secret}`),
  )
  book.unauthenticated(
    'a truncated key is UNAUTHENTICATED',
    await attempt(`Bearer ${api.service.apiKey.slice(0, -1)}`),
  )
  book.unauthenticated(
    'a key with something behind it is UNAUTHENTICATED',
    await attempt(`Bearer ${api.service.apiKey}x`),
  )
  book.unauthenticated(
    'without a credential nothing is said about the body',
    await api.call('POST', '/v1/agents', undefined, { key: null, raw: '{' }),
  )
  const [unknown, wrong] = [
    await attempt(`Bearer skn_c1zzzzzzzzzzzzzzzzzzzzzzzzzz.${secret}`),
    await attempt(`Bearer ${prefixAndId}.${'A'.repeat(secret.length)}`),
  ]
  book.equal('an unknown key id and a wrong secret are answered the same way', unknown.json, wrong.json)
}

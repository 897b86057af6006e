import type { Random } from '@skein/testkit'

// prettier-ignore
const CONTENT_TYPES = [
  'text/plain', 'application/xml', 'application/json; charset=utf-16', 'application/json;', 'APPLICATION/JSON', '',
  'application/jsonp', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/json, text/html',
  'application/json; ' + 'a=b; '.repeat(500), '*/*', 'json', 'application/ld+json', ';', '/', '\u0001',
]

const IDEMPOTENCY_KEYS = ['k1', 'k2', 'k3', '', ' ', 'é', 'x'.repeat(255), 'x'.repeat(256), '\u0001', 'a, b']

const REQUEST_IDS = [
  'r-1',
  '',
  ' ',
  'x'.repeat(128),
  'x'.repeat(129),
  '<script>',
  '"}{',
  'é',
  '\u0000',
  'a b',
]

// prettier-ignore
const AUTHORIZATIONS = [
  '', 'Bearer', 'Bearer ', 'Bearer  x', 'Basic YTpi', 'bearer skn_', 'Bearer ' + 'x'.repeat(9_000), 'Bearer skn_a.b, Bearer x',
  `Bearer skn_c1${'0'.repeat(26)}.${'A'.repeat(49)}`, `Bearer skl_c1${'0'.repeat(26)}.${'A'.repeat(49)}`, 'Bearer __proto__',
]

const OTHERS: readonly (readonly [string, readonly string[]])[] = [
  ['content-length', ['0', '1', '99999999999', '-1', 'x', '1, 2']],
  ['transfer-encoding', ['chunked', 'gzip', 'identity', 'chunked, chunked']],
  ['content-encoding', ['gzip', 'br', 'bogus']],
  ['expect', ['100-continue', 'bogus']],
  [
    'traceparent',
    [
      '00-0-0-0',
      `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`,
      'x',
    ],
  ],
  ['tracestate', ['a=b', ',,,', 'x'.repeat(2_000)]],
  ['baggage', ['a=b', '__proto__=1']],
  ['x-forwarded-for', ['1.2.3.4', '::1', 'x', ','.repeat(300)]],
  ['host', ['', 'evil.example', 'a:b:c', '[::1']],
  ['accept', ['text/html', 'x', '']],
  ['prefer', ['wait=1', 'wait=-1', 'wait=x']],
  ['last-event-id', ['1', 'x', '99999999999999999999']],
  ['x-http-method-override', ['DELETE']],
  ['connection', ['close', 'upgrade', 'keep-alive']],
  ['upgrade', ['websocket', 'h2c']],
  ['cookie', ['a=b; '.repeat(400), '__proto__=1']],
  ['origin', ['null', 'https://evil.example']],
  ['x-padding', ['y'.repeat(20_000)]],
  ['__proto__', ['x']],
]

export function hostileHeaders(random: Random): Record<string, string> {
  const [name, values] = random.weighted<readonly [string, readonly string[]]>([
    [6, ['content-type', CONTENT_TYPES]],
    [8, ['idempotency-key', IDEMPOTENCY_KEYS]],
    [2, ['x-request-id', REQUEST_IDS]],
    [2, ['authorization', AUTHORIZATIONS]],
    [8, random.pick(OTHERS)],
  ])
  return Object.fromEntries([[name, random.pick(values)]])
}

import type { ProgramSetup } from '../backend.ts'

/** What a program reads the authorities from that it trusts. */
export const AUTHORITIES_VARIABLE = 'SSL_CERT_FILE'
const OWN_VARIABLE = 'CODEX_CA_CERTIFICATE'

/** An authority that nobody has the key of. Codex does not accept an empty list. */
export const NO_AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBejCCAR+gAwIBAgIUaUxAy0JSEauYF9KT2DZwIOTmvGgwCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGbm9ib2R5MCAXDTI2MTExODIxMjMwNVoYDzIxMjYxMDI1MjEy
MzA1WjARMQ8wDQYDVQQDDAZub2JvZHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AATzfmLKCj1IAZGGMEm3tgp2mIyEuGTf1vT5f0S3cmacv85uGpz6WdZ3fVbIJq2J
Y0oEHaWJDwqKjsG0t6Y/ZtgLo1MwUTAdBgNVHQ4EFgQU0xAmUrS2xJLTbekYitPo
RqU499gwHwYDVR0jBBgwFoAU0xAmUrS2xJLTbekYitPoRqU499gwDwYDVR0TAQH/
BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAt8BkV8PtczxPvbiHJK/fnk497KaX
mUHDSL4KWpnshTsCIQD85ppzOe961A93slli4vDBgXfEaAZtZYUbBtYOGY0gyg==
-----END CERTIFICATE-----
`

/**
 * Codex reads the system's authorities for each HTTP client that it makes, 20 to 30 ms each time, although all it ever
 * connects to is the front, without TLS. So it is told to trust nobody, unless the agent's environment says whom.
 */
export function trustsNobody({ variables }: Pick<ProgramSetup, 'variables'>): boolean {
  return variables[AUTHORITIES_VARIABLE] === undefined && variables[OWN_VARIABLE] === undefined
}

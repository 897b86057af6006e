import { SkeinApiError, type Transport } from '@skein/client'
import { describe, expect, test } from 'vitest'
import { RepoCredentials } from '../../src/git/repo-credentials.ts'

const HOUR_MS = 3_600_000
const repo = { access: 'sealed', url: 'https://github.com/acme/shop.git' }

/** A service whose credentials are numbered. */
function open(answer: (count: number) => { credential: string; expireTime: string }) {
  const clock = { now: Date.parse('2026-11-15T09:30:00Z') }
  let asked = 0
  const transport = {
    call: async () => answer((asked += 1)),
  } as unknown as Transport
  const credentials = new RepoCredentials(transport, () => clock.now)
  return { credentials, clock, asked: () => asked }
}

function refused(isRetryable: boolean): SkeinApiError {
  return new SkeinApiError('The code host refused.', {
    requestId: 'r',
    status: 400,
    code: 'FAILED_PRECONDITION',
    reason: 'CODE_HOST_REFUSED',
    details: [],
    retryDelayMs: undefined,
    isRetryable,
  })
}

describe('credentials of a code host', () => {
  test('are asked for once, also by concurrent callers, and again before they expire', async () => {
    const { credentials, clock, asked } = open((count) => ({
      credential: `token-${count}`,
      expireTime: new Date(clock.now + HOUR_MS).toISOString(),
    }))
    expect(await Promise.all([credentials.mint(repo), credentials.mint(repo)])).toEqual([
      'token-1',
      'token-1',
    ])
    clock.now += HOUR_MS - 13 * 60_000
    expect(await credentials.mint(repo)).toBe('token-1')
    // A large push takes ten minutes: what is left must be enough for it.
    clock.now += 2 * 60_000
    expect(await credentials.mint(repo)).toBe('token-2')
    expect(asked()).toBe(2)
  })

  test('of another run are not shared', async () => {
    const { credentials, asked } = open((count) => ({ credential: `token-${count}`, expireTime: '' }))
    await credentials.mint(repo)
    expect(await credentials.mint({ ...repo, access: 'of another run' })).toBe('token-2')
    expect(asked()).toBe(2)
  })

  test('that do not expire are asked for again after a while, because somebody may replace them', async () => {
    const { credentials, clock } = open((count) => ({ credential: `token-${count}`, expireTime: '' }))
    expect(await credentials.mint(repo)).toBe('token-1')
    clock.now += 6 * 60_000
    expect(await credentials.mint(repo)).toBe('token-2')
  })

  test('that are refused fail like a wrong password, and the next caller asks again', async () => {
    const { credentials } = open((count) => {
      if (count < 3) throw refused(count === 2)
      return { credential: 'token', expireTime: '' }
    })
    await expect(credentials.mint(repo)).rejects.toMatchObject({ kind: 'auth' })
    await expect(credentials.mint(repo)).rejects.toMatchObject({
      kind: 'unreachable',
      message: `There is no credential for the repository ${repo.url}: The code host refused.`,
    })
    expect(await credentials.mint(repo)).toBe('token')
  })
})

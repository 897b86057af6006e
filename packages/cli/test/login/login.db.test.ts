import { createHash } from 'node:crypto'
import { readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CliWorld } from '../cli-world.ts'
import { newTerminal, startLoginWorld, type Person } from './log-in.ts'

let world: CliWorld
let person: Person
let path: string
let env: Record<string, string>

beforeAll(async () => {
  ;({ world, person } = await startLoginWorld())
})

afterAll(() => world.close())

beforeEach(() => {
  ;({ path, env } = newTerminal(world))
})

function logIn(option = '--browser', decide = person.confirmInBrowser()) {
  return person.logIn(env, option, decide)
}

interface Stored {
  readonly apiKey: string
  readonly session: { readonly renewalKey: string; readonly keyExpiresAt: number; readonly expiresAt: number }
}

async function readStored(): Promise<Stored> {
  const { profiles } = JSON.parse(await readFile(path, 'utf8')) as { profiles: { default: Stored } }
  return profiles.default
}

/** As if the hour were over. */
async function expireKey(): Promise<void> {
  const stored = await readStored()
  const session = { ...stored.session, keyExpiresAt: Date.now() - 1 }
  await writeFile(path, JSON.stringify({ current: 'default', profiles: { default: { ...stored, session } } }))
}

describe('skein login', () => {
  test('signs in through the browser, stores keys for the owner only, and logout ends them at the server', async () => {
    const { said, printed, exitCode } = await logIn()
    expect([exitCode, printed]).toEqual([0, expect.stringContaining('You are ada (admin)')])
    const stored = await readStored()
    expect(said + printed).not.toContain(stored.apiKey)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await world.json(['whoami'], { env }))['account']).toBe('ada')
    expect((await world.skein(['sessions', 'ls'], { env })).stdout).toMatch(/command-line +admin/)
    expect((await world.skein(['doctor'], { env })).stdout).toContain('✔ server')

    expect((await world.skein(['logout'], { env })).stdout).toContain('Signed out')
    expect((await world.tenant.client(stored.apiKey).get('/v1/whoami')).status).toBe(401)
    const { renewalKey } = stored.session
    expect((await world.server.anonymous.post('/v1/session/renew', { renewalKey })).status).toBe(401)
    expect((await world.skein(['whoami'], { env })).stderr).toContain('skein login')
  })

  test('refused in the browser, it ends and stores nothing', async () => {
    const { said, exitCode } = await logIn('--browser', person.confirmInBrowser(false))
    expect(exitCode).toBe(5)
    expect(said).toContain('did not allow')
    await expect(stat(path)).rejects.toThrow('ENOENT')
  })

  test('--device shows a code to type in a browser anywhere', async () => {
    const { exitCode } = await logIn('--device', async (said) => {
      await person.asPage('/v1/login/decide', { userCode: /code: (\S{9})/.exec(said)?.[1], isAllowed: true })
    })
    expect(exitCode).toBe(0)
    expect((await world.json(['whoami'], { env }))['account']).toBe('ada')
  })

  test.each(['--browser', '--device'])('%s leads to no page of another server', async (option) => {
    const elsewhere = world.baseUrl.replace('127.0.0.1', 'localhost')
    const { stderr, exitCode } = await world.skein(['login', '--url', elsewhere, option], { env })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`is at ${world.baseUrl}, but you sign in to ${elsewhere}`)
    expect(stderr).toContain(`--url ${world.baseUrl}`)
    expect(stderr).not.toContain('/login')
  })

  test('options that exclude each other are a usage error', async () => {
    const { exitCode } = await world.skein(['login', '--url', world.baseUrl, '--device', '--with-key'], {
      env,
    })
    expect(exitCode).toBe(2)
  })
})

describe('the stored key', () => {
  test('is renewed by the first of several processes, and the others use what it stored', async () => {
    await logIn()
    const first = await readStored()
    await expireKey()
    const runs = await Promise.all([1, 2, 3, 4].map(() => world.skein(['whoami'], { env })))
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0])
    const second = await readStored()
    expect(digest(second.session.renewalKey)).not.toBe(digest(first.session.renewalKey))
    expect(second.session.keyExpiresAt).toBeGreaterThan(Date.now() + 3_000_000)
    expect(second.session.expiresAt).toBe(first.session.expiresAt)
    // And it goes on.
    await expireKey()
    expect((await world.skein(['whoami'], { env })).exitCode).toBe(0)
  })

  test('is renewed although a killed process left its lock', async () => {
    await logIn()
    await expireKey()
    await writeFile(`${path}.lock`, '')
    await utimes(`${path}.lock`, new Date(0), new Date(0))
    expect((await world.skein(['whoami'], { env })).exitCode).toBe(0)
  })

  test('cannot be renewed once the session was ended elsewhere: the person is told to sign in', async () => {
    await logIn()
    await expireKey()
    const { renewalKey } = (await readStored()).session
    const renewed = await world.server.anonymous.post('/v1/session/renew', { renewalKey })
    await world.tenant.client(String(renewed.body['apiKey'])).delete('/v1/session')
    const { stderr, exitCode } = await world.skein(['whoami'], { env })
    expect([stderr, exitCode]).toEqual([expect.stringContaining('skein login'), 5])
    expect((await world.skein(['logout'], { env })).exitCode).toBe(0)
  })

  test('is not used together with another key or for another server', async () => {
    await logIn()
    await expireKey()
    const own = await world.json(['whoami'], { env: { ...env, SKEIN_API_KEY: world.apiKey } })
    expect(own['account']).toBe('ada')
    expect((await readStored()).session.keyExpiresAt).toBeLessThan(Date.now())
    const elsewhere = await world.skein(['whoami'], { env: { ...env, SKEIN_URL: 'http://127.0.0.1:1' } })
    expect(elsewhere.stderr).toContain('No API key is stored')
  })
})

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

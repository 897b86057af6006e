import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { bareEnvironment } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { askKeyring } from '../../src/keyring/keyring.ts'
import { readProfileFile } from '../../src/profile/profile-file.ts'
import { replaceKeys } from '../../src/profile/stored-keys.ts'
import type { CliWorld } from '../cli-world.ts'
import { newTerminal, startLoginWorld, type Person } from './log-in.ts'
import { RealKeyring } from './real-keyring.ts'

// CI installs GNOME's keyring (`.ci/run packages`). Where it is missing, only what needs no keyring is tested.
const hasPrograms = ['dbus-daemon', 'gnome-keyring-daemon'].every((program) => {
  try {
    return execFileSync('sh', ['-c', `command -v ${program}`]).length > 0
  } catch {
    return false
  }
})

interface Keys {
  readonly url: string
  readonly apiKey: string
  readonly session: { readonly renewalKey: string; readonly keyExpiresAt: number; readonly expiresAt: number }
}

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

const logIn = () => person.logIn(env, '--browser', person.confirmInBrowser())
const stored = () => readFile(path, 'utf8')
const account = () => `profile default in ${path}`

describe.skipIf(!hasPrograms)('with a keyring', () => {
  let keyring: RealKeyring

  beforeAll(async () => {
    keyring = await RealKeyring.start()
  })
  afterAll(() => keyring.close())
  beforeEach(() => {
    env = { ...env, ...keyring.env }
  })

  const inKeyring = () => ({ ...bareEnvironment(), ...keyring.env })
  async function readKeys(): Promise<Keys | undefined> {
    const answer = await askKeyring(inKeyring(), { account: account() })
    return answer.kind === 'found' ? (JSON.parse(answer.secret) as Keys) : undefined
  }
  async function writeKeys(keys: Keys): Promise<void> {
    const change = JSON.stringify(keys)
    expect(await askKeyring(inKeyring(), { account: account(), change })).toEqual({ kind: 'done' })
  }
  /** As if the hour were over. */
  async function expireKey(): Promise<Keys> {
    const keys = await readKeys()
    if (keys === undefined) throw new Error('Nothing is stored')
    await writeKeys({ ...keys, session: { ...keys.session, keyExpiresAt: Date.now() - 1 } })
    return keys
  }

  test('the file has no key, commands say where it is, and logout removes it', async () => {
    const { said, printed, exitCode } = await logIn()
    expect([exitCode, said]).toEqual([0, expect.stringContaining('with its key in the system keyring')])
    const keys = await readKeys()
    expect(keys).toMatchObject({ url: world.baseUrl, session: {} })
    // Windows keeps no more than this.
    expect(Buffer.byteLength(JSON.stringify(keys))).toBeLessThan(2_560)
    for (const text of [await stored(), said, printed])
      for (const key of [keys?.apiKey, keys?.session.renewalKey]) expect(text).not.toContain(key)
    expect(await world.json(['whoami'], { env })).toMatchObject({
      account: 'ada',
      keySource: 'the system keyring',
    })
    const inEnvironment = { ...env, SKEIN_URL: world.baseUrl }
    expect((await world.json(['whoami'], { env: inEnvironment }))['account']).toBe('ada')
    expect((await world.skein(['doctor'], { env })).stdout).toContain('key from the system keyring')
    expect((await world.skein(['logout'], { env })).stdout).toContain('Signed out')
    expect(await readKeys()).toBeUndefined()
    expect((await world.tenant.client(keys?.apiKey ?? '').get('/v1/whoami')).status).toBe(401)
  })

  test('the first of several processes renews the key, and the others use what it stored', async () => {
    await logIn()
    const first = await expireKey()
    const runs = await Promise.all([1, 2, 3, 4].map(() => world.skein(['whoami'], { env })))
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0])
    const second = await readKeys()
    expect(second?.session.renewalKey).not.toBe(first.session.renewalKey)
    expect(second?.session.expiresAt).toBe(first.session.expiresAt)
    expect(await stored()).not.toContain('renewalKey')
    await expireKey()
    expect((await world.skein(['whoami'], { env })).exitCode).toBe(0)
  })

  test('a key of another server or of no use is not sent anywhere, and one can sign in and out again', async () => {
    await logIn()
    const keys = await readKeys()
    if (keys === undefined) throw new Error('Nothing is stored')
    // As after a login to another server that was killed before it wrote the file.
    for (const content of [JSON.stringify({ ...keys, url: 'http://127.0.0.1:1' }), 'not ours', null]) {
      await askKeyring(inKeyring(), { account: account(), change: content })
      const { stderr, exitCode } = await world.skein(['whoami'], { env })
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('You have been signed out')])
    }
    expect((await world.skein(['logout'], { env })).exitCode).toBe(0)
    expect((await logIn()).exitCode).toBe(0)
    expect((await world.skein(['whoami'], { env })).exitCode).toBe(0)
  })

  test('profiles and files with the same names do not mix, and a new login replaces what was there', async () => {
    await logIn()
    const first = await readKeys()
    const other = { ...env, SKEIN_CONFIG: `${path}.other` }
    await person.logIn(other, '--browser', person.confirmInBrowser())
    expect(await readKeys()).toEqual(first)
    await logIn()
    expect((await readKeys())?.session.renewalKey).not.toBe(first?.session.renewalKey)
    expect(
      (await world.skein(['login', '--url', world.baseUrl, '--key', world.apiKey], { env })).exitCode,
    ).toBe(0)
    expect(await readKeys()).toBeUndefined()
    expect(await stored()).toContain(world.apiKey)
  })

  test('a login of the file goes to the keyring with the next login', async () => {
    env = { ...env, SKEIN_KEYRING: 'off' }
    await logIn()
    expect(await stored()).toContain('renewalKey')
    env = { ...env, SKEIN_KEYRING: 'on' }
    expect((await world.skein(['whoami'], { env })).exitCode).toBe(0)
    await logIn()
    expect(await stored()).not.toContain('renewalKey')
    const { stderr } = await world.skein(['whoami'], { env: { ...env, SKEIN_KEYRING: 'off' } })
    expect(stderr).toContain('SKEIN_KEYRING is off')
    env = { ...env, SKEIN_KEYRING: 'off' }
    await logIn()
    expect(await stored()).toContain('renewalKey')
    expect(await readKeys()).toBeUndefined()
  })

  test('locked, it keeps nobody waiting: commands say so, and a login goes to the file', async () => {
    await logIn()
    await keyring.lock()
    try {
      for (const command of ['whoami', 'doctor']) {
        const { stdout, stderr, exitCode } = await world.skein([command], { env })
        expect(exitCode).not.toBe(0)
        expect(stdout + stderr).toContain('SKEIN_KEYRING=off skein login')
      }
      const { said, exitCode } = await logIn()
      expect([exitCode, said]).toEqual([0, expect.stringContaining('The system keyring cannot be used')])
      const after = await world.skein(['whoami'], { env })
      expect([after.exitCode, after.stderr]).toEqual([0, ''])
    } finally {
      await keyring.unlock()
    }
    expect(await readKeys()).toBeDefined()
    expect((await world.skein(['whoami'], { env })).exitCode).toBe(0)
    // The key of the first login does not stay there.
    expect((await world.skein(['logout'], { env })).exitCode).toBe(0)
    expect(await readKeys()).toBeUndefined()
  })

  test('locked, it does not keep the profile: logout removes that, and says what is left', async () => {
    await logIn()
    await keyring.lock()
    try {
      const { stdout, stderr, exitCode } = await world.skein(['logout'], { env })
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('It is still valid')])
      expect(stderr).toContain('still in the system keyring')
      expect(stderr).toContain('on the page Sessions')
      expect(await stored()).not.toContain(world.baseUrl)
    } finally {
      await keyring.unlock()
    }
  })

  test('locked and without a key of ours, it is unlocked before others have to wait', async () => {
    await askKeyring(inKeyring(), { account: account(), change: null })
    await keyring.lock()
    try {
      const { said, exitCode } = await logIn()
      expect([exitCode, said]).toEqual([0, expect.stringContaining('The system keyring cannot be used')])
      // What it could not store is not left behind either.
      expect(await stored()).not.toContain('leftInKeyring')
    } finally {
      await keyring.unlock()
    }
  })
})

describe('without a keyring', () => {
  let bus: Server
  let silent: Record<string, string>

  beforeAll(async () => {
    const address = join(world.folder, 'silent-bus')
    // It reads, so that it notices when the other side is gone.
    bus = createServer((socket) => socket.on('error', () => undefined).resume())
    await new Promise<void>((resolve) => bus.listen(address, resolve))
    silent = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${address}` }
  })
  afterAll(() => new Promise((resolve) => bus.close(resolve)))

  test('a bus that never answers is given up, and the key goes to the file', async () => {
    env = { ...env, ...silent }
    const startedAt = Date.now()
    const { said, exitCode } = await logIn()
    expect(exitCode).toBe(0)
    expect(said).toContain('The system keyring cannot be used: no answer within 10 seconds.')
    expect(said).toContain(`Stored as profile default in ${path}.`)
    expect(Date.now() - startedAt).toBeLessThan(30_000)
    const { stderr } = await world.skein(['whoami'], { env })
    expect(stderr).toBe('')
  })

  test('one that refuses a renewed key does not end the session: it goes to the file', async () => {
    await logIn()
    const before = await readProfileFile(env)
    const profile = before.profiles['default']
    if (profile?.session === undefined) throw new Error('No session is stored')
    const { apiKey: _key, session: _session, ...rest } = profile
    await writeFile(
      path,
      JSON.stringify({ ...before, profiles: { default: { ...rest, apiKey: '', keyring: true } } }),
    )
    const nowhere = { ...env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}.no-bus` }
    const file = await readProfileFile(env)
    expect(await replaceKeys(nowhere, file, 'default', { ...profile, keyring: true })).not.toBe('')
    expect((await readProfileFile(env)).profiles['default']).toEqual({ ...profile, leftInKeyring: true })
    expect((await world.skein(['whoami'], { env })).exitCode).toBe(0)
  })

  test('a session without a bus, as on a server, uses the file and says nothing of a keyring', async () => {
    const { said } = await logIn()
    expect(said).not.toContain('keyring')
    expect((await world.json(['whoami'], { env }))['keySource']).toBe(path)
  })

  test('SKEIN_KEYRING is on or off', async () => {
    const { stderr, exitCode } = await world.skein(['login', '--url', world.baseUrl, '--key', world.apiKey], {
      env: { ...env, SKEIN_KEYRING: 'yes' },
    })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Set it to on or off.')])
  })
})

import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeFolderProfile } from '../src/profile/folder-profile.ts'
import { readProfile } from '../src/profile/profile.ts'
import type { StoredProfile } from '../src/profile/profile-file.ts'
import { storeProfile } from '../src/profile/stored-keys.ts'

let folder: string
let env: Record<string, string>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skein-profile-'))
  env = { SKEIN_CONFIG: join(folder, 'config.json') }
})

afterEach(() => rm(folder, { recursive: true }))

const at = (url: string) => readProfile({ env: { ...env, SKEIN_URL: url }, cwd: folder })

function store(name: string, profile: StoredProfile) {
  return storeProfile({ env, canAsk: false, note: () => undefined }, name, profile)
}

const COMPANY = { url: 'https://skein.example.com', apiKey: 'skn_company' }

async function makeDev(name: string, port: number): Promise<string> {
  const clone = join(folder, name)
  await mkdir(join(clone, '.skein'), { recursive: true })
  await mkdir(join(clone, 'src', 'deep'), { recursive: true })
  const profile = {
    url: `http://127.0.0.1:${port}`,
    apiKey: `skn_${name}`,
    workspace: 'sample',
    model: 'simulator',
  } as const
  await writeFolderProfile(join(clone, '.skein'), profile)
  return clone
}

describe('which server a command talks to', () => {
  test('two skein dev never answer for each other, nor for the stored profile', async () => {
    await store('company', COMPANY)
    const [one, two] = [await makeDev('one', 8080), await makeDev('two', 8081)]
    expect(await readProfile({ env, cwd: join(one, 'src', 'deep') })).toMatchObject({
      url: 'http://127.0.0.1:8080',
      apiKey: 'skn_one',
      workspace: 'sample',
      source: join(one, '.skein'),
      notice: `Using the Skein of ${join(one, '.skein')} (http://127.0.0.1:8080).`,
    })
    expect(await readProfile({ env, cwd: two })).toMatchObject({ apiKey: 'skn_two' })
    expect(await readProfile({ env, cwd: folder })).toMatchObject(COMPANY)
  })

  test('the key of a script may come from a file, but not from two places', async () => {
    const path = join(folder, 'key')
    await writeFile(path, 'skn_from_file\n')
    const script = { ...env, SKEIN_URL: COMPANY.url, SKEIN_API_KEY_FILE: path }
    expect(await readProfile({ env: script, cwd: folder })).toMatchObject({ apiKey: 'skn_from_file' })
    const twice = { ...script, SKEIN_API_KEY: 'skn_other' }
    await expect(readProfile({ env: twice, cwd: folder })).rejects.toThrow(
      'SKEIN_API_KEY and SKEIN_API_KEY_FILE are both set',
    )
  })

  test('if there is only one, nothing is printed', async () => {
    const one = await makeDev('one', 8080)
    expect(await readProfile({ env, cwd: one })).not.toHaveProperty('notice')
    await store('company', COMPANY)
    expect(await readProfile({ env, cwd: folder })).not.toHaveProperty('notice')
    await store('lab', { ...COMPANY, url: 'https://lab.example.com' })
    const { notice } = await readProfile({ env, cwd: folder })
    expect(notice).toBe('Using the profile lab (https://lab.example.com).')
  })

  test('a skein dev that has ended is reported, and no other server is used instead', async () => {
    await store('company', COMPANY)
    const clone = await makeDev('one', 8080)
    const path = join(clone, '.skein', 'profile.json')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace(String(process.pid), '2147483646'))
    await expect(readProfile({ env, cwd: clone })).rejects.toThrow(
      `The Skein of ${clone}/.skein is not running`,
    )
  })

  test('a name, a folder and the environment win over the folder that one is in, in this order', async () => {
    await store('company', COMPANY)
    const [one, two] = [await makeDev('one', 8080), await makeDev('two', 8081)]
    const inEnv = { ...env, SKEIN_URL: 'https://other.example.com', SKEIN_API_KEY: 'skn_env' }
    expect(await readProfile({ env: inEnv, name: 'company', cwd: one })).toMatchObject(COMPANY)
    expect(await readProfile({ env: inEnv, name: join(two, '.skein'), cwd: one })).toMatchObject({
      apiKey: 'skn_two',
    })
    expect(await readProfile({ env: inEnv, cwd: one })).toMatchObject({
      url: 'https://other.example.com',
      apiKey: 'skn_env',
    })
    const named = { ...env, SKEIN_PROFILE: 'company' }
    expect(await readProfile({ env: named, cwd: one })).toMatchObject(COMPANY)
  })

  test('a profile that came with a repository is refused', async () => {
    const clone = await makeDev('hostile', 8080)
    const path = join(clone, '.skein', 'profile.json')
    await chmod(path, 0o644)
    await expect(readProfile({ env, cwd: clone })).rejects.toThrow('other users can read it')
    await chmod(path, 0o600)
    await writeFile(
      path,
      JSON.stringify({
        url: 'https://evil.example.com',
        apiKey: 'skn_x',
        pid: process.pid,
        model: 'simulator',
      }),
    )
    await expect(readProfile({ env, cwd: clone })).rejects.toThrow('points to another machine')
  })
})

describe('SKEIN_URL', () => {
  test('gets a stored key only if the key was stored for that address', async () => {
    await store('lab', { url: 'http://lab.example.com:8080/', apiKey: 'skn_lab', workspace: 'w' })
    await store('company', COMPANY)
    expect(await at('https://SKEIN.example.com/')).toMatchObject({ apiKey: 'skn_company' })
    expect(await at('http://lab.example.com:8080')).toMatchObject({ apiKey: 'skn_lab', workspace: 'w' })
    for (const url of [
      'http://skein.example.com',
      'https://skein.example.com:444',
      'https://evil.example.com',
    ]) {
      await expect(at(url)).rejects.toThrow(`No API key is stored for ${url}`)
    }
  })

  test.each(['foo', 'ftp://skein.example.com', '127.0.0.1:8080'])('%s is named as no URL', async (url) => {
    await store('company', COMPANY)
    await expect(readProfile({ env: { ...env, SKEIN_URL: url }, cwd: folder })).rejects.toThrow(
      `SKEIN_URL is "${url}", which is not a URL`,
    )
  })
})

/** What can be said about deploy/compose and its page without containers. */
import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { read, root } from './tree.ts'

const run = promisify(execFile)
const FOLDER = 'deploy/compose'

interface Service {
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

/** Twice the same key is an error. */
const parseCompose = (text: string): Compose => parse(text, { merge: true }) as Compose

describe('compose.yaml', () => {
  const compiling = compileSpecification()

  test('is as the Compose Specification says', async () => {
    const check = await compiling
    check(parseCompose(await read(`${FOLDER}/compose.yaml`)))
    expect(check.errors).toBeNull()
  })

  test.each([
    ['an unknown field', 'restart: on-failure', 'restarts: on-failure'],
    ['a list in place of a text', 'command: [migrate]', 'command: { run: migrate }'],
    ['a secret without its file', '{ file: ./secrets/master-key }', '{ path: ./secrets/master-key }'],
    ['a health check that is none', 'retries: 60', 'retry: 60'],
  ])('is refused with %s', async (_what, from, to) => {
    const check = await compiling
    const text = await read(`${FOLDER}/compose.yaml`)
    expect(text).toContain(from)
    expect(check(parseCompose(text.replace(from, to)))).toBe(false)
  })

  test('sets only what the programs know, and mounts each secret that it names', async () => {
    const { services, secrets } = parseCompose(await read(`${FOLDER}/compose.yaml`))
    // The image's own start has one setting more.
    const pages = (await read('docs/configuration.md')) + (await read('docs/deploy/images.md'))
    const known = new Set(pages.match(/(?<=`)[A-Z][A-Z_]+(?=[`=])/g))
    for (const { environment = {}, secrets: mounted = [] } of Object.values(services)) {
      expect(mounted.filter((secret) => !(secret in secrets))).toEqual([])
      const files = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'))
      expect(files.filter((file) => !mounted.includes(file.replace('/run/secrets/', '')))).toEqual([])
      const ours = Object.keys(environment).filter((key) => key.startsWith('SKEIN_'))
      expect(ours.filter((key) => !known.has(key))).toEqual([])
    }
  })
})

describe('compose.md', () => {
  /** Set by `up` itself. */
  const INTERNAL = [
    'SKEIN_ANTHROPIC_KEY',
    'SKEIN_OPENAI_KEY',
    'ANTHROPIC_API_KEY_FILE',
    'OPENAI_API_KEY_FILE',
  ]
  /** `up` sets it too, for automations in a container of their own. */
  const BY_SWITCH = ['SKEIN_ROLES']

  test('describes every variable of compose.yaml, and no other', async () => {
    const text = await read(`${FOLDER}/compose.yaml`)
    const used = new Set([...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name))
    const settings = (await read('docs/deploy/compose.md')).match(/^\| `.*$/gm) ?? []
    const described = settings.flatMap((row) => row.split('|')[1]?.match(/[A-Z_]{3,}/g) ?? [])
    const expected = [...used].filter((name) => ![...INTERNAL, ...BY_SWITCH].includes(name))
    expect(described.toSorted()).toEqual(expected.toSorted())
  })

  test('names the defaults of compose.yaml', async () => {
    const text = await read(`${FOLDER}/compose.yaml`)
    const page = await read('docs/deploy/compose.md')
    for (const name of [
      'SKEIN_SERVER_IMAGE',
      'SKEIN_POSTGRES_IMAGE',
      'SKEIN_ORG',
      'SKEIN_ACCOUNT',
      'SKEIN_LISTEN',
    ]) {
      const value = new RegExp(`\\$\\{${name}:-([^}]+)\\}`).exec(text)?.[1] ?? ''
      expect(value).not.toBe('')
      const row = page.split('\n').find((line) => line.startsWith('| `') && line.includes(`\`${name}\``))
      expect(row?.split('|')[2]).toContain(`\`${value}\``)
    }
  })

  test('shows only commands that exist', async () => {
    const page = await read('docs/deploy/compose.md')
    const cli = await read('docs/cli.md')
    const commands = [...page.matchAll(/^```(?:sh|console)\n(.*?)^```/gms)].flatMap(([, block = '']) =>
      block.trim().split('\n'),
    )
    expect(commands.length).toBeGreaterThan(4)
    // Some have a letter before their name.
    const isOption = (option: string): boolean => cli.includes(`\`${option}`) || cli.includes(`, ${option}`)
    const missing = commands.filter((line) => {
      const words = line.replace(/^\$ /, '').split(' ')
      const [program = '', command = '', ...args] = words.filter((word) => !/^[A-Z_]+=/.test(word))
      if (program !== 'skein') return !['deploy/compose/up', 'install'].includes(program)
      const options = args.filter((word) => word.startsWith('--'))
      return !cli.includes(`### skein ${command}\n`) || options.some((option) => !isOption(option))
    })
    expect(missing).toEqual([])
  })
})

/** The real script, with engines that only write down how they were called. */
describe('deploy/compose/up', () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'skein-compose-'))
    await cp(join(root, FOLDER), join(folder, 'compose'), {
      recursive: true,
      filter: (path) => !path.endsWith('secrets'),
    })
    await mkdir(join(folder, 'bin'))
    const note =
      'echo "$(basename "$0") $* SKEIN_ROLES=${SKEIN_ROLES:-} KEY=${ANTHROPIC_API_KEY_FILE:-}" >>"$CALLS"'
    const engines = { docker: 'exit 1', 'podman-compose': note, podman: note }
    for (const [name, text] of Object.entries(engines)) {
      await writeFile(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`)
      await chmod(join(folder, 'bin', name), 0o755)
    }
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function start(
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ printed: string; calls: string }> {
    const calls = join(folder, 'calls')
    await rm(calls, { force: true })
    const { stdout } = await run(join(folder, 'compose/up'), [], {
      env: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, CALLS: calls, ...env },
    })
    return { printed: stdout, calls: await readFile(calls, 'utf8') }
  }

  async function secrets(): Promise<Record<string, string>> {
    const dir = join(folder, 'compose/secrets')
    const names = await readdir(dir)
    return Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await readFile(join(dir, name), 'utf8')] as const)),
    )
  }

  test('writes the secrets that compose.yaml names, once, where others cannot read them', async () => {
    const { printed, calls } = await start()
    expect(printed).toContain('skein login --with-key')
    expect(calls).toContain('podman-compose up --detach')
    const written = await secrets()
    const { secrets: named } = parseCompose(await read(`${FOLDER}/compose.yaml`))
    const files = Object.values(named).map(({ file }) => file.replace('./secrets/', ''))
    expect(Object.keys(written).toSorted()).toEqual(files.toSorted())
    expect(Buffer.from(written['master-key'] ?? '', 'base64')).toHaveLength(32)
    expect(written['database-url']).toBe(`postgres://skein_app:${written['app-password']}@postgres/skein`)
    expect((await stat(join(folder, 'compose/secrets'))).mode & 0o777).toBe(0o700)
    await start()
    expect(await secrets()).toEqual(written)
  })

  test('gives the runner a model key that is there, and separates automations', async () => {
    await writeFile(join(folder, 'compose/secrets/anthropic-api-key'), 'key')
    const { calls } = await start({ SKEIN_AUTOMATIONS: 'separate' })
    expect(calls).toContain('podman-compose --profile automations up --detach')
    expect(calls).toContain('SKEIN_ROLES=api KEY=/run/model-keys/anthropic')
  })
})

async function compileSpecification() {
  const schema = JSON.parse(await read(`${FOLDER}/compose-spec.schema.json`)) as object
  return new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
}

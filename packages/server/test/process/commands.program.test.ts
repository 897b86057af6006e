import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmptyDatabase, createTestDatabase } from '@skein/testkit'
import { Client } from 'pg'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { endProcesses, runCommand } from './skein-process.ts'

afterEach(endProcesses)

const BOOTSTRAP = ['bootstrap', '--org', 'acme', '--account', 'ada']

async function count(ownerUrl: string, table: 'tenant' | 'api_key' | 'resource'): Promise<number> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ count: string }>(`select count(*) from ${table}`)
    return Number(rows[0]?.count)
  } finally {
    await client.end()
  }
}

describe('help', () => {
  test('lists every command and ends well', async () => {
    for (const word of ['--help', 'help']) {
      const { code, stdout, stderr } = await runCommand([word])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      for (const command of ['migrate', 'bootstrap', 'serve', '--org']) expect(stdout).toContain(command)
    }
  })

  test('of every command is help too, and does not run it', async () => {
    for (const args of [
      ['serve', '--help'],
      ['bootstrap', '--org', 'acme', '--help'],
    ]) {
      const { code, stdout, stderr } = await runCommand(args)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain('skein-server <command>')
    }
  })

  test('of skein-admin says how a tenant is moved', async () => {
    for (const args of [['help'], ['--help'], ['tenant', 'move', '--help']]) {
      const { code, stdout, stderr } = await runCommand(args, {}, 'skein-admin')
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain('skein-admin tenant move --org')
    }
  })

  test('is what an unknown command or none gets, as a failure', async () => {
    for (const args of [['frobnicate'], []]) {
      const { code, stdout, stderr } = await runCommand(args)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toContain('skein-server <command>')
    }
  })
})

describe('settings', () => {
  test.each([
    ['SKEIN_PORT', 'serve', { SKEIN_PORT: 'eighty' }],
    ['SKEIN_PORT', 'serve', { SKEIN_PORT: '70000' }],
    ['SKEIN_LOG_LEVEL', 'serve', { SKEIN_LOG_LEVEL: 'loud' }],
    ['SKEIN_CELL', 'bootstrap', { SKEIN_CELL: 'Not A Cell' }],
    ['SKEIN_DATABASE_URL', 'serve', {}],
    ['SKEIN_OWNER_DATABASE_URL', 'migrate', {}],
    [
      'SKEIN_MASTER_KEY',
      'serve',
      { SKEIN_MASTER_KEY: 'short', SKEIN_DATABASE_URL: 'postgres://127.0.0.1:1/x' },
    ],
  ])('a bad or missing %s is named by %s, without a stack', async (name, command, settings) => {
    const args = command === 'bootstrap' ? BOOTSTRAP : [command]
    const { code, stderr } = await runCommand(args, settings)
    expect(code).toBe(1)
    expect(stderr).toContain(name)
    expect(stderr).not.toContain('    at ')
  })

  test.each([
    ['--org and --to', ['--org', 'acme'], {}],
    ['--to must be the SKEIN_CELL', ['--org', 'acme', '--to', 'Cell 2'], {}],
    ['SKEIN_TARGET_MASTER_KEY must be', ['--org', 'acme', '--to', 'c2'], {}],
    [
      'SKEIN_TARGET_OWNER_DATABASE_URL',
      ['--org', 'acme', '--to', 'c2'],
      {
        SKEIN_TARGET_MASTER_KEY: Buffer.alloc(32).toString('base64'),
        SKEIN_OWNER_DATABASE_URL: 'postgres://127.0.0.1:1/x',
      },
    ],
  ])('a wrong option or setting of tenant move gets: %s', async (expected, options, settings) => {
    const { code, stderr } = await runCommand(['tenant', 'move', ...options], settings, 'skein-admin')
    expect(code).toBe(1)
    expect(stderr).toContain(expected)
    expect(stderr).not.toContain('    at ')
  })

  test('that are all invalid are all named together', async () => {
    const { stderr } = await runCommand(['serve'], {
      SKEIN_PORT: '-1',
      SKEIN_CELL: '!',
      SKEIN_LOG_LEVEL: 'x',
    })
    for (const name of ['SKEIN_PORT', 'SKEIN_CELL', 'SKEIN_LOG_LEVEL']) expect(stderr).toContain(name)
  })

  test.each(['migrate', 'bootstrap', 'serve'])(
    '%s says plainly that the database cannot be reached',
    async (name) => {
      const url = 'postgres://skein@127.0.0.1:1/skein'
      const { code, stderr } = await runCommand(name === 'bootstrap' ? BOOTSTRAP : [name], {
        SKEIN_DATABASE_URL: url,
        SKEIN_OWNER_DATABASE_URL: url,
      })
      expect(code).toBe(1)
      expect(stderr).toMatch(/database/i)
      expect(stderr).not.toContain('    at ')
    },
  )

  test.each([
    ['--nope', ['--nope']],
    ['--role', ['--role', 'viewer']],
    ['--provider', ['--provider', 'nobody']],
    ['--token', ['--token', 'Not A Name']],
    ['--org', ['--org', '']],
    ['--pool', ['--pool', 'default']],
    ['--pool', ['--role', 'runner', '--pool', 'Not A Name']],
    ['--key-file', ['--key-file', '/nonexistent/key']],
  ])('a bad option %s of bootstrap is named, without a stack', async (option, extra) => {
    const settings = { SKEIN_OWNER_DATABASE_URL: 'postgres://skein@127.0.0.1:1/skein' }
    const { code, stderr } = await runCommand([...BOOTSTRAP, ...extra], settings)
    expect(code).toBe(1)
    expect(stderr).toContain(option)
    expect(stderr).not.toContain('    at ')
  })
})

describe('migrate, then bootstrap', () => {
  test('creates a tenant and a key once; repeated, it changes nothing and prints no key', async () => {
    const { ownerUrl } = await createEmptyDatabase()
    const settings = { SKEIN_OWNER_DATABASE_URL: ownerUrl }
    expect(await runCommand(['migrate'], settings)).toMatchObject({ code: 0, stderr: '' })
    expect(await runCommand(['migrate'], settings)).toMatchObject({ code: 0, stderr: '' })

    const first = await runCommand(BOOTSTRAP, settings)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(/skn_c1[0-9a-z]{26}\.[A-Za-z0-9_-]{49}/)
    const second = await runCommand(BOOTSTRAP, settings)
    expect(second).toMatchObject({ code: 0, stderr: '' })
    expect(second.stdout).not.toContain('skn_')
    expect(second.stdout).toContain('exists')
    expect(await count(ownerUrl, 'api_key')).toBe(1)
  })

  test('puts a key into a file once, for its owner only; without the file it says what to do', async () => {
    const { ownerUrl } = await createTestDatabase()
    const settings = { SKEIN_OWNER_DATABASE_URL: ownerUrl }
    const folder = await mkdtemp(join(tmpdir(), 'skein-keys-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'runner')
    const command = [...BOOTSTRAP, '--role', 'runner', '--token', 'runners', '--key-file', file]
    const first = await runCommand(command, settings)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).not.toContain('skn_')
    const key = await readFile(file, 'utf8')
    expect(key).toMatch(/^skn_c1[0-9a-z]{26}\.[A-Za-z0-9_-]{49}\n$/)
    expect((await stat(file)).mode & 0o777).toBe(0o600)

    expect(await runCommand(command, settings)).toMatchObject({ code: 0, stderr: '' })
    expect(await readFile(file, 'utf8')).toBe(key)

    await rm(file)
    const lost = await runCommand(command, settings)
    expect(lost).toMatchObject({ code: 1 })
    expect(lost.stderr).toContain('--token')
    expect(lost.stderr).not.toContain('    at ')
  })

  test('five at the same time create one tenant and one key between them', async () => {
    const { ownerUrl } = await createTestDatabase()
    const settings = { SKEIN_OWNER_DATABASE_URL: ownerUrl }
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => runCommand([...BOOTSTRAP, '--json'], settings)),
    )
    expect(outcomes.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      outcomes.map(() => ({ code: 0, stderr: '' })),
    )
    const results = outcomes.map(({ stdout }) => JSON.parse(stdout) as Record<string, unknown>)
    expect(new Set(results.map(({ tenantId }) => tenantId)).size).toBe(1)
    expect(results.filter(({ isNewTenant }) => isNewTenant === true)).toHaveLength(1)
    expect(results.filter(({ key }) => key !== '')).toHaveLength(1)
    expect(await count(ownerUrl, 'tenant')).toBe(1)
    expect(await count(ownerUrl, 'api_key')).toBe(1)
    expect(await count(ownerUrl, 'resource')).toBe(1)
  })

  test.each([
    ['bootstrap', BOOTSTRAP],
    ['reseal', ['reseal']],
    ['verify-audit', ['verify-audit']],
    ['export-tenant', ['export-tenant', '--org', 'acme']],
    ['delete-tenant', ['delete-tenant', '--org', 'acme', '--confirm', 'acme']],
  ])('%s on a database without tables says what to run first, without a stack', async (_name, command) => {
    const { ownerUrl } = await createEmptyDatabase()
    const { code, stdout, stderr } = await runCommand(command, { SKEIN_OWNER_DATABASE_URL: ownerUrl })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe('The database is not migrated. Run first: skein-server migrate\n')
  })

  test('two concurrent migrations take turns', async () => {
    const { ownerUrl } = await createEmptyDatabase()
    const settings = { SKEIN_OWNER_DATABASE_URL: ownerUrl }
    const outcomes = await Promise.all([runCommand(['migrate'], settings), runCommand(['migrate'], settings)])
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0])
  })
})

describe('verify-audit', () => {
  test('names what was removed, and fails', async () => {
    const { ownerUrl } = await createTestDatabase()
    const settings = { SKEIN_OWNER_DATABASE_URL: ownerUrl }
    await runCommand(BOOTSTRAP, settings)
    const none = await runCommand(['verify-audit'], settings)
    expect(none).toMatchObject({
      code: 0,
      stdout: 'Audit logs checked: 1. Changed since they were sealed: 0.\n',
    })

    const owner = new Client({ connectionString: ownerUrl })
    await owner.connect()
    await owner.query(
      `insert into audit_seal select id, 1, now() - interval '1 hour', now(), 1000, '', '', now(), '' from tenant`,
    )
    await owner.end()
    const { code, stdout, stderr } = await runCommand(['verify-audit'], settings)
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toMatch(/^codehost_app:acme\n {2}Seal 1, .*: the seal is not ours/)
    expect(stdout).toMatch(
      /entries were removed\.\nAudit logs checked: 1\. Changed since they were sealed: 1\.\n$/,
    )
  })
})

describe('serve', () => {
  test('refuses to start as the owner of the tables, says what to do, and ends', async () => {
    const { ownerUrl } = await createTestDatabase()
    const { code, stderr } = await runCommand(['serve'], { SKEIN_DATABASE_URL: ownerUrl, SKEIN_PORT: '0' })
    expect(code).toBe(1)
    expect(stderr).toMatch(/SKEIN_DATABASE_URL is not safe to serve with: .* owns Skein's tables/)
    expect(stderr).toContain('docs/operations.md')
  })
})

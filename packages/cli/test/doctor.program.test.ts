import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { findProgram, runServerCommand } from '@skein/dev'
import { bareEnvironment, createServerLogin, startPostgresServer, waitFor } from '@skein/testkit'
import { startSimulator, type Simulator } from '@skein/simulator'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startCliWorld, type CliWorld } from './cli-world.ts'

let world: CliWorld
let folder: string
/** Stands for the provider, whose key runners test. */
let simulator: Simulator
const runners = new Set<ChildProcess>()

beforeAll(async () => {
  world = await startCliWorld({ withoutRunner: true })
  folder = await mkdtemp('/var/tmp/skein-doctor-')
  simulator = await startSimulator({ refusedKeys: ['revoked'] })
  // A runner that was started as root is another user.
  await chmod(folder, 0o755)
})

afterEach(async () => {
  for (const child of runners) {
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('close', resolve))
  }
  runners.clear()
})

afterAll(async () => {
  await world.close()
  await simulator.close()
  await rm(folder, { recursive: true })
})

let count = 0

/** A real runner that is ready, for the pool named default. */
async function startRunner(
  settings: Readonly<Record<string, string>> = {},
  options: { readonly uid?: number; readonly gid?: number } = {},
): Promise<string> {
  const name = `host-${(count += 1)}`
  const token = { account: 'robot', role: 'runner', pools: ['default'] }
  const { document } = await world.tenant.admin.write('token', name, token)
  const child = spawn(process.execPath, [findProgram('runner')], {
    env: {
      ...bareEnvironment(),
      SKEIN_URL: world.baseUrl,
      SKEIN_API_KEY: String(document['key']),
      SKEIN_RUNNER_NAME: name,
      SKEIN_RUNNER_DATA_DIR: join(folder, name),
      ANTHROPIC_API_KEY: 'never-used',
      ANTHROPIC_BASE_URL: simulator.url,
      OPENAI_BASE_URL: simulator.url,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  })
  runners.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  }
  await waitFor(() => output.includes('the runner is ready') || child.exitCode !== null, {
    what: 'the runner',
    // Beside suites that use every core.
    timeoutMs: 60_000,
  })
  if (child.exitCode !== null) throw new Error(output)
  await waitFor(async () => (await isListed(name)) || undefined, {
    what: 'the runner to be listed',
    timeoutMs: 60_000,
  })
  return name
}

async function isListed(name: string): Promise<boolean> {
  const { body } = await world.tenant.admin.get('/v1/runners')
  return (body['runners'] as { name: string }[]).some((runner) => runner.name === name)
}

/** A PATH without bubblewrap. */
async function pathWithoutBubblewrap(): Promise<string> {
  const programs = join(folder, 'programs')
  await mkdir(programs)
  await symlink('/usr/bin/git', join(programs, 'git'))
  return [programs, dirname(process.execPath)].join(delimiter)
}

/** Runners of the tests before would otherwise count as online for a while. */
const forgetRunners = () =>
  world.server.engine.database.forTenant(world.tenant.id, (session) =>
    session.query(`update runner set seen_at = now() - interval '1 hour'`),
  )

describe('doctor names the problem and the fix', () => {
  test('no server', async () => {
    const { stdout, exitCode } = await world.skein(['doctor'], { env: { SKEIN_URL: 'http://127.0.0.1:1' } })
    expect(stdout).toContain('✘ server: no response from http://127.0.0.1:1\n  Fix: Start the server')
    expect(exitCode).toBe(13)
  })

  test('a wrong key, and one that is not a person’s', async () => {
    const { stdout, exitCode } = await world.skein(['doctor'], { env: { SKEIN_API_KEY: 'skn_wrong' } })
    expect(stdout).toMatch(/✔ server: answers at .*\n✘ key: the server rejects it\n {2}Fix: .*skein login/)
    expect(exitCode).toBe(13)
    const token = { account: 'robot', role: 'runner', pools: ['default'] }
    const { document } = await world.tenant.admin.write('token', 'robot', token)
    const robot = await world.skein(['doctor'], { env: { SKEIN_API_KEY: String(document['key']) } })
    expect(robot.stdout).toContain('✘ key: it belongs to a runner')
    const link = { workspace: 'shop', agent: ['shown'], account: 'ada' }
    const { document: shared } = await world.tenant.admin.write('share-link', 'customer', link)
    const guest = await world.skein(['doctor'], { env: { SKEIN_API_KEY: String(shared['key']) } })
    expect(guest.stdout).toMatch(/✘ key: it belongs to a share link.*\n {2}Fix: .*skein login/)
    expect(guest.exitCode).toBe(13)
  })

  test('no runner: for whom it is needed, and the command that starts one', async () => {
    await forgetRunners()
    const { stdout, exitCode } = await world.skein(['doctor'])
    expect(stdout).toContain('✘ runners: no runner is online for the pool default (workspace shop)')
    expect(stdout).toContain('skein token create runner-default --role runner --pool default')
    expect(exitCode).toBe(13)
  })

  test('a runner that has gone is named', async () => {
    const name = await startRunner()
    for (const child of runners) child.kill('SIGSTOP')
    await world.server.engine.database.forTenant(world.tenant.id, (session) =>
      session.query(`update runner set seen_at = now() - interval '3 minutes'`),
    )
    const { stdout } = await world.skein(['doctor'])
    expect(stdout).toMatch(new RegExp(`✘ runners: .*; ${name} was last seen 3m\\d*s? ago`))
    expect(stdout).toContain(`Fix: Start ${name} again`)
  })

  test('a rejected provider key and where it is stored, unless the tenant brings its own', async () => {
    await forgetRunners()
    const name = await startRunner({
      ANTHROPIC_API_KEY: 'revoked',
      SKEIN_RUNNER_SANDBOXES: 'process',
      SKEIN_RUNNER_HOST_NETWORK: 'true',
    })
    const { stdout, exitCode } = await world.skein(['doctor'])
    expect(stdout).toContain('✘ provider keys: runs of claude will fail')
    expect(stdout).toContain(`On ${name}: ANTHROPIC_API_KEY was rejected by 127.0.0.1:`)
    expect(exitCode).toBe(13)
    await world.tenant.admin.write('secret', 'claude-key', { value: 'sk-of-the-tenant' })
    const { document } = await world.tenant.admin.read('backend', 'a')
    await world.tenant.admin.write('backend', 'a', { ...document, credential: 'claude-key' })
    expect((await world.skein(['doctor'])).stdout).toContain('✔ provider keys: claude (your secret)')
    await world.tenant.admin.delete('/v1/catalog/backend/a')
  })

  test('no sandbox: the runner comes up all the same and says what to install', async () => {
    await forgetRunners()
    const name = await startRunner({ PATH: await pathWithoutBubblewrap() })
    const { findings } = await world.json(['doctor'])
    expect(findings).toContainEqual({
      check: 'sandbox',
      isFault: true,
      message: 'the pool default uses the sandbox bubblewrap, which none of its runners offers',
      fix: expect.stringContaining(
        `On ${name}: bubblewrap is not installed: apt-get install bubblewrap`,
      ) as string,
    })
    expect((await world.skein(['doctor'])).exitCode).toBe(13)
  })

  test('no runner permits the network: whose agents wait, and why', async () => {
    await forgetRunners()
    const name = await startRunner({ SKEIN_RUNNER_NETWORKS: 'none,open' })
    const { findings } = await world.json(['doctor'])
    expect(findings).toContainEqual({
      check: 'network',
      isFault: true,
      message:
        'agents of workspace shop are waiting for the network gateway, which no runner of the pool default permits',
      fix: `On ${name}: This runner’s SKEIN_RUNNER_NETWORKS does not include gateway.`,
    })
  })

  test('a sandbox cannot hold the network: what to set if that is as it should be', async () => {
    await forgetRunners()
    await world.tenant.admin.write('pool', 'default', { sandbox: 'process', vmProfile: 'default' })
    const name = await startRunner({ SKEIN_RUNNER_SANDBOXES: 'process' })
    const { stdout, exitCode } = await world.skein(['doctor'])
    expect(stdout).toContain('✘ network: agents of workspace shop are waiting for the network gateway')
    expect(stdout).toContain(`Fix: On ${name}: The process sandbox cannot restrict network access`)
    expect(stdout).toContain('SKEIN_RUNNER_HOST_NETWORK=true')
    expect(exitCode).toBe(13)
    await world.tenant.admin.write('pool', 'default', { sandbox: 'bubblewrap', vmProfile: 'default' })
  })

  test('a backend’s program is missing: which one, who needs it and where it belongs', async () => {
    await forgetRunners()
    const name = await startRunner({ SKEIN_RUNNER_ACP: 'other=/nowhere/other-agent' })
    await world.tenant.admin.write('backend', 'other', { models: ['other-*'], defaultModel: 'other-1' })
    await world.tenant.admin.write('persona', 'odd', { model: 'other-1' })
    await world.tenant.admin.write('persona', 'coder', { model: 'gpt-5.5' })
    const { stdout, exitCode } = await world.skein(['doctor'])
    expect(stdout).toContain('✘ backends: other is needed for other-1 (persona odd)')
    expect(stdout).toContain(`Fix: On ${name}: Program not found: /nowhere/other-agent. Install it there`)
    expect(stdout).toContain('✘ backends: codex is needed for gpt-5.5 (persona coder)')
    expect(stdout).toContain(`Fix: On ${name}: OPENAI_API_KEY is not set`)
    expect(exitCode).toBe(13)
    for (const persona of ['odd', 'coder']) await world.tenant.admin.delete(`/v1/catalog/persona/${persona}`)
  })

  test.skipIf(process.getuid?.() !== 0)(
    'limits that no runner can hold: which, why, and how to do without them',
    async () => {
      await forgetRunners()
      // An ordinary user without a delegated cgroup.
      const user = 60_972
      const dataDir = join(folder, 'of-a-user')
      await mkdir(dataDir)
      await chown(dataDir, user, user)
      const name = await startRunner({ SKEIN_RUNNER_DATA_DIR: dataDir }, { uid: user, gid: user })
      const { stdout, exitCode } = await world.skein(['doctor'])
      expect(stdout).toContain(
        '✘ limits: no run can start in the pool default, because none of its runners can enforce cpus 2, memoryMib 4096 ' +
          'of the VM profile default',
      )
      expect(stdout).toContain(`On ${name}: Memory cannot be limited: the runner has no cgroup for it.`)
      expect(stdout).toContain('skein edit vm-profile default, and set cpus: 0, memoryMib: 0')
      expect(exitCode).toBe(13)
    },
  )

  test('nothing is wrong once everything is there', async () => {
    await forgetRunners()
    await world.tenant.admin.write('vm-profile', 'default', { cpus: 0, memoryMib: 0 })
    await world.tenant.admin.write('pool', 'default', { sandbox: 'process', vmProfile: 'default' })
    const name = await startRunner({ SKEIN_RUNNER_SANDBOXES: 'process', SKEIN_RUNNER_HOST_NETWORK: 'true' })
    const { stdout, exitCode } = await world.skein(['doctor'])
    expect(stdout.split('\n').map((line) => line.split(':')[0])).toEqual([
      '✔ profile',
      '✔ server',
      '✔ key',
      '✔ database',
      '✔ workspaces',
      '✔ runners',
      '✔ sandbox',
      '✔ limits',
      '✔ network',
      '✔ note',
      '✔ backends',
      '✔ provider keys',
      '',
    ])
    expect(stdout).toContain(
      `✔ runners: ${name}\n✔ sandbox: process for the pool default\n` +
        '✔ limits: diskMib, processes for the pool default\n✔ network: gateway\n' +
        `✔ note: ${name}: The process sandbox does not isolate agents`,
    )
    expect(exitCode).toBe(0)
  })

  test('the database is down, even while the server still remembers the key', async () => {
    const postgres = await startPostgresServer()
    const ownerUrl = postgres.url()
    const env = {
      ...bareEnvironment(),
      SKEIN_OWNER_DATABASE_URL: ownerUrl,
      SKEIN_MASTER_KEY: randomBytes(32).toString('base64'),
    }
    await runServerCommand(['migrate'], env, AbortSignal.timeout(60_000))
    const serverUrl = await createServerLogin(ownerUrl, { name: 'skein_doctor', password: 'well' })
    const database = { name: 'postgres', ownerUrl, serverUrl, drop: async () => {} }
    const outage = await startCliWorld({ database, withoutRunner: true })
    try {
      expect((await outage.skein(['doctor'])).stdout).toContain('✔ database: the server reaches it')
      await postgres.stop()
      const { stdout, exitCode } = await outage.skein(['doctor'])
      expect(stdout).toMatch(/✘ database: the server cannot reach it\n {2}Fix: Start PostgreSQL/)
      expect(stdout).toContain('✔ server: answers at')
      expect(exitCode).toBe(13)
    } finally {
      await outage.close()
      await postgres.stop()
    }
  })
})

import { spawn, type ChildProcess } from 'node:child_process'
import { chownSync, readFileSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bareEnvironment, waitFor } from '@skein/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
/** A user that no test host has. */
const USER = 60_950

let folder: string
const children = new Set<ChildProcess>()

beforeEach(async () => {
  folder = await mkdtemp('/var/tmp/skein-root-')
  await chmod(folder, 0o755)
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  for (const child of children)
    await waitFor(() => child.exitCode !== null || child.signalCode !== null, { what: 'the end' })
  children.clear()
  await rm(folder, { recursive: true })
})

interface Started {
  readonly child: ChildProcess
  readonly output: string
  readonly isReady: boolean
}

/** A runner whose service is not there: it comes up all the same. */
async function startRunner(settings: Readonly<Record<string, string>> = {}, options = {}): Promise<Started> {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...bareEnvironment(),
      HOME: '/root',
      SKEIN_URL: 'http://127.0.0.1:1',
      SKEIN_API_KEY: 'none',
      SKEIN_RUNNER_DATA_DIR: join(folder, 'data'),
      SKEIN_RUNNER_SANDBOXES: 'process,bubblewrap',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder,
    ...options,
  })
  children.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await waitFor(() => output.includes('the runner is ready') || child.exitCode !== null, {
    what: 'the runner',
    timeoutMs: 30_000,
  })
  return { child, output, isReady: output.includes('the runner is ready') }
}

function statusOf({ child }: Started, field: string): string {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return new RegExp(`^${field}:[ \\t]*(.*)$`, 'm').exec(status)?.[1]?.trim() ?? ''
}

describe.skipIf(process.getuid?.() !== 0)('a runner that is started as root', () => {
  test('switches to another user permanently, without root’s groups and capabilities', async () => {
    const runner = await startRunner()
    expect(runner.output).toMatch(/"uid":(\d+),"gid":\1,"msg":"started as root/)
    const uids = new Set(statusOf(runner, 'Uid').split('\t'))
    expect(uids.size).toBe(1)
    expect(Number([...uids][0])).toBeGreaterThanOrEqual(60_900)
    expect(statusOf(runner, 'Gid').split('\t')).not.toContain('0')
    expect(statusOf(runner, 'Groups')).toBe('')
    for (const field of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'])
      expect(statusOf(runner, field)).toMatch(/^0+$/)
    expect(runner.output).toContain('"sandboxes":["process","bubblewrap"]')
  })

  test('switches to the configured user, who owns its folders', async () => {
    const blobs = join(folder, 'far/blobs')
    const runner = await startRunner({
      SKEIN_RUNNER_USER: `${USER}:${USER + 1}`,
      SKEIN_RUNNER_BLOBS: `file:${blobs}`,
    })
    expect(statusOf(runner, 'Uid')).toBe([USER, USER, USER, USER].join('\t'))
    for (const dir of [join(folder, 'data'), blobs]) {
      const { uid, gid, mode } = await stat(dir)
      expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: USER, gid: USER + 1, mode: 0o700 })
    }
    expect((await stat(join(folder, 'data/front.sock'))).uid).toBe(USER)
  })

  test('stays with the owner of what it kept', async () => {
    await mkdir(join(folder, 'data'))
    chownSync(join(folder, 'data'), USER, USER)
    expect(statusOf(await startRunner(), 'Uid')).toContain(String(USER))
  })

  test('takes over what a runner kept as root, and follows no link of an agent', async () => {
    await mkdir(join(folder, 'data/agents/one/work'), { recursive: true })
    await writeFile(join(folder, 'data/agents/one/work/file'), '')
    await writeFile(join(folder, 'outside'), '')
    await symlink(join(folder, 'outside'), join(folder, 'data/agents/one/work/link'))
    const { isReady } = await startRunner({ SKEIN_RUNNER_USER: String(USER) })
    expect(isReady).toBe(true)
    expect((await stat(join(folder, 'data/agents/one/work/file'))).uid).toBe(USER)
    expect((await lstat(join(folder, 'data/agents/one/work/link'))).uid).toBe(USER)
    expect((await stat(join(folder, 'outside'))).uid).toBe(0)
  })

  test('leaves a folder alone that holds other things, and does not start', async () => {
    await mkdir(join(folder, 'data/etc'), { recursive: true })
    const { isReady, output } = await startRunner({ SKEIN_RUNNER_USER: String(USER) })
    expect(isReady).toBe(false)
    expect(output).toContain(`chown -R ${USER}:${USER} ${folder}/data`)
    expect((await stat(join(folder, 'data'))).uid).toBe(0)
  })

  test('does not start if that user lacks access, and names the folder', async () => {
    await mkdir(join(folder, 'closed'), { mode: 0o700 })
    const { isReady, output } = await startRunner({ SKEIN_RUNNER_DATA_DIR: join(folder, 'closed/data') })
    expect(isReady).toBe(false)
    expect(output).toContain(`has no access to ${folder}/closed and so cannot use ${folder}/closed/data`)
  })

  test('does not start if it may not switch users', async () => {
    const { isReady, output } = await startThrough('setpriv', '--bounding-set=-setuid', '--inh-caps=-setuid')
    expect(isReady).toBe(false)
    expect(output).toContain('The runner was started as root and cannot switch to the user')
  })

  test('that was an ordinary user stays what it was, and can become nobody else', async () => {
    await mkdir(join(folder, 'data'))
    await chown(join(folder, 'data'), USER, USER)
    const asUser = { uid: USER, gid: USER }
    const runner = await startRunner({}, asUser)
    expect(statusOf(runner, 'Uid')).toContain(String(USER))
    expect(runner.output).not.toContain('started as root')
    const other = await startRunner({ SKEIN_RUNNER_USER: String(USER + 1) }, asUser)
    expect(other.output).toContain('Only root can switch to the user in SKEIN_RUNNER_USER')
  })
})

/** By way of a program that takes rights away first. */
async function startThrough(program: string, ...args: string[]): Promise<Started> {
  const script = join(folder, 'node')
  await writeFile(script, `#!/bin/sh\nexec ${program} ${args.join(' ')} ${process.execPath} "$@"\n`, {
    mode: 0o755,
  })
  const execPath = process.execPath
  process.execPath = script
  try {
    return await startRunner()
  } finally {
    process.execPath = execPath
  }
}

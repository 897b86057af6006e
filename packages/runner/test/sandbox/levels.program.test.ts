import { randomBytes } from 'node:crypto'
import { access, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { waitFor } from '@skein/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findSandboxProvider } from '../../src/sandbox/providers.ts'
import type { NetworkPolicy, SandboxLevel } from '../../src/sandbox/sandbox.ts'
import { findProcesses, openSandbox, requireBubblewrap, uniqueSeconds } from './sandbox-fixture.ts'

const kinds: readonly (readonly [SandboxLevel, NetworkPolicy])[] = [
  ['process', 'open'],
  ['bubblewrap', 'open'],
  ['bubblewrap', 'none'],
]

describe.skipIf(process.platform !== 'linux').each(kinds)('a sandbox: %s, network %s', (level, network) => {
  requireBubblewrap()
  const open = (overrides = {}) => openSandbox(level, { network, ...overrides })

  test('a program has exactly the environment that it was given', async () => {
    process.env['SKEIN_TEST_SECRET'] = 'of the runner'
    onTestFinished(() => void delete process.env['SKEIN_TEST_SECRET'])
    const { run, base } = await open()
    const env = {
      PATH: '/usr/bin:/bin',
      GREETING: 'good day = ü\n"',
      NODE_OPTIONS: '--require=/not/there.js',
    }
    const { stdout, stderr, code } = await run('', { program: 'cat', args: ['/proc/self/environ'], env })
    const variables = new Map(
      stdout.split('\0').map((line) => [line.split('=', 1)[0], line.replace(/^[^=]*=/, '')]),
    )
    for (const name of ['', 'SKEIN_SANDBOX']) variables.delete(name)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(Object.fromEntries(variables)).toEqual({
      ...env,
      PATH: `/usr/bin:/bin:${dirname(process.execPath)}`,
      HOME: join(base, 'state/home'),
      ...(level === 'process' && { TMPDIR: join(base, 'state/tmp') }),
    })
  })

  test('a program may have a home of its own choice', async () => {
    const { run, base } = await open()
    expect(await run('echo $HOME', { env: { HOME: base } })).toMatchObject({ stdout: `${base}\n` })
  })

  test('its home is there and can be written', async () => {
    const { run, base } = await open()
    expect(await run('echo noted >~/note')).toMatchObject({ code: 0, stderr: '' })
    expect(await readFile(join(base, 'state/home/note'), 'utf8')).toBe('noted\n')
  })

  test('a program runs in the directory that the command names', async () => {
    const { run, base } = await open()
    expect(await run('pwd', { workDir: join(base, 'state') })).toMatchObject({ stdout: `${base}/state\n` })
  })

  test('the exit code is the one of the program', async () => {
    const { run } = await open()
    expect(await run('exit 42')).toMatchObject({ code: 42, signal: null })
  })

  test('output, errors and input are passed through byte for byte', async () => {
    const { sandbox, base } = await open()
    const bytes = randomBytes(300_000)
    const program = sandbox.spawn({
      program: 'sh',
      args: ['-c', 'base64 -w 0; echo complaint >&2'],
      env: {},
      workDir: join(base, 'work'),
    })
    program.stdin.end(bytes)
    const [stdout, stderr] = await Promise.all([text(program.stdout), text(program.stderr)])
    expect(stdout === bytes.toString('base64')).toBe(true)
    expect(stderr).toBe('complaint\n')
  })

  test('a program has no descriptors besides its three streams', async () => {
    const { run } = await open()
    const { stdout } = await run('', { program: 'ls', args: ['-l', '/proc/self/fd'] })
    const isExpected = /(^total 0| [012] -> .*| -> \/dev\/null| -> \/proc\/\d+\/fd)$/
    const others = stdout
      .trim()
      .split('\n')
      .filter((line) => !isExpected.test(line))
    expect(others).toEqual([])
  })

  test('a program that does not exist ends with 127', async () => {
    const { spawn } = await open()
    await expect(spawn('no-such-program').ended).resolves.toEqual({ code: 127, signal: null })
  })

  test('a command with a NUL is not run', async () => {
    const { run } = await open()
    const env = { A: 'b\0--bind\0/\0/host' }
    expect(await run('ls -d /host', { env })).toMatchObject({ code: 127, stdout: '' })
  })

  test('a killed program leaves no process, not even one that left its group, its session or its parent', async () => {
    const { spawn } = await open()
    const seconds = uniqueSeconds()
    const program = spawn(
      'sh',
      '-c',
      `sleep ${seconds} &
       setsid sleep ${seconds} &
       (sleep ${seconds} &)
       setsid sh -c 'setsid sleep ${seconds} & exit' &
       setsid env -i sleep ${seconds} &
       env -i setsid sleep ${seconds}`,
    )
    await waitFor(() => findProcesses(`sleep\0${seconds}`).length === 6, { what: 'all sleepers' })
    program.kill()
    await expect(program.ended).resolves.toEqual({ code: null, signal: 'SIGKILL' })
    expect(findProcesses(seconds)).toEqual([])
  })

  test('what a program leaves in the background ends with it', async () => {
    const { run } = await open()
    const seconds = uniqueSeconds()
    expect(await run(`setsid sleep ${seconds} & exit 3`)).toMatchObject({ code: 3 })
    expect(findProcesses(seconds)).toEqual([])
  })

  test('killing one program leaves another one of the same sandbox alone', async () => {
    const { spawn } = await open()
    const [killed, spared] = [spawn('cat'), spawn('cat')]
    killed.kill()
    await killed.ended
    spared.stdin.end('still here')
    expect(await text(spared.stdout)).toBe('still here')
    await expect(spared.ended).resolves.toEqual({ code: 0, signal: null })
  })

  test('killing a program that has ended changes nothing', async () => {
    const { spawn } = await open()
    const program = spawn('true')
    await program.ended
    program.kill()
    await expect(program.ended).resolves.toEqual({ code: 0, signal: null })
  })

  test('a disposed sandbox leaves no process and starts no other', async () => {
    const { sandbox, spawn } = await open()
    const seconds = uniqueSeconds()
    for (const prefix of ['', 'setsid ', ''])
      spawn('sh', '-c', `${prefix}sleep ${seconds} & sleep ${seconds}`)
    await waitFor(() => findProcesses(`sleep\0${seconds}`).length === 6, { what: 'all sleepers' })
    await sandbox.dispose()
    expect(findProcesses(seconds)).toEqual([])
    await expect(spawn('true').ended).resolves.toEqual({ code: 127, signal: null })
  })

  test('a sandbox that is disposed of while its programs start leaves no process', async () => {
    const { sandbox, spawn } = await open()
    const seconds = uniqueSeconds()
    for (let started = 0; started < 4; started += 1) spawn('sleep', seconds)
    await sandbox.dispose()
    expect(findProcesses(seconds)).toEqual([])
    expect(findProcesses(sandbox.spec.id)).toEqual([])
  })

  test('a file over the limit cannot be written', async () => {
    const { run, base } = await open()
    const { code } = await run('head -c 9000000 /dev/zero >big')
    expect(code).not.toBe(0)
    expect((await readFile(join(base, 'work/big'))).length).toBe(8 * 1024 * 1024)
  })

  test('work and state that contain each other are refused', async () => {
    const { sandbox } = await open()
    const nested = { ...sandbox.spec, stateDir: join(sandbox.spec.workDir, 'state') }
    await expect(findSandboxProvider(level).create(nested)).rejects.toThrow('must not contain each other')
  })

  test('a read-only path where the agent can write is rejected, even through a link', async () => {
    const { sandbox, base } = await open()
    await mkdir(join(base, 'work/mirror'))
    await symlink(join(base, 'work/mirror'), join(base, 'link'))
    for (const path of [join(base, 'work/mirror'), join(base, 'link')]) {
      const spec = { ...sandbox.spec, readOnlyPaths: [path] }
      await expect(findSandboxProvider(level).create(spec)).rejects.toThrow(
        'must not be inside a writable one',
      )
    }
  })

  test('a link that an agent left in place of its home is replaced, and not followed', async () => {
    const { sandbox, base, run } = await open()
    await rm(join(base, 'state/home'), { recursive: true })
    await symlink(join(base, 'outside'), join(base, 'state/home'))
    await writeFile(join(base, 'work/before'), '')
    const next = await findSandboxProvider(level).create(sandbox.spec)
    onTestFinished(() => next.dispose())
    expect(await run('echo >~/note')).toMatchObject({ code: 0 })
    await expect(access(join(base, 'outside'))).rejects.toThrow('ENOENT')
  })
})

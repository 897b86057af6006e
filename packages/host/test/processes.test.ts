import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@skein/testkit'
import { afterEach, describe, expect, test } from 'vitest'
import { isAlive, listChildProcesses, listProcessTree, ProcessTree, readCommand } from '../src/index.ts'

const started: ChildProcess[] = []

afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const ended = once(child, 'close')
    child.kill('SIGKILL')
    await ended
  }
})

function start(program: string, args: readonly string[], options: SpawnOptions = {}): number {
  const child = spawn(program, args, { stdio: 'ignore', detached: true, ...options })
  started.push(child)
  if (child.pid === undefined) throw new Error(`${program} did not start`)
  return child.pid
}

describe.runIf(process.platform === 'linux')('processes of this host', () => {
  test('a name that looks like other fields does not hide whose child a process is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'skein-host-'))
    try {
      const program = join(folder, 'x) S 1 1 (y')
      await symlink('/bin/sleep', program)
      const pid = start(program, ['600'], { argv0: 'sleep' })
      await waitFor(() => readCommand(pid).includes('600'), { what: 'the program' })
      expect(listChildProcesses(process.pid).map((child) => child.pid)).toContain(pid)
      expect(listProcessTree(process.pid)).toContain(pid)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('a tree has its root first and reaches grandchildren', async () => {
    const pid = start('sh', ['-c', 'sh -c "sleep 600; :"; :'])
    await waitFor(() => listProcessTree(pid).length === 3, { what: 'the grandchild' })
    const [root, child = 0, grandchild = 0] = listProcessTree(pid)
    expect(root).toBe(pid)
    expect(listChildProcesses(child).map((entry) => entry.pid)).toEqual([grandchild])
    await new ProcessTree({ file: 'environ', text: 'SKEIN_NO_SUCH_MARK' }, pid).end()
    expect([pid, child, grandchild].filter(isAlive)).toEqual([])
  })

  test('a process that left its group and session is still found', async () => {
    const text = `SKEIN_HOST_TEST=${process.pid}-${performance.now()}`
    const [name = '', value] = text.split('=')
    const pid = start('sh', ['-c', 'setsid sleep 600 & wait'], { env: { ...process.env, [name]: value } })
    const tree = new ProcessTree({ file: 'environ', text }, pid)
    await waitFor(() => tree.list().length >= 2, { what: 'the one that leaves' })
    const members = tree.list()
    await tree.end()
    expect(members.filter(isAlive)).toEqual([])
    expect(tree.list()).toEqual([])
  })

  test('a process that does not exist is not alive, has no command and no children', () => {
    const gone = 2 ** 22 + 1
    expect(isAlive(gone)).toBe(false)
    expect(readCommand(gone)).toBe('')
    expect(listChildProcesses(gone)).toEqual([])
    expect(listProcessTree(gone)).toEqual([gone])
  })
})

import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { MachineLimit } from '@skein/contract/facts'
import { waitFor } from '@skein/testkit'
import { beforeAll, describe, expect, test } from 'vitest'
import { LimitNotHeld } from '../../src/sandbox/limits/held-limits.ts'
import { measureFolders } from '../../src/sandbox/limits/measure-folders.ts'
import { findSandboxProvider } from '../../src/sandbox/providers.ts'
import type { SandboxLevel, SandboxLimits } from '../../src/sandbox/sandbox.ts'
import { unlimited } from '../limits.ts'
import { findProcesses, openSandbox, requireBubblewrap, uniqueSeconds } from './sandbox-fixture.ts'

const MIB = 1024 * 1024

/** Each limit is attacked. Where this host cannot hold it, a sandbox with it must be refused instead. */
export function describeLimits(who: string, mustHold: readonly MachineLimit[]): void {
  const levels: readonly SandboxLevel[] = ['process', 'bubblewrap']
  describe.skipIf(process.platform !== 'linux').each(levels)(`limits of ${who}, sandbox %s`, (level) => {
    requireBubblewrap()
    const held = new Set<MachineLimit>()
    beforeAll(async () => {
      const probe = await findSandboxProvider(level).probe()
      if (!probe.isUsable) throw new Error(probe.reason)
      for (const limit of ['cpus', 'memoryMib', 'diskMib', 'processes'] as const) {
        if (probe.limits[limit] === '') held.add(limit)
      }
    })
    const open = (limits: Partial<SandboxLimits>) =>
      openSandbox(level, {
        network: level === 'process' ? 'open' : 'none',
        limits: { ...unlimited, ...limits },
      })
    /** Whether there is anything to attack. */
    const isHeld = async (limit: MachineLimit, value: number): Promise<boolean> => {
      if (held.has(limit)) return true
      await expect(open({ [limit]: value })).rejects.toThrow(LimitNotHeld)
      return false
    }

    test('limits that must be enforced here are enforced', () => {
      expect([...held]).toEqual(expect.arrayContaining([...mustHold]))
    })

    test('a fork bomb is contained, and can be ended', async () => {
      if (!(await isHeld('processes', 60))) return
      const { sandbox, spawn } = await open({ processes: 60 })
      const seconds = uniqueSeconds()
      // Doubles eight times: a bomb, but one that stops at 511 processes.
      const program = spawn(
        'sh',
        '-c',
        `bomb() { [ $1 -gt 0 ] && { bomb $(($1 - 1)) & bomb $(($1 - 1)) & }; sleep ${seconds}; }; bomb 8`,
      )
      let complaints = ''
      program.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()))
      await waitFor(() => complaints.includes('fork') || findProcesses(seconds).length > 100, {
        what: 'the bomb',
      })
      expect(findProcesses(seconds).length).toBeLessThanOrEqual(60)
      await sandbox.dispose()
      expect(findProcesses(seconds)).toEqual([])
    })

    test('a memory bomb is ended at its limit, in whichever way it takes memory', async () => {
      if (!(await isHeld('memoryMib', 128))) return
      const { sandbox, run } = await open({ memoryMib: 128 })
      const inHeap = 'const all = []; for (;;) all.push(Buffer.alloc(8 << 20, 1)); '
      const heap = await run('', { program: process.execPath, args: ['-e', inHeap] })
      expect(heap).toMatchObject({ isTimedOut: false })
      expect(heap.signal ?? heap.code).not.toBe(0)
      // By many, each of which is small.
      const many = await run(
        'for i in 1 2 3 4 5 6 7 8; do head -c 40M /dev/zero | tail & done; wait; echo all done',
      )
      expect(many.isTimedOut).toBe(false)
      expect(sandbox.countMemoryKills()).toBeGreaterThan(1)
    })

    test('files in memory count as memory', async () => {
      if (level === 'process' || !(await isHeld('memoryMib', 128))) return
      const { sandbox, run } = await open({ memoryMib: 128 })
      await run('for dir in /tmp /var/tmp /dev/shm; do head -c 100M /dev/zero >$dir/big; done')
      expect(sandbox.countMemoryKills()).toBeGreaterThan(0)
    })

    test('a sandbox that keeps all cores busy gets its share and no more', async () => {
      if (!(await isHeld('cpus', 0.2))) return
      const { run } = await open({ cpus: 0.2 })
      const spin =
        'for i in 1 2 3 4; do timeout 2 sh -c "while :; do :; done" & done; wait; cat /proc/self/stat; times'
      const { stdout } = await run(spin)
      const [, ofChildren = ''] = stdout.trimEnd().split('\n').slice(-2)
      const seconds = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].map(
        ([, m, s]) => Number(m) * 60 + Number(s),
      )
      expect(seconds).toHaveLength(2)
      // Two seconds of a fifth of a core, and the burst that a group may use when it starts.
      expect(seconds.reduce((sum, each) => sum + each, 0)).toBeLessThan(0.9)
    })

    test('an agent that fills the disk is soon ended, with the reason', async () => {
      const { sandbox, spawn, base, run } = await open({ diskMib: 64 })
      const program = spawn('sh', '-c', 'i=0; while :; do i=$((i+1)); head -c 8M /dev/zero >file$i; done')
      await program.ended
      expect(sandbox.findBreach()).toMatch(/^The agent uses \d+ MiB of disk space; its limit is 64 MiB\.$/)
      const { bytes } = await measureFolders([join(base, 'work')])
      process.stdout.write(`a limit of 64 MiB, ${level}: ended at ${Math.round(bytes / MIB)} MiB\n`)
      expect(bytes).toBeGreaterThan(64 * MIB)
      expect(bytes).toBeLessThan(4096 * MIB)
      expect(await run('echo more >more')).toMatchObject({ code: 127, stderr: `${sandbox.findBreach()}\n` })
    })

    test('an agent that hides what fills the disk is ended too', async () => {
      const hidden = await open({ diskMib: 64 })
      await hidden.spawn(
        'sh',
        '-c',
        'mkdir -p a/b && cd a/b && chmod 0 .. && head -c 100M /dev/zero >big; sleep 60',
      ).ended
      expect(hidden.sandbox.findBreach()).toContain('of disk')
      const unlinked = await open({ diskMib: 64 })
      await unlinked.spawn('sh', '-c', 'exec 3>big; rm big; head -c 100M /dev/zero >&3; sleep 60').ended
      expect(unlinked.sandbox.findBreach()).toContain('of disk')
      const { ffree } = await statfs('/var/tmp')
      if (ffree === 0) return
      const empty = await open({ diskMib: 64 })
      await empty.spawn(
        'sh',
        '-c',
        'i=0; while [ $i -lt 40 ]; do i=$((i+1)); mkdir $i; (cd $i; seq 1000 | xargs touch); done; sleep 60',
      ).ended
      expect(empty.sandbox.findBreach()).toContain('of disk')
    })

    test('one above its limit can still free space, and is ended when it uses even more', async () => {
      const { sandbox, run } = await open({ diskMib: 64 })
      await run('head -c 100M /dev/zero >big; sleep 60')
      expect(sandbox.findBreach()).not.toBe('')
      await sandbox.dispose()
      const next = await findSandboxProvider(level).create(sandbox.spec)
      const command = (script: string) => ({
        program: 'sh',
        args: ['-c', script],
        env: {},
        workDir: sandbox.spec.workDir,
      })
      const tidy = next.spawn(command('sleep 1; rm big'))
      await expect(tidy.ended).resolves.toEqual({ code: 0, signal: null })
      expect(next.findBreach()).toBe('')
      await next.spawn(command('head -c 150M /dev/zero >bigger; sleep 60')).ended
      expect(next.findBreach()).toContain('of disk')
      await next.dispose()
    })
  })
}

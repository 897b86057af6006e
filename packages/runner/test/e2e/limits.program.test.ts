import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { RunnerEntry } from '@skein/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BACKENDS } from './backends-under-test.ts'
import { RunnerWorld, type RunnerProcess } from './runner-world.ts'

let world: RunnerWorld
let runner: RunnerProcess

beforeAll(async () => {
  world = await RunnerWorld.start()
  await world.useSandbox('bubblewrap')
  runner = await world.startRunner()
})

afterAll(() => world.close())

async function mibOf(dir: string): Promise<number> {
  const { stdout } = await promisify(execFile)('du', ['-sm', dir])
  return Number.parseInt(stdout, 10)
}

describe.each(BACKENDS)('an agent of backend $backend', ({ backend, model }) => {
  test('that fills its disk is ended with the reason, and continues when it is told to free space', async () => {
    await world.write('vm-profile', 'default', { cpus: 0, memoryMib: 0, diskMib: 256 })
    const fill = 'i=0; while :; do i=$((i+1)); head -c 8M /dev/zero >/$HOME/junk$i; done'
    const agentId = await world.spawn(`glutton-${backend}`, [{ shell: fill }, { say: 'Never.' }], { model })
    const status = await world.settled(agentId)
    expect(status).toMatchObject({
      phase: 'PHASE_WAITING',
      run: { endReason: 'limit' },
      error: { message: '' },
    })
    expect(status.needsInput).toMatch(
      /^The agent uses \d+ MiB of disk space; its limit is 256 MiB\. All its processes/,
    )
    const [folder = ''] = await readdir(join(runner.dataDir, 'agents'))
    expect(await mibOf(join(runner.dataDir, 'agents', folder))).toBeLessThan(4096)
    await world.send(agentId, [{ shell: 'rm $HOME/junk*; du -sm $HOME | cut -f1' }, { say: 'Tidied.' }])
    const tidied = await world.settled(agentId)
    expect(tidied).toMatchObject({ run: { endReason: 'rested' }, lastMessage: 'Tidied.' })
    await world.admin.post('/v1/agent/kill', { agentId })
  })
})

test('a run with limits on cores and memory is executed only where they are enforced', async () => {
  const { body } = await world.admin.get('/v1/runners')
  const [entry] = body['runners'] as RunnerEntry[]
  const limits = entry?.sandboxes.find(({ name }) => name === 'bubblewrap')?.limits ?? []
  const unheld = limits.filter(({ problem }) => problem !== '').map(({ name }) => name)
  expect(limits).toHaveLength(4)
  expect(unheld).not.toContain('diskMib')
  expect(unheld).not.toContain('processes')
  await world.write('vm-profile', 'default', { cpus: 1, memoryMib: 2048 })
  const agentId = await world.spawn('held', [{ say: 'Here.' }])
  const expected = unheld.length === 0 ? 'Here.' : ''
  await world.waitUntil('the run', async () => (await world.status(agentId)).lastMessage === expected)
})

import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { AgentId } from '@skein/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentSaves } from '../../src/blobs/agent-saves.ts'
import { FileBlobStore } from '@skein/host/blobs'
import { identityOf } from '../../src/run/open-workspace.ts'
import { nameAgent } from '../../src/workspace/agent-names.ts'
import { BACKENDS } from './backends-under-test.ts'
import { RunnerWorld } from './runner-world.ts'

let world: RunnerWorld

beforeAll(async () => {
  world = await RunnerWorld.start({ SKEIN_SESSION_RETENTION_DAYS: '0' })
  await world.useSandbox('process')
})

afterAll(() => world.close())

async function filesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

/** As an attempt does that is killed before it can report it. */
async function leaveSave(agentId: AgentId): Promise<void> {
  const blobs = join(world.folder, 'blobs')
  const store = new FileBlobStore(blobs)
  await new AgentSaves(store, nameAgent(identityOf(agentId)).hash).add('unreported', async (key) => {
    await store.put(key, Buffer.from('a conversation'))
    return true
  })
  if (process.getuid?.() === 0) await promisify(execFile)('chown', ['-R', '--reference', blobs, blobs])
}

test('conversation, unfinished work and folder of an ended agent are removed when they are no longer kept', async () => {
  const [{ model }] = BACKENDS
  const keeping = await world.startRunner()
  const agentId = await world.spawn(
    'forgotten',
    [
      { shell: 'echo unfinished > notes.txt' },
      { tool: 'finish', input: { result: 'Done.' } },
      { say: 'Bye.' },
    ],
    { model },
  )
  await world.waitUntil(
    'the end',
    async () => (await world.status(agentId)).phase === 'PHASE_COMPLETED',
    90_000,
  )
  expect(await world.git('for-each-ref', 'refs/skein/wip')).not.toBe('')
  expect(await filesBelow(join(world.folder, 'blobs'))).toHaveLength(2) // The conversation and its mark.
  await keeping.stop()
  await leaveSave(agentId)

  const removing = await world.startRunner({
    SKEIN_RUNNER_REMOVE_MS: '500',
    SKEIN_RUNNER_DATA_DIR: keeping.dataDir,
  })
  await world.waitUntil(
    'the removal',
    async () => (await world.git('for-each-ref', 'refs/skein')) === '',
    60_000,
  )
  await world.waitUntil(
    'the folder to go',
    async () =>
      (await readdir(join(keeping.dataDir, 'agents'))).filter((name) => name[0] !== '.').length === 0,
  )
  expect(await filesBelow(join(world.folder, 'blobs'))).toEqual([])
  const refused = await world.admin.post('/v1/agent/spawn', { agentId, description: 'Go on.', resume: true })
  expect(refused.reason).toBe('SESSION_EXPIRED')
  await removing.stop()
})

import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { WorkflowHandle } from '@temporalio/client'
import { BRIEF, ENDLESS } from './skein-service.ts'
import type { Trial } from './trial.ts'

/** Three answer, a fourth merges. */
const AGENTS = 4

export const SCENARIOS: Readonly<Record<string, (trial: Trial) => Promise<void>>> = {
  'a workflow goes on with the same agents when its worker is killed three times': async (trial) => {
    await trial.startWorker()
    const handle = await trial.startThreeViews(BRIEF)
    for (let kill = 0; kill < 3; kill++) {
      await trial.killWorker()
      await trial.startWorker()
      await pause(1_000)
    }
    await expectOneOfEach(trial, handle)
  },

  'a worker that shuts down leaves the agents to the next one': async (trial) => {
    await trial.startWorker()
    const handle = await trial.startThreeViews(BRIEF)
    await trial.shutDownWorker()
    ok((await trial.agentsOf(handle)).every(({ hasEnded }) => !hasEnded))
    await trial.startWorker()
    await expectOneOfEach(trial, handle)
  },

  'a workflow survives the death of Temporal': async (trial) => {
    await trial.startWorker()
    const handle = await trial.startThreeViews(BRIEF)
    await trial.killTemporal()
    await expectOneOfEach(trial, handle)
  },

  'a cancelled workflow has stopped its agents when it ends': async (trial) => {
    await trial.startWorker()
    const handle = await trial.startThreeViews(ENDLESS)
    await handle.cancel()
    await rejects(handle.result())
    ok((await trial.agentsOf(handle)).every(({ hasEnded }) => hasEnded))
  },

  'agents stop also when the worker is dead while the workflow is cancelled': async (trial) => {
    await trial.startWorker()
    const handle = await trial.startThreeViews(ENDLESS)
    await trial.killWorker()
    await handle.cancel()
    await pause(2_000)
    ok((await trial.agentsOf(handle)).every(({ hasEnded }) => !hasEnded))
    await trial.startWorker()
    await rejects(handle.result())
    await trial.untilAllEnded(handle)
  },

  'agents of a terminated workflow stop while a worker runs': async (trial) => {
    await trial.startWorker()
    const handle = await trial.startThreeViews(ENDLESS)
    await handle.terminate()
    await trial.untilAllEnded(handle)
  },

  'agents of a workflow that was terminated without a worker stop when one starts': async (trial) => {
    await trial.startWorker()
    const handle = await trial.startThreeViews(ENDLESS)
    await trial.killWorker()
    await handle.terminate()
    await trial.startWorker()
    await trial.untilAllEnded(handle)
  },
}

async function expectOneOfEach(trial: Trial, handle: WorkflowHandle): Promise<void> {
  equal(await handle.result(), 'done')
  const agents = await trial.agentsOf(handle)
  trial.counts.agents += agents.length
  equal(agents.length, AGENTS, JSON.stringify(agents))
  for (const { hasEnded, lives, runs } of agents) deepEqual({ hasEnded, lives, runs }, EXPECTED)
}

const EXPECTED = { hasEnded: true, lives: 1, runs: 1 }

import type { Skein } from '@skein/client'
import type { Client } from '@temporalio/client'
import { NAMESPACE_LABEL, RUN_LABEL, WORKFLOW_LABEL } from './cause.ts'
import { isOpen, statusOf } from './workflow-state.ts'

/** These end a workflow without giving it a chance to stop its agents. */
const ABRUPT: ReadonlySet<string | undefined> = new Set(['TERMINATED', 'TIMED_OUT'])

/**
 * Both services.
 *
 * @example
 * import type { Client } from '@temporalio/client'
 * import { stopOrphans, type OrphanOptions } from '@skein/temporal'
 *
 * declare const client: Client
 * const options: OrphanOptions = { skein, client }
 * console.log(await stopOrphans(options))
 */
export interface OrphanOptions {
  readonly skein: Skein
  /** Of the namespace whose workflows are looked at. */
  readonly client: Client
}

/**
 * Stops the live agents of workflows that were terminated or timed out. Needed only if no worker was running at that
 * moment, so call it when a worker starts. Returns the names of the agents it stopped.
 *
 * @example
 * import type { Client } from '@temporalio/client'
 * import { stopOrphans } from '@skein/temporal'
 *
 * declare const client: Client
 * for (const name of await stopOrphans({ skein, client })) console.log('stopped', name)
 */
export async function stopOrphans({ skein, client }: OrphanOptions): Promise<readonly string[]> {
  const { namespace } = client.options
  const states = new Map<string, Promise<boolean>>()
  const stopped: string[] = []
  for await (const { agentId, labels } of skein.fleet({ labels: { [NAMESPACE_LABEL]: namespace } })) {
    const { [WORKFLOW_LABEL]: workflowId = '', [RUN_LABEL]: runId = '' } = labels
    if (workflowId === '' || runId === '') continue
    const state = states.get(runId) ?? wasCutOff(client, workflowId, runId)
    states.set(runId, state)
    if (!(await state)) continue
    const agent = skein.agent(agentId)
    await agent.kill()
    stopped.push(agent.name)
  }
  return stopped
}

/** A run that was reset counts as terminated, but the workflow goes on with the same agents. */
async function wasCutOff(client: Client, workflowId: string, runId: string): Promise<boolean> {
  return ABRUPT.has(await statusOf(client, { workflowId, runId })) && !(await isOpen(client, { workflowId }))
}

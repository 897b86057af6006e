import { WorkflowNotFoundError, type Client } from '@temporalio/client'
import type { Cause } from './cause.ts'

type Execution = Pick<Cause, 'workflowId'> & Partial<Pick<Cause, 'runId'>>

/** The name of the status, such as `RUNNING`; of the newest run unless one is given. Undefined if it was deleted. */
export async function statusOf(
  client: Client,
  { workflowId, runId }: Execution,
): Promise<string | undefined> {
  try {
    const { status } = await client.workflow.getHandle(workflowId, runId).describe()
    return status.name
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined
    throw error
  }
}

/** Also once the activity is cancelled, which otherwise ends each call of the worker's client. */
export async function isOpen(client: Client, execution: Execution): Promise<boolean> {
  const status = await client.withAbortSignal(AbortSignal.timeout(10_000), () => statusOf(client, execution))
  return status === 'RUNNING' || status === 'PAUSED'
}

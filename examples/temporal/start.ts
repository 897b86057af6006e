/**
 * Starts a workflow and prints its result.
 * Usage: node start.ts <workspace> <question>
 */
import { randomUUID } from 'node:crypto'
import { Client, Connection } from '@temporalio/client'
import type { threeViews } from './workflows.ts'

const [workspace, question] = process.argv.slice(2)
if (workspace === undefined || question === undefined) {
  console.error('Usage: node start.ts <workspace> <question>')
  process.exit(2)
}

const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' })
const workflowId = `three-views-${randomUUID()}`
console.error(`Started ${workflowId}`)
const result = await new Client({ connection }).workflow.execute<typeof threeViews>('threeViews', {
  taskQueue: 'agents',
  workflowId,
  args: [{ workspace, question }],
})
console.log(result)
await connection.close()

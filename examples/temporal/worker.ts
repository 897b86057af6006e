/**
 * Executes the workflows. Start as many as you like, and kill them when you like.
 * The services come from SKEIN_URL, SKEIN_API_KEY and TEMPORAL_ADDRESS.
 */
import { fileURLToPath } from 'node:url'
import { Skein } from '@skein/client'
import { createActivities, stopOrphans } from '@skein/temporal'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'

const address = process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233'
const skein = new Skein()

const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue: 'agents',
  workflowsPath: fileURLToPath(new URL('workflows.ts', import.meta.url)),
  activities: createActivities(skein),
})

// Agents of workflows that were terminated while no worker was there to stop them.
const connection = await Connection.connect({ address })
for (const name of await stopOrphans({ skein, client: new Client({ connection }) }))
  console.log('stopped', name)
await connection.close()

console.log('ready')
await worker.run()

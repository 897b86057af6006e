/**
 * Starts one agent for each given folder, all at once, and prints their answers as they arrive.
 * Usage: node fan-out.ts <workspace> <folder>...
 * The service and the key come from SKEIN_URL and SKEIN_API_KEY.
 */
import { Skein } from '@skein/client'

const [workspace, ...folders] = process.argv.slice(2)
if (workspace === undefined || folders.length === 0) {
  console.error('Usage: node fan-out.ts <workspace> <folder>...')
  process.exit(2)
}

const skein = new Skein()
const answers = folders.map(async (folder) => {
  const agent = await skein.spawn({
    workspace,
    description: `Look for dead code in ${folder}. Change nothing; list what you find.`,
    labels: { purpose: 'dead-code' },
    maxCost: 1,
  })
  const { message, cost } = await agent.result({ timeoutMs: 30 * 60 * 1000 })
  console.log(`${folder} (${String(agent)}, $${cost})\n${message}\n`)
  // It is idle and could be asked more. Here we are done with it.
  await agent.kill()
})

await Promise.all(answers)

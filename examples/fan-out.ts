/**
 * One agent for each folder that you name, all at once; prints their answers as they come.
 * Usage: node fan-out.ts packages/core packages/store
 */
import { Skein } from '@skein/client'

const { SKEIN_URL = 'http://127.0.0.1:8080', SKEIN_API_KEY = '' } = process.env
const skein = new Skein({ baseUrl: SKEIN_URL, apiKey: SKEIN_API_KEY })

const answers = process.argv.slice(2).map(async (folder) => {
  const agent = await skein.spawn({
    description: `Look for dead code in ${folder}. Change nothing; list what you find.`,
    labels: { purpose: 'dead-code' },
    maxCost: 1,
  })
  const { status } = await agent.wait({ timeoutMs: 30 * 60 * 1000 })
  console.log(`${folder} (${agent.name}, $${status.cost})\n${status.lastMessage}\n`)
  // It rests and could be asked more. Here we are done with it.
  await agent.kill()
})

await Promise.all(answers)

import { Skein } from '@skein/client'
import { waitFor } from '@skein/testkit'
import type { GitHost } from './git-host.ts'
import type { Service } from './journey.ts'

const AGENT_MS = 300_000

/** A real agent in its sandbox in a pod, with the simulator as its model: from its start to its branch. */
export async function runAgent({ url, adminKey }: Service, git: GitHost): Promise<object> {
  const skein = new Skein({ baseUrl: url, apiKey: adminKey })
  const repos = [{ url: git.url, baseBranch: 'main' }]
  await skein.catalog.put('workspace', 'sample', { description: 'A sample.', repos })
  const runner = await waitFor(
    async () => (await skein.runners()).find(({ sandboxes }) => sandboxes.length > 0),
    { what: 'a runner with a sandbox', timeoutMs: AGENT_MS },
  )
  const agent = await skein.spawn({
    workspace: 'sample',
    name: 'first',
    description: 'Write down what this is',
  })
  const { outcome, error } = await agent.result({ timeoutMs: AGENT_MS })
  if (outcome !== 'completed' || !git.listBranches().includes('skein/first'))
    throw new Error(`The agent ended with ${outcome} ${error?.message ?? ''}`)
  const working = runner.sandboxes.filter(({ problem }) => problem === '')
  return { outcome, sandboxes: working.map(({ name }) => name) }
}

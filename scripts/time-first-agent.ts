/**
 * `npm run time:first-agent`: how long a newcomer waits for the first agent to finish, starting with an empty
 * folder. Prints one line of JSON. The goal is two minutes in total. Clones the last commit.
 */
import { makeDataDir, removeDataDir, runNpxDev } from '../packages/cli/test/dev/dev-process.ts'
import { cloneRepository, followFirstAgent, installPackages } from '../packages/cli/test/dev/fresh-clone.ts'

const GOAL_MS = 120_000

const folder = await makeDataDir()
try {
  const times = await timeFirstAgent()
  console.log(JSON.stringify(times))
  if (times.totalMs > GOAL_MS) console.error(`The goal is ${GOAL_MS} ms.`)
} finally {
  await removeDataDir(folder)
}

async function timeFirstAgent() {
  const startedAt = performance.now()
  let stepAt = startedAt
  const lap = (): number => {
    const ms = Math.round(performance.now() - stepAt)
    stepAt = performance.now()
    return ms
  }
  const clone = await cloneRepository(folder)
  const cloneMs = lap()
  await installPackages(clone)
  const installMs = lap()
  const dev = await runNpxDev(clone)
  const devMs = lap()
  await followFirstAgent(clone, 'Write down what this repository is about')
  const agentMs = lap()
  const totalMs = Math.round(performance.now() - startedAt)
  dev.signal('SIGINT')
  await dev.exitCode
  return { cloneMs, installMs, devMs, agentMs, totalMs }
}

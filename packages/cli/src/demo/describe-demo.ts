import type { AgentEntry } from '@skein/client'
import type { Environment } from '../profile/environment.ts'
import type { Io } from '../io.ts'
import { paintStanding } from '../output/facts.ts'
import { formatTable } from '../output/table.ts'
import { DEMO_AGENTS } from './demo-agents.ts'
import { nameOf } from './make-demo.ts'

export interface DemoFacts {
  readonly workspace: string
  readonly agents: readonly AgentEntry[]
  readonly dashboardUrl: string
  /** Signs a browser in once. */
  readonly signInUrl: string
}

/** Lists the agents and what to try with each. */
export function describeDemo(io: Io, { workspace, agents, signInUrl }: DemoFacts): string {
  const entries = new Map(agents.map((entry) => [nameOf(entry), entry]))
  const rows = DEMO_AGENTS.map(({ name, shows }) => {
    const entry = entries.get(name)
    return [`  ${workspace}/${name}`, entry ? paintStanding(io, entry) : '', io.paint('dim', shows)]
  })
  return `${formatTable(rows)}

Try:

${formatTable(commandsFor(workspace, io.env))}

Watch them in the dashboard. This link signs your browser in, once and within 5 minutes:

  ${signInUrl}`
}

function commandsFor(workspace: string, env: Environment): string[][] {
  const agent = (name: string): string => `${workspace}/${name}`
  const commands: [command: string, does: string][] = [
    ['ps --all', 'all agents'],
    [`diff ${agent('fix-split')}`, 'what it has pushed'],
    [`logs ${agent('release')}`, 'what it said and did'],
    [`send ${agent('currencies')} "After the amount."`, 'answers its question'],
    [`send --continue ${agent('parse-commas')} "Try again."`, 'continues it where it failed'],
    [`logs --follow ${agent('flaky-tests')}`, 'what it is doing; Ctrl-C ends the command, not the agent'],
    [`queue ls ${agent('weekly-report')}`, 'the message it will get'],
    ['demo --clean', 'removes the demo'],
  ]
  return commands.map(([command, does]) => [`  ${skeinCommand(env)} ${command}`, `# ${does}`])
}

/** In a clone, `skein` is not on the PATH. */
function skeinCommand(env: Environment): string {
  return env['npm_command'] === undefined ? 'skein' : 'npx skein'
}

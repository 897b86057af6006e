import type { AgentId } from './answers.ts'

type Step = Record<string, unknown>

/** A script for the simulator of `skein dev`, which reads it from a message. */
export const plays = (...steps: Step[]): string => `\n\n\`\`\`simulate\n${JSON.stringify(steps)}\n\`\`\`\n`

export const FINISHES: Step = { tool: 'finish', input: { result: 'All done.' } }
export const ASKS: Step = { tool: 'ask_for_input', input: { question: 'Blue or green?' } }

/** First says and spends something, then nothing for ten minutes. */
export const SLEEPS: Step[] = [
  { say: 'One.', shell: 'true' },
  { delayMs: 600_000, say: 'Two.' },
]

export const pushes = (path: string): Step => ({
  shell: `mkdir -p "$(dirname ${path})" && date +%N > ${path} && git add ${path} && git commit -qm work && git push -q origin HEAD`,
})

/** The workspace `skein dev` creates. Its agents really run. */
export const sample = (...agent: string[]): AgentId => ({ workspace: 'sample', agent })

/** A workspace whose pool has no runner: its agents are live and stay PENDING. */
export const idle = (...agent: string[]): AgentId => ({ workspace: 'idle', agent })

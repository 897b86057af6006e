#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { startSimulator } from './simulator.ts'

const USAGE = `skein-simulator [--port N] [--host ADDRESS] [--scripts FOLDER]... [--json]

A model server without a model: it answers Anthropic's Messages API and OpenAI's Responses API from scripts, so that
real coding agents can run without a key, without a network and without cost.

  --port N          where to listen; any free port by default
  --host ADDRESS    the address to listen on; 127.0.0.1 by default
  --scripts FOLDER  a folder of scripts (*.yaml), tried before the ones that come with the simulator; may be repeated
  --json            print the line with the address as JSON
  --help            print this

Point an agent at it with any API key:

  Claude Code       ANTHROPIC_BASE_URL=<address>
  Codex             base_url = "<address>/v1" and wire_api = "responses" in a model provider of its own

A prompt may bring its script along, in a fenced block named "simulate":

  \`\`\`simulate
  - say: I look around first.
    shell: ls
  - say: That is all.
  \`\`\`

Any other prompt is answered by the first script whose "when" matches it, or else by the default script.`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      scripts: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return print(USAGE)
  const simulator = await startSimulator({
    port: parsePort(values.port),
    ...(values.host !== undefined && { host: values.host }),
    ...(values.scripts && { scripts: values.scripts }),
    // Nobody reads the log in a separate process.
    logLimit: 0,
  })
  print(
    values.json ? JSON.stringify({ url: simulator.url }) : `The simulator is listening at ${simulator.url}`,
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void simulator.close())
}

function parsePort(text: string | undefined): number {
  if (text === undefined) return 0
  if (/^\d{1,5}$/u.test(text) && Number(text) <= 65_535) return Number(text)
  throw new Error(`--port must be a number from 0 to 65535, not "${text}"`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

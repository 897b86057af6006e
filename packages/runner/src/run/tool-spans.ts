import { context, type Span } from '@opentelemetry/api'
import { failSpan } from '@skein/host/telemetry'
import type { TurnEvent } from '../backends/backend.ts'
import { tracer } from '../tracer.ts'
import { cut } from '../clean-text.ts'

const MAX_NAME = 100
/** An agent can start tools without end. */
const MAX_OPEN = 100

/** The tools of a turn as spans: which, and whether they failed. Never their input or output. */
export class ToolSpans {
  readonly #turn = context.active()
  readonly #redact: (text: string) => string
  readonly #open = new Map<string, Span>()

  constructor(redact: (text: string) => string) {
    this.#redact = redact
  }

  observe(event: TurnEvent): void {
    if (event.type === 'tool-started' && this.#open.size < MAX_OPEN) this.#start(event)
    if (event.type === 'tool-ended') this.#end(event)
  }

  /** Of a turn that ended before its tools did. */
  endAll(): void {
    for (const span of this.#open.values()) {
      failSpan(span, 'turn_ended')
      span.end()
    }
    this.#open.clear()
  }

  #start({ id, tool }: { readonly id: string; readonly tool: string }): Span {
    const name = this.#name(tool)
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': this.#name(id),
    }
    const span = tracer.startSpan(`execute_tool ${name}`, { attributes }, this.#turn)
    this.#open.set(id, span)
    return span
  }

  /** Some programs report only the end. */
  #end(event: Extract<TurnEvent, { type: 'tool-ended' }>): void {
    const span = this.#open.get(event.id) ?? this.#start(event)
    if (event.isError) failSpan(span, 'tool_error')
    span.end()
    this.#open.delete(event.id)
  }

  #name(text: string): string {
    return cut(this.#redact(text), MAX_NAME)
  }
}

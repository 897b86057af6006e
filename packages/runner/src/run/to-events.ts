import type { TurnEvent } from '../backends/backend.ts'
import { cut } from '../clean-text.ts'
import type { ReportedEvent } from './run-reporter.ts'

const MAX_TEXT = 65_536
/** Enough to show what a tool is doing. The whole input follows with the output. */
const MAX_STARTED_INPUT = 1_000
const MAX_NAME = 255

/** The timeline events of a turn's event. */
export function toReportedEvents(event: TurnEvent): ReportedEvent[] {
  switch (event.type) {
    case 'text':
      return event.text.trim() === '' ? [] : [{ type: 'run.message', text: cut(event.text, MAX_TEXT) }]
    case 'tool-started':
      return [
        { type: 'run.tool-started', ...callOf(event), input: cut(event.input.trim(), MAX_STARTED_INPUT) },
      ]
    case 'tool-ended': {
      const { input, output, isError: failed } = event
      const texts = { input: cut(input, MAX_TEXT), output: cut(output, MAX_TEXT) }
      return [{ type: 'run.tool-called', ...callOf(event), ...texts, failed }]
    }
    case 'retrying':
    case 'warning':
      return [{ type: 'run.progressed', message: cut(event.message, MAX_TEXT) }]
    case 'started':
    case 'thinking':
      return []
  }
}

function callOf({ id, tool }: { readonly id: string; readonly tool: string }) {
  return { callId: cut(id, MAX_NAME), tool: cut(tool, MAX_NAME) }
}

import type { TurnEvent } from '../backends/backend.ts'
import { cut } from './clean-text.ts'
import type { ReportedEvent } from './run-reporter.ts'

const MAX_TEXT = 65_536
const MAX_SUMMARY = 200
const MAX_TOOL_NAME = 255

/** The timeline events of a turn's event. */
export function toReportedEvents(event: TurnEvent): ReportedEvent[] {
  switch (event.type) {
    case 'text':
      return event.text.trim() === '' ? [] : [{ type: 'run.message', text: cut(event.text, MAX_TEXT) }]
    case 'tool-started':
      return [{ type: 'run.progressed', message: summarize(event.tool, event.input) }]
    case 'tool-ended':
      return [
        {
          type: 'run.tool-called',
          tool: cut(event.tool, MAX_TOOL_NAME),
          input: cut(event.input, MAX_TEXT),
          output: cut(event.isError ? `Error: ${event.output}` : event.output, MAX_TEXT),
        },
      ]
    case 'retrying':
    case 'warning':
      return [{ type: 'run.progressed', message: cut(event.message, MAX_TEXT) }]
    case 'started':
    case 'thinking':
      return []
  }
}

function summarize(tool: string, input: string): string {
  const [line = ''] = input.trim().split('\n', 1)
  return line === '' ? tool : cut(`${tool}: ${line}`, MAX_SUMMARY)
}

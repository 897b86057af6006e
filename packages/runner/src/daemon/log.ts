import { logOptions } from '@skein/host/telemetry'
import { pino, type Logger } from 'pino'
import type { RunnerConfig } from '../config.ts'
import type { RunnerEvent } from '../runner-event.ts'
import { Redactor } from '../secrets/redactor.ts'

/** Every line is redacted once more as a whole: a message may quote what some program said. */
export function openLog(
  config: Pick<RunnerConfig, 'SKEIN_LOG_LEVEL' | 'SKEIN_API_KEY' | 'ANTHROPIC_API_KEY' | 'OPENAI_API_KEY'>,
  write: (line: string) => void,
): Logger {
  const { redact } = new Redactor([config.SKEIN_API_KEY, config.ANTHROPIC_API_KEY, config.OPENAI_API_KEY])
  const options = logOptions({ service: 'skein-runner', level: config.SKEIN_LOG_LEVEL })
  return pino(options, { write: (line: string) => write(redact(line)) })
}

/** Logs what happens in the runner: neither secrets nor what agents said. */
export class EventLog {
  readonly #log: Logger
  #lastUnreachable = ''

  constructor(log: Logger) {
    this.#log = log
  }

  observe(event: RunnerEvent): void {
    switch (event.type) {
      case 'missing':
        return this.#log.warn({ reason: event.reason }, `cannot offer ${event.what}`)
      case 'fixed':
        return this.#log.info(`can offer ${event.what} now`)
      case 'problem':
        return this.#log.error({ ...event.about, reason: event.message }, 'something went wrong')
      case 'unreachable':
        // Once, not every second while the service is unavailable.
        if (event.message !== this.#lastUnreachable)
          this.#log.warn({ reason: event.message }, 'the service does not answer')
        this.#lastUnreachable = event.message
        return
      case 'run-began':
        this.#lastUnreachable = ''
        return this.#log.info(event.run, 'a run began')
      case 'run-ended': {
        const { run, reason, durationMs, costUsd } = event
        return this.#log.info({ ...run, reason, durationMs, costUsd }, 'a run ended')
      }
      case 'model-called':
      case 'first-model-call':
      case 'git-failed':
      case 'blob-failed':
    }
  }
}

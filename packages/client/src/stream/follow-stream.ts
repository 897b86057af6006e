import { Reconnects } from './reconnects.ts'
import type { SenderOptions } from '../call/send-call.ts'
import { pause } from '../call/time-limit.ts'

/**
 * Connection state of a watch. After `lost` comes `connecting` again, until the watch gives up or ends.
 *
 * @example
 * import type { WatchState } from '@skein/client'
 *
 * const show = (state: WatchState) => console.log(state === 'open' ? 'live' : 'not connected')
 */
export type WatchState = 'connecting' | 'open' | 'lost'

/**
 * How a watch ends, and how long it tries to reconnect.
 *
 * @example
 * for await (const event of agent.watch({ signal: AbortSignal.timeout(60_000), reconnectForMs: 30_000 })) {
 *   console.log(event.type)
 * }
 */
export interface WatchOptions {
  /** Ends the watch, without an error. */
  readonly signal?: AbortSignal | undefined
  /** How long to try to reconnect before failing with the error. Default: five minutes. */
  readonly reconnectForMs?: number | undefined
  /** Called whenever the connection state changes. No event is missed in the meantime. */
  readonly onState?: ((state: WatchState) => void) | undefined
}

const DEFAULT_RECONNECT_FOR_MS = 300_000

interface Stream<Event> {
  readonly name: string
  /** One connection, continuing where the last one ended. It never ends normally, but throws when it is lost. */
  open(onOpen: () => void): AsyncGenerator<Event, void>
}

/** Reopens a stream whenever it is cut, until the signal is aborted or the service refuses. */
export async function* followStream<Event>(
  stream: Stream<Event>,
  options: SenderOptions,
  { signal, reconnectForMs = DEFAULT_RECONNECT_FOR_MS, onState }: WatchOptions,
): AsyncGenerator<Event, void> {
  const reconnects = new Reconnects(stream.name, options, reconnectForMs)
  const isAborted = (): boolean => signal?.aborted === true
  const onOpen = (): void => {
    reconnects.opened()
    onState?.('open')
  }
  while (!isAborted()) {
    onState?.('connecting')
    try {
      for await (const event of stream.open(onOpen)) {
        if (isAborted()) return
        reconnects.received()
        yield event
      }
    } catch (error) {
      if (isAborted()) return
      onState?.('lost')
      await pause(reconnects.delayAfter(error), signal)
    }
  }
}

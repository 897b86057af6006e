/**
 * The network of an installation, in a separate process, because it must keep going while the test itself is busy.
 */
import { Line, type LineFault } from './line.ts'

export type NetworkOrder =
  | { readonly order: 'open'; readonly id: number; readonly name: string; readonly ports: readonly number[] }
  | { readonly order: 'strike'; readonly name: string; readonly fault: LineFault; readonly ms: number }

export interface OpenedLine {
  readonly id: number
  readonly port: number
}

const lines = new Map<string, Line>()

process.on('message', (message) => void obey(message as NetworkOrder))
process.once('disconnect', () => process.exit(0))

async function obey(order: NetworkOrder): Promise<void> {
  if (order.order === 'strike') {
    lines.get(order.name)?.strike(order.fault, order.ms)
    return
  }
  const line = await Line.open(order.ports)
  lines.set(order.name, line)
  process.send?.({ id: order.id, port: line.port } satisfies OpenedLine)
}

import { ScriptedRunner, type Step } from '@skein/testkit'
import { Skein, type Retry, type SkeinOptions } from '../src/index.ts'
import { startTransportWorld, type TransportWorld } from './transport-world.ts'

/** The SDK on the real service, with a faulty proxy in between and a runner that executes scripts. */
export interface SkeinWorld extends Omit<TransportWorld, 'connect'> {
  readonly skein: Skein
  readonly retries: readonly Retry[]
  /** Without a pause between tries. */
  connect(options?: Partial<SkeinOptions>): Skein
  /** From here on runs are executed. */
  startRunner(defaultScript?: readonly Step[]): Promise<void>
}

export async function startSkeinWorld(): Promise<SkeinWorld> {
  const world = await startTransportWorld()
  const { directUrl } = world
  const retries: Retry[] = []
  const runners: ScriptedRunner[] = []
  const connect = (options: Partial<SkeinOptions> = {}) =>
    new Skein({
      baseUrl: world.proxy.url,
      apiKey: world.apiKey,
      random: () => 0,
      onRetry: (retry) => void retries.push(retry),
      ...options,
    })
  return {
    ...world,
    retries,
    connect,
    skein: connect(),
    async startRunner(defaultScript = [{ do: 'rest' }]) {
      const token = { account: 'robot', role: 'runner', pools: ['default'] }
      const { document } = await world.tenant.operator.write('token', 'runner', token, {
        justification: 'a test',
      })
      const apiKey = String(document['key'])
      runners.push(
        new ScriptedRunner({ baseUrl: directUrl, apiKey, defaultScript, heartbeatMs: 200 }).start(),
      )
    },
    async close() {
      await Promise.all(runners.map((runner) => runner.stop()))
      await world.close()
    },
  }
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

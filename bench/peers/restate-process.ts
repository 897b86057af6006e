/** The same three steps as a Restate virtual object. Its SDK is installed only for the comparison: in RESTATE_DIR. */
import { createRequire } from 'node:module'

interface State {
  readonly description: string
  readonly queue: readonly string[]
}

/** What is used of the SDK. */
interface Context {
  get(key: 'state'): Promise<State>
  set(key: 'state', state: State): void
}

type Handler = (context: Context, input: Pick<State, 'description'>) => Promise<unknown>

interface Sdk {
  readonly handlers: { readonly object: { shared(handler: Handler): Handler } }
  object(options: { readonly name: string; readonly handlers: Readonly<Record<string, Handler>> }): object
  serve(options: { readonly services: readonly object[]; readonly port: number }): void
}

const require = createRequire(`${process.env['RESTATE_DIR'] ?? ''}/package.json`)
const restate = require('@restatedev/restate-sdk') as Sdk

const agent = restate.object({
  name: 'agent',
  handlers: {
    spawn: (context, { description }) => {
      context.set('state', { description, queue: [] })
      return Promise.resolve({ isNew: true })
    },
    queue: async (context, { description }) => {
      const state = await context.get('state')
      context.set('state', { ...state, queue: [...state.queue, description] })
      return { queued: state.queue.length + 1 }
    },
    status: restate.handlers.object.shared((context) => context.get('state')),
  },
})

restate.serve({ services: [agent], port: Number(process.env['RESTATE_SERVICE_PORT']) })

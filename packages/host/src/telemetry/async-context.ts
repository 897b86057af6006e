import { AsyncLocalStorage } from 'node:async_hooks'
import { ROOT_CONTEXT, type Context, type ContextManager } from '@opentelemetry/api'

/** Which span is active, kept across `await` by Node. */
export class AsyncContext implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>()

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT
  }

  with<Args extends unknown[], Work extends (...args: Args) => ReturnType<Work>>(
    active: Context,
    work: Work,
    thisArg?: ThisParameterType<Work>,
    ...args: Args
  ): ReturnType<Work> {
    return this.#storage.run(active, () => work.apply(thisArg, args))
  }

  /** For callbacks, which Node does not follow. Nothing of ours binds an event emitter. */
  bind<Target>(active: Context, target: Target): Target {
    if (typeof target !== 'function') return target
    const bound = (...args: unknown[]): unknown =>
      this.#storage.run(active, (): unknown => Reflect.apply(target, undefined, args))
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- takes and returns what the target does
    return bound as Target
  }

  enable(): this {
    return this
  }

  disable(): this {
    this.#storage.disable()
    return this
  }
}

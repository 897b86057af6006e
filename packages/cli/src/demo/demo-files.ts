import { fileURLToPath } from 'node:url'

/** Scripts of the demo's agents, known to the simulator of every `skein dev`. */
export const DEMO_SCRIPTS = fileURLToPath(new URL('../../demo/scripts/', import.meta.url))

/** The demo's repository: a small library with a failing test. */
export const DEMO_REPOSITORY = fileURLToPath(new URL('../../demo/repository/', import.meta.url))

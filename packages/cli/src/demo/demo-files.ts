import { fileURLToPath } from 'node:url'

/** What the agents of the demo do; the simulator of every `skein dev` knows it. */
export const DEMO_SCRIPTS = fileURLToPath(new URL('../../demo/scripts/', import.meta.url))

/** What they work on: a small library with a test that fails. */
export const DEMO_REPOSITORY = fileURLToPath(new URL('../../demo/repository/', import.meta.url))

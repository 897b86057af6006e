export { exampleOf } from './examples.ts'
export { EXIT_CODES } from './exit-codes.ts'
export { processIo } from './io.ts'
export { createProgram } from './program.ts'

export { exampleOf } from './command-line/examples.ts'
export { EXIT_CODES } from './exit-codes.ts'
export { processIo } from './io.ts'
export { createProgram } from './command-line/program.ts'

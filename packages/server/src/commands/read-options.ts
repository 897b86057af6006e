import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { ConfigError } from '@skein/contract'

/** The command's options. A wrong one is answered with how the command is used. */
export function readOptions<const Options extends ParseArgsOptionsConfig>(
  usage: string,
  args: string[],
  options: Options,
): ReturnType<typeof parseArgs<{ args: string[]; options: Options }>>['values'] {
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    throw new ConfigError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  }
}

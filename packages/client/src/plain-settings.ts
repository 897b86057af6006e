/**
 * A JSON Schema, as an object or as its text.
 *
 * @example
 * import type { OutputSchema } from '@skein/client'
 *
 * const schema: OutputSchema = { type: 'object', properties: { isGood: { type: 'boolean' } } }
 */
export type OutputSchema = string | Readonly<Record<string, unknown>>

/** Settings in a more convenient form than the wire's. */
export interface PlainSettings {
  readonly persona?: string | undefined
  /** The wire's name for `persona`. */
  readonly agent?: string | undefined
  /** The schema of the answer. */
  readonly outputSchema?: OutputSchema | undefined
}

interface WireSettings {
  readonly agent?: string | undefined
  readonly outputSchema?: string | undefined
}

export function toWireSettings<Fields extends PlainSettings>({
  persona,
  agent = persona,
  outputSchema,
  ...rest
}: Fields): Omit<Fields, keyof PlainSettings> & WireSettings {
  return {
    ...rest,
    ...(agent !== undefined && { agent }),
    ...(outputSchema !== undefined && {
      outputSchema: typeof outputSchema === 'string' ? outputSchema : JSON.stringify(outputSchema),
    }),
  }
}

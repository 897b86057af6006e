import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** Why a text is no JSON Schema that we can check output against; undefined when it is one. */
export function outputSchemaProblem(text: string): string | undefined {
  try {
    const schema: unknown = JSON.parse(text)
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return 'must be a JSON object'
    const ajv = new Ajv2020({
      strict: false,
      logger: false,
      validateFormats: true,
      // One large part, copied to each of a thousand references to it, keeps the event loop busy for minutes.
      inlineRefs: false,
      code: { optimize: false },
    })
    addFormats.default(ajv)
    ajv.compile(schema)
    return undefined
  } catch (error) {
    // Deep nesting ends in a RangeError here; an unresolvable $ref, a bad keyword or bad JSON in others.
    if (error instanceof RangeError) return 'is too large or nested too deeply'
    return `is not a JSON Schema: ${error instanceof Error ? error.message.slice(0, 300) : 'unreadable'}`
  }
}

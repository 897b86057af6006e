import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { schemaBoundsProblem } from './schema-bounds.ts'

const MAX_PROBLEM_LENGTH = 2_000

/** Why a text is not a usable JSON Schema for outputs; undefined if it is. */
export function outputSchemaProblem(text: string): string | undefined {
  try {
    const schema: unknown = JSON.parse(text)
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return 'must be a JSON object'
    const problem = schemaBoundsProblem(schema)
    if (problem !== undefined) return problem
    createAjv().compile(schema)
    return undefined
  } catch (error) {
    // Deep nesting causes a RangeError. Unresolvable $refs, bad keywords and bad JSON cause other errors.
    if (error instanceof RangeError) return 'is too large or nested too deeply'
    return `is not a JSON Schema: ${error instanceof Error ? error.message.slice(0, 300) : 'unreadable'}`
  }
}

/** Returns how an output differs from the schema; undefined if it matches. Expects a schema without problems. */
export function compileOutputSchema(text: string): (output: unknown) => string | undefined {
  const ajv = createAjv()
  const validate = ajv.compile(parseSchema(text))
  return (output) => {
    try {
      if (validate(output)) return undefined
    } catch (error) {
      // A schema that refers to itself for the same value never ends.
      const why = error instanceof RangeError ? 'that refers to itself' : 'a part of it fails'
      return `It cannot be checked against the schema: ${why}.`
    }
    return ajv
      .errorsText(validate.errors, { dataVar: 'output', separator: '\n' })
      .slice(0, MAX_PROBLEM_LENGTH)
  }
}

function parseSchema(text: string): AnySchemaObject {
  const schema: unknown = JSON.parse(text)
  if (typeof schema !== 'object' || schema === null) throw new TypeError('The schema is not an object')
  return schema
}

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    validateFormats: true,
    // A large part copied into a thousand references to it would block the event loop for minutes.
    inlineRefs: false,
    code: { optimize: false },
    // An agent gets one chance to correct its answer, so report everything.
    allErrors: true,
  })
  addFormats.default(ajv)
  return ajv
}

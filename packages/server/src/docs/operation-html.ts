import { BODY_REASONS, COMMON_REASONS, MUTATION_REASONS, OPERATIONS } from '@skein/contract'
import type { ApiDocument, ApiOperation, Body, Schema } from './api-document.ts'
import { reasonTable } from './error-html.ts'
import { html, NOTHING, prose, type Html } from './html.ts'
import { fieldTable, referenceOf, rowTable, typeHtml } from './schema-html.ts'

/** Listed once for all operations, in the chapter on errors. */
const SHARED_REASONS: ReadonlySet<string> = new Set([...COMMON_REASONS, ...BODY_REASONS, ...MUTATION_REASONS])

export function operationSection(operation: ApiOperation, document: ApiDocument): Html {
  const { id, method, path, summary, description, permission, parameters, request, response } = operation
  const own = operation.reasons.filter((reason) => !SHARED_REASONS.has(reason))
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h3 id="${id}-title">${summary}</h3>
    <p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
    <p class="facts">Operation <code>${id}</code>, ${needsHtml(permission)}</p>
    ${prose(description)} ${parameterTable('Path', 'path', operation, document)}
    ${parameterTable('Query', 'query', operation, document)}
    ${parameterTable('Headers', 'header', operation, document)}
    ${request ? fieldTable('Request body', resolve(request.schema, document), { document, marksRequired: true }) : NOTHING}
    ${responseHtml(response, document)} ${reasonTable(own, 'Errors', '')}
    <p class="facts">
      ${own.length === 0 ? 'Errors:' : 'Also:'} <a href="#errors">those of every request</a>${
        parameters.some(({ name }) => name === 'Idempotency-Key')
          ? html`. Safe to retry with the same <code>Idempotency-Key</code>`
          : NOTHING
      }.
    </p>
    ${exampleHtml('Example', curl(operation))} ${exampleHtml('Answer', answerText(response))}
  </section>`
}

function needsHtml(permission: string): Html {
  return permission === 'none' ? html`needs no key` : html`needs <code>${permission}</code>`
}

function parameterTable(
  title: string,
  place: string,
  { parameters }: ApiOperation,
  document: ApiDocument,
): Html {
  const rows = parameters.filter((parameter) => parameter.place === place)
  return rowTable(title, rows, { document, marksRequired: true })
}

function responseHtml({ mediaType, schema }: Body, document: ApiDocument): Html {
  if (mediaType === 'text/event-stream') {
    return html`<p>The response is a stream of ${typeHtml(schema)}, one per event.</p>`
  }
  const table = fieldTable('Answer', resolve(schema, document), { document, marksRequired: false })
  return table === NOTHING ? html`<p>The response is an empty object.</p>` : table
}

function resolve(schema: Schema, { schemas }: ApiDocument): Schema {
  return schemas.get(referenceOf(schema) ?? '') ?? schema
}

const EXAMPLE_PATHS = new Map<string, string>(
  OPERATIONS.map(({ id, path, example }) => [id, 'path' in example ? example.path : path]),
)

function curl({ id, method, path, permission, request, response }: ApiOperation): string {
  const url = `"$SKEIN_URL${EXAMPLE_PATHS.get(id) ?? path}"`
  const isStream = response.mediaType === 'text/event-stream'
  const body = request && JSON.stringify(request.example ?? {}, null, 2).replaceAll("'", String.raw`'\''`)
  return [
    `curl ${isStream ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}${url}`,
    ...(permission === 'none' ? [] : [`-H "Authorization: Bearer $SKEIN_API_KEY"`]),
    ...(body === undefined ? [] : [`-H "Content-Type: application/json"`, `-d '${body}'`]),
  ].join(' \\\n  ')
}

function answerText({ mediaType, example }: Body): string {
  if (example === undefined) return ''
  return mediaType === 'text/event-stream'
    ? `data: ${JSON.stringify(example)}`
    : JSON.stringify(example, null, 2)
}

/** Focusable because it scrolls: keyboard users must be able to reach the end of its lines. */
function exampleHtml(title: string, code: string): Html {
  if (code === '') return NOTHING
  return html`<figure>
    <figcaption>${title}</figcaption>
    <pre tabindex="0"><code>${code}</code></pre>
  </figure>`
}

import { fields, items, text, type ApiDocument, type ApiOperation, type Schema } from './api-document.ts'
import { errorChapter } from './error-html.ts'
import { html, inline, NOTHING, prose, type Html } from './html.ts'
import { operationSection } from './operation-html.ts'
import { fieldTable, typeHtml } from './schema-html.ts'

/** The API reference as one page without scripts. */
export function renderPage(document: ApiDocument): string {
  const tags = [...new Set(document.operations.map(({ tag }) => tag))]
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${document.title} API reference</title>
        <link rel="stylesheet" href="docs/style.css" />
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <p class="brand">
            <a href="#content">${document.title}</a> <span>API reference, version ${document.version}</span>
          </p>
          <p><a href="openapi.json">openapi.json</a></p>
        </header>
        <nav aria-label="Operations">
          ${tags.map((tag) => navigation(tag, document))}
          <p class="group">More</p>
          <ul>
            <li><a href="#errors">Errors</a></li>
            <li><a href="#types">Types</a></li>
          </ul>
        </nav>
        <main id="content">
          <h1>API reference</h1>
          ${introduction(document)} ${tags.map((tag) => chapter(tag, document))} ${errorChapter()}
          ${typeChapter(document)}
        </main>
      </body>
    </html> `
  return page.text
}

function introduction({ description }: ApiDocument): Html {
  return html`${prose(description)}
    <ul>
      <li>
        <strong>Key.</strong> Each request carries the header
        <code>Authorization: Bearer $SKEIN_API_KEY</code>. The examples take the address of the server from
        <code>SKEIN_URL</code>.
      </li>
      <li>
        <strong>Unknown fields</strong> in a request are rejected. In a response, ignore fields that you do
        not know yet.
      </li>
      <li>
        <strong>Timestamps</strong> are RFC 3339, in answers UTC with milliseconds.
        <strong>Durations</strong> are seconds such as <code>90s</code>.
      </li>
      <li>
        <strong>Every field</strong> of an answer is always there; empty means that there is nothing to say.
      </li>
    </ul>`
}

const titleOf = (tag: string): string => tag.charAt(0).toUpperCase() + tag.slice(1)

const operationsOf = (tag: string, { operations }: ApiDocument): ApiOperation[] =>
  operations.filter((operation) => operation.tag === tag)

function navigation(tag: string, document: ApiDocument): Html {
  const links = operationsOf(tag, document).map(
    ({ id, summary }) => html`<li><a href="#${id}">${summary}</a></li>`,
  )
  return html`<p class="group">${titleOf(tag)}</p>
    <ul>
      ${links}
    </ul> `
}

function chapter(tag: string, document: ApiDocument): Html {
  const sections = operationsOf(tag, document).map((operation) => operationSection(operation, document))
  return html`<section id="tag-${tag}" aria-labelledby="tag-${tag}-title">
    <h2 id="tag-${tag}-title">${titleOf(tag)}</h2>
    ${sections}
  </section> `
}

function typeChapter(document: ApiDocument): Html {
  const types = [...document.schemas].map(([name, schema]) => typeSection(name, schema, document))
  return html`<section id="types" aria-labelledby="types-title">
    <h2 id="types-title">Types</h2>
    <p>Types that the tables above refer to.</p>
    ${types}
  </section>`
}

function typeSection(name: string, schema: Schema, document: ApiDocument): Html {
  const table = fieldTable('Fields', schema, { document, marksRequired: isRequest(name) })
  return html`<section id="type-${name}" aria-labelledby="type-${name}-title">
    <h3 id="type-${name}-title">${name}</h3>
    <p>${inline(text(schema['description']))}</p>
    ${table === NOTHING ? variants(schema) : table}
  </section> `
}

/** Only requests can have optional fields. */
function isRequest(name: string): boolean {
  return /(?:Request|Input|Update)$/.test(name)
}

function variants(schema: Schema): Html {
  const parts = items(schema['anyOf'])
  if (parts.length === 0) return html`<p>${typeHtml(schema)}</p>`
  return html`<ul>
    ${parts.map((part) => html`<li>${typeHtml(fields(part))}</li>`)}
  </ul>`
}

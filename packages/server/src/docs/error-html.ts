import {
  BODY_REASONS,
  CODES,
  COMMON_REASONS,
  MUTATION_REASONS,
  REASONS,
  type Reason,
  type ReasonEntry,
} from '@skein/contract'
import { html, inline, NOTHING, type Html } from './html.ts'

function isReason(name: string): name is Reason {
  return Object.hasOwn(REASONS, name)
}

/** Adds an anchor for each reason if a prefix is given. */
export function reasonTable(reasons: readonly string[], title: string, anchorPrefix: string): Html {
  const known = reasons.filter(isReason)
  if (known.length === 0) return NOTHING
  return html`<table class="errors">
    <caption>
      ${title}
    </caption>
    <thead>
      <tr>
        <th scope="col">Reason</th>
        <th scope="col">Status and code</th>
        <th scope="col">Meaning, and what to do</th>
      </tr>
    </thead>
    <tbody>
      ${known.map((reason) => reasonRow(reason, anchorPrefix))}
    </tbody>
  </table>`
}

function reasonRow(reason: Reason, anchorPrefix: string): Html {
  const { code, summary, remedy, httpStatus }: ReasonEntry = REASONS[reason]
  const anchor = anchorPrefix === '' ? NOTHING : html` id="${anchorPrefix}${reason}"`
  return html`<tr${anchor}>
    <th scope="row"><code>${reason}</code></th>
    <td>${String(httpStatus ?? CODES[code].httpStatus)} <code>${code}</code></td>
    <td>${inline(summary)} <em>${inline(remedy)}</em></td>
  </tr> `
}

export function errorChapter(): Html {
  const shared: ReadonlySet<string> = new Set([...COMMON_REASONS, ...BODY_REASONS, ...MUTATION_REASONS])
  const others = Object.keys(REASONS).filter((reason) => !shared.has(reason))
  return html`<section id="errors" aria-labelledby="errors-title">
    <h2 id="errors-title">Errors</h2>
    <p>
      Every error response has the same format, <a href="#type-Error">Error</a>. Programs branch on the reason
      in its details. People quote the <code>x-request-id</code> of the answer when they ask for help.
    </p>
    ${reasonTable(COMMON_REASONS, 'Any request', 'error-')}
    ${reasonTable(BODY_REASONS, 'Any request with a body', 'error-')}
    ${reasonTable(MUTATION_REASONS, 'Any change', 'error-')} ${reasonTable(others, 'All others', 'error-')}
  </section>`
}

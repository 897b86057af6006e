import { basename } from 'node:path'
import type { DataDir } from '@skein/dev'
import { DEV_FOLDER } from '../profile/folder-profile.ts'

export interface ReadyFacts {
  readonly baseUrl: string
  readonly apiKey: string
  readonly dashboardUrl: string
  /** Signs a browser in once. */
  readonly signInUrl: string
}

/** What to do next. */
export function greet(
  { baseUrl, apiKey, dashboardUrl, signInUrl }: ReadyFacts,
  { name, path }: DataDir,
): string {
  const isFound = basename(path) === DEV_FOLDER
  return `
Dashboard: ${dashboardUrl}

To sign your browser in, open this link within 5 minutes; it works once:

  ${signInUrl}

Leave it running, and start a first agent from another terminal${isFound ? ', in the same folder' : ''}:
${isFound ? '' : `\n  export SKEIN_PROFILE=${path}`}
  npx skein spawn --follow "Write down what this repository is about"

It works in its own repository, ${name}/sample.git, and pushes its branch there:

  git -C ${name}/sample.git log --oneline --all

${isFound ? `From other folders, commands find this Skein with:\n\n  export SKEIN_PROFILE=${path}\n\n` : ''}Programs, and curl, get in with:

  export SKEIN_URL=${baseUrl}
  export SKEIN_API_KEY=${apiKey}
  curl -s "$SKEIN_URL/v1/whoami" -H "Authorization: Bearer $SKEIN_API_KEY"

Data and logs are kept in ${name}/. Ctrl-C stops all of it.`
}

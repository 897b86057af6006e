export interface ReadyFacts {
  readonly baseUrl: string
  readonly apiKey: string
  readonly dashboardUrl: string
}

/** What to do next. */
export function greet({ baseUrl, apiKey }: ReadyFacts, dataDir: string): string {
  return `
Skein is up at ${baseUrl}. Leave it running, and start a first agent from another terminal:

  npx skein spawn --follow "Write down what this repository is about"

It works in a repository of its own, ${dataDir}/sample.git, and pushes its branch there:

  git -C ${dataDir}/sample.git log --oneline --all

Programs, and curl, get in with:

  export SKEIN_URL=${baseUrl}
  export SKEIN_API_KEY=${apiKey}
  curl -s "$SKEIN_URL/v1/whoami" -H "Authorization: Bearer $SKEIN_API_KEY"

Data and logs are kept in ${dataDir}/. Ctrl-C stops all of it.`
}

import { MODEL_PROVIDERS } from '../../packages/contract/src/index.ts'
import { blocks, GENERATED, prose, table } from './markdown.ts'

const intro = `Claude and Codex run in a sandbox and reach their model through the runner’s gateway, which adds the key. So a provider works if the gateway supports it, whatever the programs themselves support. \`skein doctor --providers\` prints this table.`

const more = `Each supported provider has a test against the [model simulator](../packages/simulator/README.md). [Runners](runners.md#who-pays-for-the-model) explains how a tenant brings its own key, and how keys are tested. \`skein dev\` uses a key from your shell only if you confirm or pass \`--real\`.`

export function providerReference(): string {
  const rows = MODEL_PROVIDERS.map(({ name, backends, how }) => [
    prose(name),
    backends === '' ? 'no' : `backend ${backends}`,
    asCode(prose(how)),
  ])
  return blocks(GENERATED, '# Providers', intro, table(['Provider', 'Works', 'How, or why not'], rows), more)
}

/** Formats variables, paths and URLs as code. */
function asCode(text: string): string {
  return text.replaceAll(/\b[A-Z]+(?:_[A-Z]+)+\b|https:\/\/\S+|\/v1\/[a-z]+|\bx-api-key\b/g, '`$&`')
}

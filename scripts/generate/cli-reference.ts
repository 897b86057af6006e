import { createProgram, exampleOf, EXIT_CODES, processIo } from '@skein/cli'
import { blocks, code, fence, GENERATED, table } from './markdown.ts'

type Command = ReturnType<typeof createProgram>['program']

/** docs/cli.md, generated from the command line's own definitions. */
export function cliReference(): string {
  const { program } = createProgram(processIo())
  return `${blocks(
    GENERATED,
    '# The command line',
    INTRODUCTION,
    '## Options of every command',
    optionTable(program),
    ...groupsOf(program).flatMap(([heading, commands]) => [
      `## ${heading}`,
      ...commands.map(describeCommand),
    ]),
    '## Exit codes',
    'Scripts can branch on the exit code.',
    table(
      ['Exit code', 'Meaning', 'Error codes of the API'],
      EXIT_CODES.map(({ exitCode, meaning, codes }) => [
        String(exitCode),
        meaning,
        codes.map((name) => code(name)).join(', '),
      ]),
    ),
  )}\n`
}

const INTRODUCTION = blocks(
  'In a clone of the repository, run `npx skein`. To install `skein` from npm: `npm install --global @skein/cli`. `skein dev` and `skein demo` also need `@skein/dev`, which contains PostgreSQL, the server and a runner: `npm install --global @skein/cli @skein/dev`.',
  '**Where it connects.** The first of these that is set: the profile given with `--profile`; `SKEIN_URL` with `SKEIN_API_KEY` (or `SKEIN_API_KEY_FILE`, the path of a file with the key), for scripts; the profile named in `SKEIN_PROFILE`; the `skein dev` of the nearest folder with a `.skein`, from the working directory upwards; the profile that `skein login` stored last. A profile is the path of a `.skein` folder, or a name under which `skein login` has stored a URL and a key in `~/.config/skein/config.json`, which only you can read; the key of a browser sign-in is in the system keyring if there is one, unless `SKEIN_KEYRING` is `off`. `SKEIN_CONFIG` names another file. If the server was not given explicitly, a line on standard error says which one is used. A stored key is sent only to the URL it was stored for: with another `SKEIN_URL`, set `SKEIN_API_KEY` too. With `SKEIN_URL` and `SKEIN_WORKLOAD_IDENTITY`, a [CI job](guides/ci-jobs.md) needs no key.',
  '**How agents are named.** `workspace/agent/child`: the workspace, then the path from the root down. A name without a slash is a root in the default workspace: the one in `SKEIN_WORKSPACE`, else the profile’s, else the only workspace of the tenant, else the one named `default`. So the name of a child always includes its workspace.',
  '**What it prints.** Results go to standard output; progress, notes and errors go to standard error. With `--json` the result is one JSON document, or one JSON document per line for `logs`, `audit`, `spawn --follow` and `ps --watch`; an error is `{"error":{"code","reason","message","next","requestId"}}` on standard error. New fields may be added, but existing ones never change their meaning. Colour appears only on a terminal, and not with `NO_COLOR`.',
)

function groupsOf(program: Command): [string, Command[]][] {
  const groups = new Map<string, Command[]>()
  for (const command of visibleCommands(program)) {
    const heading = command.helpGroup().replace(/:$/, '')
    groups.set(heading, [...(groups.get(heading) ?? []), ...leavesOf(command)])
  }
  return [...groups]
}

/** Without hidden commands and commander's own help. */
function visibleCommands(program: Command): Command[] {
  return program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => command.name() !== 'help')
}

/** A command with subcommands counts as a command itself only if it takes options. */
function leavesOf(command: Command): Command[] {
  const below = command.commands.flatMap(leavesOf)
  return below.length === 0 || command.options.length > 0 ? [command, ...below] : below
}

function describeCommand(command: Command): string {
  const example = exampleOf(command)
  return blocks(
    `### ${nameOf(command)}`,
    sentence(command.summary()),
    command.description() === command.summary() ? '' : command.description(),
    fence('sh', `${nameOf(command)} ${command.usage()}`.trim()),
    table(
      ['Argument', 'Meaning'],
      command.registeredArguments.map((argument) => [code(argument.name()), argument.description]),
    ),
    optionTable(command),
    example === undefined ? '' : blocks('Example:', fence('sh', example)),
  )
}

function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name()
}

function optionTable(command: Command): string {
  return table(
    ['Option', 'Meaning'],
    command.options.map(({ flags, description, defaultValue }) => {
      const isShown = typeof defaultValue === 'string' || typeof defaultValue === 'number'
      return [code(flags), isShown ? `${description} (default: ${code(String(defaultValue))})` : description]
    }),
  )
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}

import type { Command } from 'commander'
import type { CommandContext } from '../command-line/command-context.ts'
import { startBrowser } from '../start-browser.ts'
import { withExample } from '../command-line/examples.ts'
import { UsageError } from '../command-line/usage-error.ts'

export function registerOpen(program: Command, context: CommandContext): void {
  const command = program
    .command('open')
    .summary('open the dashboard, or one agent in it, in your browser')
    .description('Also prints the URL. BROWSER sets which program opens it.')
    .argument('[agent]', 'workspace/agent/child')
    .option('--print', 'only print the URL')
  withExample(command, 'skein open shop/release').action(
    async (name: string | undefined, { print }: { readonly print?: true }) => {
      const url = await addressOf(context, name)
      context.print({ url }, () => url)
      if (print || context.isJson) return
      if (!(await startBrowser(url, context.io.env))) {
        context.note('Could not start a browser. Open the URL above yourself.')
      }
    },
  )
}

async function addressOf(context: CommandContext, name: string | undefined): Promise<string> {
  const url =
    name === undefined
      ? (await context.profile()).url
      : (await (await context.agent(name)).status()).dashboardUrl
  // The desktop's opener would also open files and start programs.
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url
  throw new UsageError(
    `The server returned a URL that is not a web page: ${url}`,
    'Check the server’s SKEIN_PUBLIC_URL.',
  )
}

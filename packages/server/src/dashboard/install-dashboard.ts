import type { EngineResources } from '@skein/engine'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { findDashboardFolder, readBuiltFiles } from './read-files.ts'
import { sendFile } from './send-file.ts'
import { sendPage } from './send-page.ts'

/** Paths for programs, where an HTML page would hide a mistake. */
const NOT_A_PAGE = /^\/(v1|docs|assets|openapi\.json|healthz|readyz|metrics)(\/|$)/

/** The target of an agent's dashboardUrl, also for curl and link checkers. */
const AGENT_PAGE = /^\/agents\/./

const METHODS = new Set(['GET', 'HEAD'])

const NOT_BUILT = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Skein</title>
  </head>
  <body>
    <h1>Skein is running</h1>
    <p>The dashboard is not built. To build it: <code>npm run build:dashboard</code>, then restart the server.</p>
    <p>The API is described at <a href="/docs">/docs</a>.</p>
  </body>
</html>
`

/** Serves the dashboard on every path that nothing else uses. */
export async function installDashboard(
  app: FastifyInstance,
  config: Config,
  { random }: EngineResources,
): Promise<void> {
  const folder = config.SKEIN_DASHBOARD_DIR === '' ? findDashboardFolder() : config.SKEIN_DASHBOARD_DIR
  const files = folder === undefined ? undefined : await readBuiltFiles(folder)
  const page = files?.get('/index.html')?.body.toString() ?? NOT_BUILT
  // Not a wildcard route: that would also catch requests the router rejects for other reasons.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 || !METHODS.has(request.method)) return done()
    const path = request.url.split('?', 1)[0] ?? ''
    const file = files?.get(path)
    if (isPage(path, request)) sendPage(reply, page, Buffer.from(random.bytes(16)).toString('base64'))
    else if (file) sendFile(request, reply, path, file)
    else done()
  })
}

function isPage(path: string, { headers }: FastifyRequest): boolean {
  if (path === '/' || path === '/index.html' || AGENT_PAGE.test(path)) return !isForPrograms(headers.accept)
  // Only page navigation asks for HTML. A missing image or script gets a proper 404.
  return !NOT_A_PAGE.test(path) && (headers.accept ?? '').includes('text/html')
}

function isForPrograms(accept = ''): boolean {
  return accept.includes('json') && !accept.includes('text/html')
}

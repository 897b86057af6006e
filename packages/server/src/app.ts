import { Authenticator, type EngineResources } from '@skein/engine'
import { fastify, LogController, type FastifyInstance } from 'fastify'
import { hasRole, type Config } from './config.ts'
import { installDashboard } from './dashboard/install-dashboard.ts'
import { installDocs } from './docs/install-docs.ts'
import { installAuditTrail } from './plugins/audit-trail.ts'
import { installAuthentication } from './plugins/authentication.ts'
import { installConnectionClose } from './plugins/connection-close.ts'
import { installBodyDrain } from './plugins/drain-body.ts'
import { answerMalformedHttp, installErrors, requireHost, sendError } from './plugins/errors.ts'
import { installFairStart } from './plugins/fair-start.ts'
import { installHealth } from './plugins/health.ts'
import { installJsonBody } from './plugins/json-body.ts'
import { installAddressLimit, installCallerLimit, installLimits } from './plugins/limits.ts'
import { installLogging, loggerOptions } from './plugins/logging.ts'
import { installMetrics } from './plugins/metrics.ts'
import { installOpenRequests } from './plugins/open-requests.ts'
import { installOpenStreams } from './plugins/open-streams.ts'
import { installSecurityHeaders } from './plugins/security-headers.ts'
import { installTracing } from './plugins/tracing.ts'
import './plugins/request-context.ts'
import { requestIdFrom } from './request-id.ts'
import { NOT_SERVED } from './routes/not-served.ts'
import { ROUTES } from './routes/table.ts'
import { installScim } from './scim/install-scim.ts'

export interface AppOptions {
  readonly config: Config
  readonly engine: EngineResources
  /** Where log lines go instead of standard output. */
  readonly logStream?: { write(line: string): void }
  /** Aborted when the server is about to stop: it still serves, but should get no new requests. */
  readonly draining?: AbortSignal
}

/** The fully configured HTTP server, not yet listening. */
export async function createApp({
  config,
  engine,
  logStream,
  draining = new AbortController().signal,
}: AppOptions): Promise<FastifyInstance> {
  const app = fastify({
    logger: { ...loggerOptions(config), ...(logStream && { stream: logStream }) },
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: (request) => requestIdFrom(request.headers['x-request-id']),
    trustProxy: config.SKEIN_TRUSTED_PROXIES === '' ? false : config.SKEIN_TRUSTED_PROXIES.split(','),
    // Requests that arrive during shutdown are still served; /readyz has told the load balancer to stop sending.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: 60_000,
    // Node would reject a request without Host itself, without our error envelope: requireHost does it.
    http: { requireHostHeader: false },
    routerOptions: { maxParamLength: 256 },
    clientErrorHandler: answerMalformedHttp,
    frameworkErrors: (error, request, reply) => {
      void reply.header('x-request-id', request.id)
      sendError(error, request, reply)
    },
  })
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id)
  })
  requireHost(app)
  installBodyDrain(app)
  installConnectionClose(app, draining, config.SKEIN_SHUTDOWN_DELAY_MS)
  installErrors(app)
  installOpenRequests(app)
  installOpenStreams(app, config)
  installFairStart(app)
  installJsonBody(app)
  installTracing(app)
  installLogging(app)
  await installSecurityHeaders(app)
  await installLimits(app, config)
  await installAddressLimit(app, config)
  installAuditTrail(app, engine)
  installAuthentication(app, new Authenticator(engine), engine.publicUrl)
  await installCallerLimit(app, config)
  installMetrics(app, config, engine)
  await installHealth(app, engine, draining)
  if (hasRole(config, 'api')) {
    await installDocs(app)
    for (const route of [...ROUTES, ...NOT_SERVED]) route.register(app, engine)
    installScim(app, engine)
    await installDashboard(app, config, engine)
  }
  return app
}

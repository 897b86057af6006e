export {
  startPostgresServer,
  type PostgresKill,
  type PostgresServer,
  type PostgresServerOptions,
} from './postgres-server.ts'
export { createServerLogin } from './server-login.ts'

export { createApp, type AppOptions } from './app.ts'
export { ConfigSchema, readConfig, type Config } from './config.ts'
export { openResources } from './resources.ts'
export { startServer, type RunningServer } from './start-server.ts'

import closeWithGrace from 'close-with-grace'
import type { Config } from '../config.ts'
import { startServer } from '../start-server.ts'

/** Serves until told to stop. */
export async function serve(config: Config): Promise<void> {
  const { app, stop } = await startServer(config)
  closeWithGrace({ delay: config.SKEIN_SHUTDOWN_GRACE_MS, logger: app.log }, async ({ signal, err }) => {
    if (err) app.log.fatal({ err }, 'the server stops because of a fault')
    else app.log.info({ signal }, 'the server stops')
    await stop()
  })
}

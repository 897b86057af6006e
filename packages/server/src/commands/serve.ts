import closeWithGrace from 'close-with-grace'
import type { Config } from '../config.ts'
import { startServer } from '../start-server.ts'

/** Serves until told to stop. */
export async function serve(config: Config): Promise<void> {
  // A signal that comes while it starts would otherwise end the process without stopping it.
  let isTold = false
  const remember = (): void => void (isTold = true)
  process.once('SIGTERM', remember)
  const { app, drain, stop } = await startServer(config)
  let signals = 0
  let timer: NodeJS.Timeout | undefined
  const { close } = closeWithGrace(
    { delay: config.SKEIN_SHUTDOWN_GRACE_MS, logger: app.log, skip: ['SIGTERM'] },
    async ({ signal = 'SIGTERM', err }) => {
      clearTimeout(timer)
      signals = 2
      if (err) app.log.fatal({ err }, 'the server is stopping because of an error')
      else app.log.info({ signal }, 'the server is stopping')
      await stop()
    },
  )
  // The first one begins the delay, the second one cuts it short, and the third one ends the process.
  process.on('SIGTERM', () => {
    signals += 1
    const delayMs = config.SKEIN_SHUTDOWN_DELAY_MS
    if (signals === 1 && delayMs > 0) {
      app.log.info(
        { delayMs },
        'the server is about to stop, but keeps serving until load balancers have noticed',
      )
      drain()
      timer = setTimeout(close, delayMs)
    } else if (signals <= 2) {
      close()
    } else {
      app.log.error('second signal: exiting immediately')
      process.exit(1)
    }
  })
  process.off('SIGTERM', remember)
  if (isTold) process.emit('SIGTERM')
}

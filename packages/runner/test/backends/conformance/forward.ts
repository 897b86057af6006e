import { request as sendRequest } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { FrontHandler } from '../../../src/front/front.ts'

/** Hands requests on as they are, the place of the gateway in these tests. A broken connection is broken on both sides. */
export function forwardTo(url: string): FrontHandler {
  return (request, response, path) =>
    new Promise((resolve) => {
      const { method, headers } = request
      const onward = sendRequest(`${url}${path}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        response.flushHeaders()
        pipeline(answer, response).then(resolve, () => {
          response.destroy()
          resolve()
        })
      })
      onward.once('error', () => {
        response.destroy()
        resolve()
      })
      response.once('close', () => onward.destroy())
      request.pipe(onward)
    })
}

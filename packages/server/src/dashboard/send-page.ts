import type { FastifyReply } from 'fastify'
import { sendBody } from './send-file.ts'

const PLACEHOLDER = '__CSP_NONCE__'

/** All device features a page could request, none of which are used. */
const NO_FEATURES = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=()`)
  .join(', ')

/** The dashboard's single page. Its scripts show what belongs to the path. */
export function sendPage(reply: FastifyReply, html: string, nonce: string): FastifyReply {
  const answer = reply
    .headers({
      'content-security-policy': policyWith(nonce),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': NO_FEATURES,
      'cache-control': 'no-store',
    })
    .type('text/html; charset=utf-8')
  return sendBody(answer, Buffer.from(html.replaceAll(PLACEHOLDER, nonce)))
}

/** Scripts and styles from this host only. The nonce is for the few style elements libraries add. */
function policyWith(nonce: string): string {
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self'`,
    `manifest-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

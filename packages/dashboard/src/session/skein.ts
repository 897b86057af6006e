import { Skein } from '@skein/client'
import { readPageSecret } from './page-secret.ts'

/** Authentication is by cookie: no key is ever stored in the page. */
export const skein = new Skein({ baseUrl: window.location.origin, pageSecret: readPageSecret })

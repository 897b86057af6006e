import { Skein } from '@skein/client'
import { readPageSecret } from './page-secret.ts'

/** Who is signed in is the cookie's matter: no key is ever kept in the page. */
export const skein = new Skein({ baseUrl: window.location.origin, pageSecret: readPageSecret })

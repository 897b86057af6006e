/** A runner process for tests that restart it: rests after each turn, unless the message has a script. */
import { ScriptedRunner } from '@skein/testkit'

const { SKEIN_URL = '', SKEIN_API_KEY = '' } = process.env

new ScriptedRunner({ baseUrl: SKEIN_URL, apiKey: SKEIN_API_KEY, capacity: 16, heartbeatMs: 500 }).start()
console.log('ready')

import { setPriority } from 'node:os'
import { ATTACKS, Caller, type Attack, type AttackName, type Foothold } from './attacks.ts'

/** A separate process, so that the attacker's own load is not measured. */
interface Order extends Foothold {
  readonly attack: AttackName
}

// In production the attacker's own processor time is not taken from the service's machine.
setPriority(10)

const stop = new AbortController()

process.on('message', (message: Order | 'stop') => {
  if (message === 'stop') stop.abort()
  else void carryOut(message)
})

async function carryOut({ attack: name, ...foothold }: Order): Promise<void> {
  const attack: Attack = ATTACKS[name]
  const caller = new Caller(foothold)
  await attack.prepare?.(caller)
  process.send?.('ready')
  let turn = 0
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) await attack.strike(caller, (turn += 1))
  }
  await Promise.all(Array.from({ length: attack.loops }, loop))
  process.send?.(caller.statuses, () => process.exit())
}

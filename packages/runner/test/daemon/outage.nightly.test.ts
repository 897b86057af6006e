import { testOutage } from './outage-guarantees.ts'

testOutage({ leaseMs: 30_000, outageMs: 120_000 })

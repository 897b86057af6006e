import { testOutage } from './outage-guarantees.ts'

testOutage({ leaseMs: 6_000, outageMs: 15_000 })

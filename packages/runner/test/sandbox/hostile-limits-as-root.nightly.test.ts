import { describeLimits } from './hostile-limits.ts'

describeLimits(process.getuid?.() === 0 ? 'root' : 'a user', ['diskMib'])

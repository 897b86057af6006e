import { becomeRunner } from '../leave-root.ts'
import { describeLimits } from './hostile-limits.ts'

becomeRunner()
describeLimits('a runner that was started as root', ['diskMib', 'processes'])

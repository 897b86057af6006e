import { becomeRunner } from '../leave-root.ts'
import { describeWalls } from './walls.ts'

becomeRunner()
describeWalls('a runner that was started as root')

import type { Bug } from './bug.ts'
import { DELIVERY_BUGS } from './delivery-bugs.ts'
import { RUN_BUGS } from './run-bugs.ts'
import { STORE_BUGS } from './store-bugs.ts'
import { TREE_BUGS } from './tree-bugs.ts'

export const BUGS: readonly Bug[] = [...DELIVERY_BUGS, ...RUN_BUGS, ...TREE_BUGS, ...STORE_BUGS]

/** What agents cost, each figure beside its limit; `turns` or `heap` as the argument runs only these. */
import { benchHeap } from './heap.ts'
import { benchTurns } from './turns.ts'

const only = process.argv[2]
if (!only || only === 'turns') await benchTurns()
if (!only || only === 'heap') await benchHeap()

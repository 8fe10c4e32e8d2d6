import { discuss } from './group.ts'
import { chooseModel } from '../model.ts'
import { simulated } from './simulated.ts'

const task = process.argv[2] ?? 'Write a line about rain.'
for (const line of await discuss(task, chooseModel(simulated))) console.log(line)

#!/usr/bin/env node
// Says before a deploy which open turns could not go on with the programs of this version. It takes the options of a worker.
import { openChatHost, readSettings } from './settings.ts'

const settings = readSettings()
const { host, programs } = openChatHost(settings, settings.at)
let [going, stuck] = [0, 0]
for (const program of Object.values(programs)) {
  for await (const { id, goesOn, problem, skipped } of host.check(program)) {
    if (goesOn) going++
    else {
      stuck++
      console.log(`${id} ${problem ? `cannot go on: ${problem.message}` : `was not checked: ${skipped}`}`)
    }
  }
}
console.log(`${going} open turns go on, ${stuck} do not or were not checked.`)
await host.close()
process.exit(stuck === 0 ? 0 : 1)

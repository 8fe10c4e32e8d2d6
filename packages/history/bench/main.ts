/**
 * What histories cost: the tokens of four conversations against sending everything, and the time of a turn beside the
 * counting of new text. `--svg <file>` writes the picture of the document.
 */
import { writeFileSync } from 'node:fs'
import type { ChatMessage } from '@x/interfaces'
import { fit, limitTokens } from '../src/index.ts'
import { questionOutside } from '../src/outside.ts'
import { costOfHistory, costOfNothing } from './costs.ts'
import { needs } from './needs.ts'
import { picture, type Pair } from './picture.ts'

/** Most microseconds of processor time of a turn. */
const LIMIT = 50
const ROUNDS = 15

const pairs: Pair[] = []
for (const need of needs()) {
  const nothing = costOfNothing(need)
  const history = await costOfHistory(need)
  const bars = [
    { label: 'everything', cost: nothing },
    { label: 'with a history', cost: history },
  ]
  pairs.push({ heading: need.name, bars })
  for (const { label, cost } of bars) {
    const { fresh, cached, summaries, cuts } = cost
    console.log(
      `${need.name.padEnd(34)} ${label.padEnd(15)} ${String(fresh + cached).padStart(9)} tokens sent, ${String(cached).padStart(9)} of them cached, ${summaries} for ${cuts} cuts`,
    )
  }
}

/** The least processor time of a turn of a conversation that has so many messages, in microseconds. */
function timeOfTurn(length: number, limit: number): number {
  let least = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const messages: ChatMessage[] = Array.from({ length }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `message ${index}`,
    }))
    const view = fit(limitTokens(limit))
    const question = questionOutside({ messages })
    void view.choose(question)
    const turns = 200
    const before = process.cpuUsage()
    for (let turn = 0; turn < turns; turn++) {
      messages.push({ role: 'user', content: `turn ${turn}` })
      void view.choose(question)
    }
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / turns)
  }
  return least
}

// With the small limit the lengths of the texts do not prove that everything fits.
for (const [name, limit] of [
  ['by lengths', 1e9],
  ['by counts', 120_000],
] as const) {
  for (const length of [100, 1000, 10_000]) {
    const time = timeOfTurn(length, limit)
    const kept = time <= LIMIT
    if (!kept) process.exitCode = 1
    console.log(
      `${`a turn behind ${length} messages, ${name}`.padEnd(44)} ${time.toFixed(2)} µs  limit ${LIMIT}  ${kept ? 'kept' : 'BROKEN'}`,
    )
  }
}

const at = process.argv.indexOf('--svg')
if (at !== -1) writeFileSync(process.argv[at + 1]!, picture(pairs))

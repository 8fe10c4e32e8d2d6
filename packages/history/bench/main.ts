/**
 * The costs of histories: the tokens of four conversations with a history and without one, and the processor time of a
 * turn. `--svg <file>` writes the picture of the document.
 */
import { writeFileSync } from 'node:fs'
import type { ChatMessage } from '@x/interfaces'
import { fit, limitTokens } from '../src/index.ts'
import { standaloneQuestion } from '../src/standalone-question.ts'
import { costOfHistory, costWithoutHistory } from './costs.ts'
import { needs } from './needs.ts'
import { picture, type Pair } from './picture.ts'

const MAX_TURN_US = 50
const MEASURED_ROUNDS = 15

const pairs: Pair[] = []
for (const need of needs()) {
  const everything = costWithoutHistory(need)
  const history = await costOfHistory(need)
  const bars = [
    { label: 'everything', cost: everything },
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

/** Measures the least processor time of a turn behind so many messages, in microseconds. */
function timeOfTurn(length: number, limit: number): number {
  let least = Infinity
  for (let round = 0; round < MEASURED_ROUNDS; round++) {
    const messages: ChatMessage[] = Array.from({ length }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `message ${index}`,
    }))
    const view = fit(limitTokens(limit))
    const question = standaloneQuestion({ messages })
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
    const kept = time <= MAX_TURN_US
    if (!kept) process.exitCode = 1
    console.log(
      `${`a turn behind ${length} messages, ${name}`.padEnd(44)} ${time.toFixed(2)} µs  limit ${MAX_TURN_US}  ${kept ? 'kept' : 'BROKEN'}`,
    )
  }
}

const at = process.argv.indexOf('--svg')
if (at !== -1) writeFileSync(process.argv[at + 1]!, picture(pairs))

import { scriptedModel } from '@x/testing'
import { agent, faces, heard, listening } from './faces.ts'
import { cheapest, report, slope } from './measure.ts'

/** The least a chat can be: both sides keep a copy of every message. */
function byHand(turns: number): number {
  const [own, theirs]: object[][] = [[], []]
  for (let turn = 0; turn < turns; turn++) {
    for (const [name, other] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      own!.push(Object.freeze({ content: `from ${name}`, role: 'assistant', name }))
      theirs!.push(Object.freeze({ content: `from ${name}`, role: 'user', name: other }))
    }
  }
  return own!.length
}

/** What a turn (a message and its reply) costs, and how that grows with the chat. */
export async function benchTurns(): Promise<void> {
  const hand = (await cheapest(() => byHand(200_000))) / 200_000
  for (const [face, chat] of Object.entries(faces)) {
    const costs = new Map<number, number>()
    for (const turns of [1_000, 2_000, 5_000, 10_000]) {
      // As many turns in each measurement, so that none is too short to be measured.
      const chats = 50_000 / turns
      const cost = await cheapest(async () => {
        for (let index = 0; index < chats; index++) await chat(agent('a'), agent('b'), turns)
      })
      costs.set(turns, cost / chats)
    }
    for (const turns of [1_000, 10_000]) {
      const each = costs.get(turns)! / turns
      const detail = `${(each / hand).toFixed(1)} × two lists by hand`
      report(`${face}: a turn of ${turns}`, each, { limit: 5, unit: 'µs', detail })
    }
    const all = await cheapest(async () => {
      for (let index = 0; index < 50; index++) await chat(listening('a'), listening('b'), 1_000)
    })
    reportHeard(`${face}: a turn of 1000 with all events`, all / 50_000, 5, await eventsOfTurn(chat, listening))
    report(`${face}: slope from 1,000 to 10,000 turns`, slope(costs), { limit: 1.2, unit: '' })
  }
  for (const [face, chat] of Object.entries(faces)) {
    for (const make of face === 'stream' ? [listening] : [agent, listening]) {
      const speaker = (name: string): ReturnType<typeof agent> =>
        make(name, { llmConfig: scriptedModel([`from ${name}`], { repeatLast: true }) })
      const cost = await cheapest(async () => {
        for (let index = 0; index < 25; index++) await chat(speaker('a'), speaker('b'), 400)
      })
      // In a stream, what the models say comes in ten pieces a turn, each of which waits to be asked for.
      const own = face === 'stream' ? 15 + 10 : 15
      const events = make === agent ? 0 : await eventsOfTurn(chat, speaker)
      reportHeard(`${face}: a turn of 400 with scripted models`, cost / 10_000, own, events)
    }
  }
}

/** Counts the events of a turn that somebody listens to. */
async function eventsOfTurn(
  chat: (typeof faces)[string],
  make: (name: string) => ReturnType<typeof agent>,
): Promise<number> {
  heard.events = 0
  await chat(make('a'), make('b'), 100)
  return Math.round(heard.events / 100)
}

/** Reports a turn; each event that is listened to may cost a microsecond more. */
function reportHeard(name: string, each: number, own: number, events: number): void {
  report(events ? `${name}, ${events} events` : name, each, { limit: own + events, unit: 'µs' })
}

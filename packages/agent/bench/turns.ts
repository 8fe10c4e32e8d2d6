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
    // A stream hands every event to its reader, whatever an `io` takes.
    const makes = face === 'stream' ? [listening] : [agent, listening]
    for (const make of makes) {
      const costs = new Map<number, number>()
      for (const turns of [1_000, 2_000, 5_000, 10_000]) {
        // As many turns in each measurement, so that none is too short to be measured.
        const chats = 50_000 / turns
        const cost = await cheapest(async () => {
          for (let index = 0; index < chats; index++) await chat(make('a'), make('b'), turns)
        })
        costs.set(turns, cost / chats)
      }
      const events = await eventsOfTurn(chat, make)
      for (const turns of [1_000, 10_000]) {
        const each = costs.get(turns)! / turns
        const detail = `${(each / hand).toFixed(1)} × two lists by hand`
        reportTurn(`a turn of ${turns}`, { face, events, own: 5 }, each, detail)
      }
      report(`${face}: slope from 1,000 to 10,000 turns`, slope(costs), { limit: 1.2, unit: '' })
    }
  }
  for (const [face, chat] of Object.entries(faces)) {
    for (const make of face === 'stream' ? [listening] : [agent, listening]) {
      const speaker = (name: string): ReturnType<typeof agent> =>
        make(name, { llmConfig: scriptedModel([`from ${name}`], { repeatLast: true }) })
      const cost = await cheapest(async () => {
        for (let index = 0; index < 25; index++) await chat(speaker('a'), speaker('b'), 400)
      })
      const events = await eventsOfTurn(chat, speaker)
      reportTurn('a turn of 400 with scripted models', { face, events, own: 15 }, cost / 10_000)
    }
  }
}

/** Counts the events of a turn that somebody listens to; in a stream those are the pieces of the models' answers, too. */
async function eventsOfTurn(
  chat: (typeof faces)[string],
  make: (name: string) => ReturnType<typeof agent>,
): Promise<number> {
  heard.events = 0
  await chat(make('a'), make('b'), 100)
  return Math.round(heard.events / 100)
}

/** Reports a turn: each event that is listened to may cost a microsecond more, and two where it waits for a reader. */
function reportTurn(
  name: string,
  { face, events, own }: { readonly face: string; readonly events: number; readonly own: number },
  each: number,
  detail?: string,
): void {
  const limit = own + events * (face === 'stream' ? 2 : 1)
  report(`${face}: ${name}, ${events} events`, each, { limit, unit: 'µs', ...(detail && { detail }) })
}

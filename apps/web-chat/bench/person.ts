import { setTimeout } from 'node:timers/promises'
import type { Change, ChatState } from '../src/change.ts'
import type { Item, SpokenItem } from '../src/item.ts'
import { expectedAnswer, firstMessage, type PlannedChat } from './script.ts'

/** How a chat went, as the person at the page saw it. */
export interface SeenChat {
  readonly chat: PlannedChat
  /** `right`: with the expected last line; `lost`: it has not ended in time. */
  readonly end: 'right' | 'wrong' | 'doubled' | 'lost'
  readonly lines: readonly Item[]
  /** Milliseconds from what the person said to the first line of an agent, for each turn. */
  readonly firstTokens: readonly number[]
  /** Milliseconds from what the person said to the end of the turn. */
  readonly turns: readonly number[]
  /** US dollars, as the page shows. */
  readonly cost: number
  /** Times that the stream of the page was opened again. */
  readonly reconnects: number
}

/** A web server as a person reaches it. */
export interface Address {
  readonly origin: string
  readonly token: string
}

/** Milliseconds after which a person tries again what a server did not answer. */
const AGAIN_MS = 500

/** Turns of somebody who spends. */
const SPEND_TURNS = 4

/** A page that follows one chat over all servers, and comes back when its connection is gone. */
class Page {
  readonly #id: string
  readonly #addresses: readonly Address[]
  readonly #closed: AbortSignal
  readonly items: Item[] = []
  state: ChatState | undefined
  reconnects = -1
  /** When a line of an agent last came or grew. */
  textAt = 0
  #changed = Promise.withResolvers<void>()

  constructor(id: string, addresses: readonly Address[], closed: AbortSignal) {
    this.#id = id
    this.#addresses = addresses
    this.#closed = closed
  }

  /** Resolves when a condition holds, or false when the page is closed before. */
  async until(holds: () => boolean): Promise<boolean> {
    while (!holds()) {
      if (this.#closed.aborted) return false
      await this.#changed.promise
    }
    return true
  }

  /** Reads until the page is closed, first at the server of a number. */
  async read(first: number): Promise<void> {
    this.#closed.addEventListener('abort', () => this.#changed.resolve())
    for (let last: string | null = null, at = first; !this.#closed.aborted; at++) {
      this.reconnects++
      const { origin, token } = this.#addresses[at % this.#addresses.length]!
      try {
        const headers = last === null ? {} : { 'last-event-id': last }
        const url = `${origin}/events?chat=${this.#id}&token=${token}`
        const response = await fetch(url, { headers, signal: this.#closed })
        if (!response.ok) throw new Error(`${response.status}`)
        let text = ''
        for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
          text += part
          const frames = text.split('\n\n')
          text = frames.pop()!
          for (const frame of frames) last = this.#take(frame) ?? last
        }
      } catch {
        await setTimeout(AGAIN_MS)
      }
    }
  }

  /** Applies a frame of the stream; returns its id. */
  #take(frame: string): string | null {
    const data = /^data: (.*)$/mu.exec(frame)?.[1]
    if (data === undefined) return null
    const change = JSON.parse(data) as Change
    if (change.type === 'begin') this.items.length = Math.min(this.items.length, change.items)
    if (change.type === 'state') this.state = change.state
    if (change.type === 'item') {
      this.items[change.index] = change.item
      if (change.item.kind !== 'user') this.textAt = performance.now()
    }
    if (change.type === 'text') {
      const item = this.items[change.index]
      if (item?.kind === 'assistant') this.items[change.index] = { ...item, text: item.text + change.text }
      this.textAt = performance.now()
    }
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
    return /^id: (\d+)$/mu.exec(frame)?.[1] ?? null
  }
}

/** Holds a chat as a person at a page does, until it has ended or the signal aborts. */
export async function holdChat(
  chat: PlannedChat,
  id: string,
  addresses: readonly Address[],
  late: AbortSignal,
): Promise<SeenChat> {
  const closed = new AbortController()
  const page = new Page(id, addresses, AbortSignal.any([closed.signal, late]))
  const reading = page.read(chat.number)
  const firstTokens: number[] = []
  const turns: number[] = []
  let ended = true

  /** Posts until a server answers; a conflict means that it has already been done. */
  async function post(path: string, body: object): Promise<void> {
    for (let at = chat.number; !late.aborted; at++) {
      const { origin, token } = addresses[at % addresses.length]!
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, origin }
      const sent = fetch(`${origin}/chats/${id}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      const status = await sent.then(
        (response) => response.status,
        () => 0,
      )
      if (status === 204 || status === 409) return
      await setTimeout(AGAIN_MS)
    }
  }

  for (let turn = 0; turn < (chat.wish === 'spend' ? SPEND_TURNS : 1) && ended; turn++) {
    const said = turn === 0 ? firstMessage(chat) : `${firstMessage(chat)} again, for the ${turn + 1}. time`
    const isSaid = (): boolean => page.items.some((item) => item.kind === 'user' && item.text === said)
    ended = await page.until(() => page.state !== undefined)
    const begun = performance.now()
    await post('messages', { text: said })
    const waiting = (): Item | undefined =>
      page.items.find((item) => item.kind === 'tool' && item.approval !== undefined)
    const isOver = (): boolean => {
      const last = page.items.at(-1)
      const isLast = last?.kind === 'note' || (last?.kind === 'assistant' && !last.live)
      return isLast && isSaid() && page.state!.next === null && !page.state!.busy && !page.state!.waiting
    }
    const decided = page
      .until(() => waiting() !== undefined || isOver())
      .then(async () => {
        const call = waiting()
        if (call?.kind !== 'tool') return
        await post(`approvals/${call.approval}`, chat.allows ? { allow: true } : { allow: false, reason: 'not now' })
      })
    if (await page.until(() => page.textAt > begun || isOver()))
      if (page.textAt > begun) firstTokens.push(page.textAt - begun)
    await decided
    ended = await page.until(isOver)
    if (ended) turns.push(performance.now() - begun)
  }
  closed.abort()
  await reading
  const { items, state, reconnects } = page
  return {
    ...{ chat, lines: items, firstTokens, turns, cost: state?.usage.cost ?? 0, reconnects },
    end: ended ? judge(chat, items) : 'lost',
  }
}

/** Judges the lines of a chat that has ended. */
function judge(chat: PlannedChat, items: readonly Item[]): SeenChat['end'] {
  const spoken = items.filter((item): item is SpokenItem => item.kind === 'user' || item.kind === 'assistant')
  const texts = spoken.map(({ kind, text }) => `${kind} ${text}`)
  const isRepeated = (text: string): boolean =>
    chat.wish !== 'spend' && texts.filter((each) => each === text).length > 1
  if (texts.some(isRepeated)) return 'doubled'
  if (items.filter(({ kind }) => kind === 'tool').length > 1) return 'doubled'
  const last = items.at(-1)
  const text = last && 'text' in last ? last.text : ''
  return text.includes(expectedAnswer(chat)) ? 'right' : 'wrong'
}

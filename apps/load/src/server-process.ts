import { startFakeOpenAI } from '@x/testing'
import { CALLS, placeOf, replyTo, thinking } from './script.ts'

/** The behaviour of the server from now on. */
export interface Mode {
  /** Milliseconds of thought per call, on average. */
  readonly think: number
  /** Holds every last answer back until so many chats wait for theirs, tells so, and goes on when told. */
  readonly hold: number
}

/** A message to the process. */
export type Order = { readonly mode: Mode } | 'release'

/** A message of the process. */
export type Report = { readonly url: string } | 'ready' | 'held'

// The fake server in a process of its own, so that its work and its memory are not counted.
let mode: Mode = { think: 0, hold: 0 }
let waiting = 0
let released = Promise.withResolvers<void>()
const tell = (report: Report): void => void process.send!(report)

const server = await startFakeOpenAI({
  replies(request) {
    const { chat, call } = placeOf(request)
    const reply = replyTo(chat, call)
    if (call < CALLS - 1 || mode.hold === 0) return { ...reply, headersAfter: thinking(chat, call, mode.think) }
    if (++waiting === mode.hold) tell('held')
    return { ...reply, headersAfter: released.promise }
  },
})

process.on('message', (order: Order) => {
  if (order === 'release') return released.resolve()
  mode = order.mode
  waiting = 0
  released = Promise.withResolvers()
  tell('ready')
})
process.on('disconnect', () => process.exit())
tell({ url: server.url })

import { startFakeOpenAI } from '@x/testing'
import { CALLS_PER_CHAT, placeOf, replyTo, thinking } from './script.ts'

/** Behaviour of the server. */
export interface Mode {
  /** Average milliseconds that the model takes for a call. */
  readonly think: number
  /** Holds last answers back until this number of chats waits for them, reports `held`, and waits for `release`; 0: holds nothing back. */
  readonly hold: number
}

/** A message to the server process. */
export type Order = { readonly mode: Mode } | 'release'

/** A message from the server process. */
export type Report = { readonly url: string } | 'ready' | 'held'

// The fake server runs in another process, so that its time and memory are not counted.
let mode: Mode = { think: 0, hold: 0 }
let waiting = 0
let released = Promise.withResolvers<void>()
const report = (message: Report): void => void process.send!(message)

const server = await startFakeOpenAI({
  replies(request) {
    const { chat, call } = placeOf(request)
    const reply = replyTo(chat, call)
    if (call < CALLS_PER_CHAT - 1 || mode.hold === 0)
      return { ...reply, headersAfter: thinking(chat, call, mode.think) }
    if (++waiting === mode.hold) report('held')
    return { ...reply, headersAfter: released.promise }
  },
})

process.on('message', (order: Order) => {
  if (order === 'release') return released.resolve()
  mode = order.mode
  waiting = 0
  released = Promise.withResolvers()
  report('ready')
})
process.on('disconnect', () => process.exit())
report({ url: server.url })

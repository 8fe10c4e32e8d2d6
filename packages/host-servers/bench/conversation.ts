import { AssistantAgent } from '@x/agent'
import { createHost, defineChat, type DefinedChat, type Host } from '@x/host'
import type { HostBackend } from '@x/interfaces'
import { functionModel } from '@x/testing'

/** Messages of conversations that are compared: the second of several, and the last ones of a long one. */
const SAMPLES = 50
/** Interval of the looks at a chat. */
const POLL_INTERVAL_MS = 0.5

const llmConfig = functionModel(
  () => 'The lamp of your order came broken, and that is ours to mend: five euros are on their way back to you.',
)

const talk = defineChat({
  name: 'talk',
  version: '1',
  state: { count: 0 },
  async onMessage({ count }, message, run) {
    const clerk = new AssistantAgent({ name: 'clerk', llmConfig })
    await clerk.run(`${String(message)} ${count}`, { conversation: 'shared', silent: true, run })
    clerk.clearHistory(null, { nrMessagesToPreserve: 20 })
    return { count: count + 1 }
  },
}) as DefinedChat

/** Resolves when a conversation waits for a message after so many turns: each message that comes while it waits begins one. */
async function waitsAgain(host: Host, id: string, turn: number): Promise<void> {
  for (;;) {
    const chat = await host.get(id)
    if (chat!.state === 'suspended' && chat!.turn >= turn) return
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS))
  }
}

/** Sends a message and waits until it is answered; returns the processor time in milliseconds. */
async function say(host: Host, id: string, turn: number): Promise<number> {
  const before = process.cpuUsage()
  await host.send(id, 'My order came broken, says the person of turn')
  await waitsAgain(host, id, turn)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const middle = (times: readonly number[]): number => times.toSorted((one, other) => one - other)[times.length >> 1]!

/** Measures the processor time of the second message of conversations, and of the last ones of a long conversation. */
export async function messageTimes(at: HostBackend, messages: number): Promise<{ second: number; last: number }> {
  const host = createHost({ chats: [talk], at: { ...at, close() {} } })
  const stop = new AbortController()
  const work = host.work({ concurrency: 1, signal: stop.signal })
  const name = `talk-${Date.now()}`
  const begin = async (id: string): Promise<void> => {
    await host.submit(talk, {} as never, { id })
    await waitsAgain(host, id, 0)
  }
  await begin(name)
  const all: number[] = []
  for (let turn = 1; turn <= messages; turn++) all.push(await say(host, name, turn))
  const seconds: number[] = []
  for (let n = 0; n < SAMPLES; n++) {
    const id = `${name}-${n}`
    await begin(id)
    await say(host, id, 1)
    seconds.push(await say(host, id, 2))
  }
  stop.abort()
  await work
  return { second: middle(seconds), last: middle(all.slice(-SAMPLES)) }
}

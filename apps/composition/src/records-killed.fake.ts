import { pathToFileURL } from 'node:url'
import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { openRecords } from '@x/records'
import { functionModel } from '@x/testing'

const TURNS = 20_000

/** A long chat; `offline`: its model fails when it is asked. */
export async function longChat(options: object, offline = false): Promise<void> {
  const model = functionModel(({ messages }) => {
    if (offline) throw new Error('a model was asked in a replay')
    return new Promise((resolve) => {
      setImmediate(() => resolve(`answer ${messages.length}`))
    })
  })
  const helper = new AssistantAgent({ name: 'helper', llmConfig: model, silent: true, systemMessage: 'Count.' })
  const user = new UserProxyAgent({
    name: 'user',
    humanInputMode: 'NEVER',
    maxConsecutiveAutoReply: TURNS,
    defaultAutoReply: 'On.',
    silent: true,
  })
  await user.initiateChat(helper, { message: 'Go.', maxTurns: TURNS, ...options })
}

// As a program of its own: it is killed while it records.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const records = openRecords(process.argv[2]!)
  await longChat({ tracer: records, emit: () => process.stdout.write('.') })
}

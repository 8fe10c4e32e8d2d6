import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** A program in which agents do all they can: tools, code, warnings, usage, nested chats, humans, errors, in each face. */
const PROGRAM = `
import { ConversableAgent, tool, UserProxyAgent, initiateChats } from './src/index.ts'
import { scriptedModel } from '@x/testing'

let sent = 0
const io = { send: () => void sent++, input: () => 'exit' }
const runner = {
  useDocker: false,
  codeReader: { extractCode: () => [{ language: 'sh', code: 'ls' }], inferLang: () => 'sh' },
  runCode: () => [1, 'no', null],
}
const add = tool({
  name: 'add', description: 'Adds.', parameters: { type: 'object' },
  execute: ({ fail }) => { if (fail) throw new Error('fault') ; return 1 },
})
const calls = { tool_calls: ['{}', '{"fail":true}', 'no json'].map((args, id) => ({ id: 'c' + id, function: { name: 'add', arguments: args } })) }
function cast() {
  const model = scriptedModel([calls, { content: null }, 'TERMINATE'], { repeatLast: true })
  const user = new UserProxyAgent({ name: 'user', io, codeExecutionConfig: { runner }, humanInputMode: 'TERMINATE' })
  const bot = new ConversableAgent({ name: 'bot', io, humanInputMode: 'TERMINATE', llmConfig: model, defaultAutoReply: 'auto' })
  const helper = new ConversableAgent({ name: 'helper', io, humanInputMode: 'NEVER', defaultAutoReply: 'help' })
  bot.registerForLlm(add)
  bot.registerForLlm(add)
  user.registerForExecution(add)
  user.registerForExecution(add)
  bot.registerNestedChats([{ recipient: helper, maxTurns: 1, summaryMethod: 'last_msg' }], helper)
  return { user, bot, helper }
}
const options = { message: 'hi', maxTurns: 4 }
{
  const { user, bot } = cast()
  user.initiateChatSync(bot, options)
  bot.clearHistory(user, { nrMessagesToPreserve: 1 })
  bot.clearHistory(null, { nrMessagesToPreserve: 1 })
  bot.printUsageSummary()
  user.printUsageSummary()
  bot.reset()
}
{
  const { user, bot, helper } = cast()
  await user.initiateChat(bot, options)
  await helper.send('hi', bot, { requestReply: true })
  await initiateChats([{ chatId: 1, sender: user, recipient: bot, ...options }])
}
{
  const { user, bot } = cast()
  for await (const event of user.initiateChatStream(bot, options)) sent++
}
{
  const { user, bot } = cast()
  bot.registerReply(user, async () => { throw new Error('fault') })
  await user.initiateChat(bot, options).catch(() => sent++)
  await bot.run('hi', { userInput: false, maxTurns: 2 })
}
process.exitCode = sent > 30 ? 0 : 3
`

it('writes not one byte to the console with an `io` of the caller', async () => {
  const child = spawn(process.execPath, ['--conditions=@x/source', '--input-type=module', '--eval', PROGRAM], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  expect({ out, err, code }).toEqual({ out: '', err: '', code: 0 })
})

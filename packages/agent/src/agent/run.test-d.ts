/** Types of `run`: what each style and schema gives, and one error where a mistake stands. */
import type { ChatResult } from '@x/interfaces'
import { z } from 'zod'
import { ag2Run, createAgent, type RunChatOptions, type RunResult } from '../index.ts'

const agent = createAgent({ name: 'a', model: false as never })
const result = z.object({ sum: z.number() })
const options: RunChatOptions = {}

const plain: RunResult = await agent.run('x')
const given: RunResult = await agent.run('x', options)
const checked: number = (await agent.run('x', { result })).result.sum
const loose: Record<string, unknown> = (await agent.run('x', { result: { type: 'object' } })).result
const chat: ChatResult = await agent.run('x', { ...ag2Run, msgTo: 'user', summaryMethod: 'last_msg' })
const checkedChat: number = (await agent.run('x', { ...ag2Run, result })).result.sum
const stream = agent.runStream('x', { result })
const pieces: ReadableStream<string> = stream.textStream
const streamed: number = (await stream.result).result.sum
const blocked: string = agent.runSync('x').text

// @ts-expect-error -- a misspelt option
await agent.run('x', { maxTurn: 3 })
// @ts-expect-error -- an option that no run has, beside a schema
const { text } = await agent.run('x', { result, maxSteps: 3 })
// @ts-expect-error -- an option of the reference without its style
await agent.run('x', { msgTo: 'user' })
// @ts-expect-error -- no signal stops a blocking call
agent.runSync('x', { signal: AbortSignal.timeout(1) })
// @ts-expect-error -- the options in the place of the question
await agent.run({ prompt: 'x' })

void [plain, given, checked, loose, chat, checkedChat, pieces, streamed, blocked, text]

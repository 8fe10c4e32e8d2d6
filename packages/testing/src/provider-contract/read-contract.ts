import type { ChatMessage, ModelAnswer, ModelEvent, ModelParams } from '@x/interfaces'
import type { ContractRunner } from '../contracts/contract-runner.ts'
import { findDisorder } from '../contracts/event-order.ts'
import { withAdapter, requestAnswer, requestStream } from './adapter-case.ts'
import { collectStream } from './collect-stream.ts'
import { findDifference, findRequestDifference } from './compare-requests.ts'
import type { CompleteContract, FramedRecording } from './contract.ts'
import { bytesOf, type FakeResponse } from './fake-fetch.ts'
import type { MissingFeature, PlainAnswer, PlainMessage, PlainPart, WireMeaning } from './meaning.ts'
import { answerPlans, makeAnswer, orderOf, USAGE, type AnswerPlan } from './random-answer.ts'
import { typeOf } from './stream-text.ts'

/** Streams of each answer, cut in other places. */
const STREAM_COUNT = 4

/** Checks that what is read of an answer is what was served, complete and streamed. */
export function readContract(runner: ContractRunner, contract: CompleteContract): void {
  const { meaning } = contract
  if (!meaning) return
  const { test, expect } = runner
  const lacks = new Set(meaning.lacks)
  for (const [name, plan] of Object.entries(answerPlans(meaning))) {
    test(`read: ${name}, complete and streamed`, async () => {
      for (let number = 1; number <= STREAM_COUNT; number++) {
        const answer = makeAnswer(meaning, plan, number)
        const whole = await requestAnswer(contract, JSON.stringify(meaning.whole(answer)))
        expect(findAnswerDifference(answer, whole, meaning)).toBe(undefined)
        // The requested model stands for one that is not named.
        if (lacks.has('answer-model') || answer.model === '') expect(whole.model).toBe(contract.config.model ?? '')
        const { events, answer: streamed, error } = await requestStream(contract, meaning.frames(answer).join(''))
        expect(error).toBe(undefined)
        expect(findAnswerDifference(answer, streamed!, meaning)).toBe(undefined)
        expect(findDisorder(events)).toBe(undefined)
        if (orderOf(meaning, number) !== 'interleaved' && !lacks.has('call-end')) {
          expect(findLateEnd(events)).toBe(undefined)
        }
        expect(findDifference(contentOfAnswer(streamed!), contentOfEvents(events), '')).toBe(undefined)
      }
    })

    test(`read: ${name}, then sent back with the history`, async () => {
      const answer = makeAnswer(meaning, plan, 1)
      for (const read of [
        await requestAnswer(contract, JSON.stringify(meaning.whole(answer))),
        (await requestStream(contract, meaning.frames(answer).join(''))).answer!,
      ]) {
        expect(await findHistoryDifference(contract, meaning, answer, read)).toBe(undefined)
      }
    })
  }
  checkTogether(runner, contract, meaning)
  checkEnd(runner, contract, meaning)
}

/** Checks two answers that one client reads at once. */
function checkTogether({ test, expect }: ContractRunner, contract: CompleteContract, meaning: WireMeaning): void {
  test('read: two answers at once do not touch each other', async () => {
    const plan = answerPlans(meaning)['calls at once']!
    const answers = [makeAnswer(meaning, plan, 7), makeAnswer(meaning, renamedPlan(plan), 8)]
    const respond = (index: number): FakeResponse => {
      const frames = meaning.frames(answers[index]!)
      return {
        headers: { 'content-type': typeOf(frames[0]!) },
        pieces: frames.flatMap((frame) => bytesOf(frame)),
      }
    }
    await withAdapter(contract, respond, async ({ client, params }) => {
      const streams = answers.map(() => client.stream!(params, {}))
      const read: (ModelAnswer | undefined)[] = answers.map(() => undefined)
      while (read.includes(undefined)) {
        for (const [at, stream] of streams.entries()) {
          if (read[at]) continue
          const next = await stream.next()
          if (next.done) read[at] = next.value
        }
      }
      for (const [at, answer] of answers.entries())
        expect(findAnswerDifference(answer, read[at]!, meaning)).toBe(undefined)
    })
  })
}

const renamedPlan = ({ choices }: AnswerPlan): AnswerPlan => ({
  choices: choices.map(({ calls = [], ...choice }) => ({
    ...choice,
    calls: calls.map((call) => ({ ...call, id: `other_${call.id}`, args: { other: call.id } })),
  })),
})

/** Seconds after which a stream that stays open fails: it should have ended by its last frame. */
const OPEN_STREAM_SECONDS = 0.5

function checkEnd({ test, expect }: ContractRunner, contract: CompleteContract, meaning: WireMeaning): void {
  const plan = answerPlans(meaning)['a text']!
  const answer = makeAnswer(meaning, plan, 1)
  if (!new Set(meaning.lacks).has('stream-end')) {
    test('read: a stream ends with its last frame, though the connection stays open', async () => {
      const text = meaning.frames(answer).join('')
      await withAdapter(
        contract,
        () => ({ headers: { 'content-type': typeOf(text) }, pieces: bytesOf(text), open: true }),
        async ({ client, params }) => {
          const { answer: read, error } = await collectStream(client, params)
          expect(error).toBe(undefined)
          expect(findAnswerDifference(answer, read!, meaning)).toBe(undefined)
        },
        { timeout: OPEN_STREAM_SECONDS },
      )
    })
  }
  const { errorBodies = [], errorFrames = [] } = meaning
  const kind = contract.errorFrame?.kind ?? 'server'
  for (const [at, body] of errorBodies.entries()) {
    test(`read: a complete answer that reports a failure is one (${at + 1})`, async () => {
      let error: unknown
      try {
        await requestAnswer(contract, body)
      } catch (thrown) {
        error = thrown
      }
      expect(error).toMatchObject({ kind })
    })
  }
  for (const [at, { text, kind: meant }] of errorFrames.entries()) {
    test(`read: another frame that reports a failure is one (${at + 1})`, async () => {
      const [first = ''] = meaning.frames(answer)
      const { error } = await requestStream(contract, `${first}${text}`)
      expect(error).toMatchObject({ kind: meant })
    })
  }
}

/** Returns the first difference between an answer that was served and what was read of it. */
function findAnswerDifference(
  served: PlainAnswer,
  read: ModelAnswer,
  { lacks: missing, finish }: WireMeaning,
): string | undefined {
  const lacks = new Set(missing)
  const expected = {
    ...(!lacks.has('answer-id') && { id: served.id }),
    ...(!lacks.has('answer-created') && { created: served.created }),
    ...(!lacks.has('answer-model') && served.model !== '' && { model: served.model }),
    choices: served.choices.map(({ reasoning, text, calls, finish: word }) => ({
      ...{ reasoning, text },
      calls: calls.map(({ id, ...call }) => (lacks.has('call-ids') ? call : { id, ...call })),
      finish: meantBy(word, calls.length, finish),
    })),
    usage: served.usage ?? undefined,
  }
  const got = {
    ...(!lacks.has('answer-id') && { id: read.id }),
    ...(!lacks.has('answer-created') && { created: read.created }),
    ...(!lacks.has('answer-model') && served.model !== '' && { model: read.model }),
    choices: contentOfAnswer(read).map(({ calls, ...choice }) => ({
      ...choice,
      calls: calls.map(({ id, ...call }) => (lacks.has('call-ids') ? call : { id, ...call })),
    })),
    usage: usageOf(read, lacks),
  }
  const ids = read.choices.flatMap(({ message }) => (message.tool_calls ?? []).map(({ id }) => id))
  if (new Set(ids).size < ids.length || ids.includes('')) return 'calls: two calls have the same identifier'
  return findDifference(expected, got, '')
}

/** Finds a call that ended behind the beginning of the next one, though it arrived before it. */
function findLateEnd(events: readonly ModelEvent[]): string | undefined {
  const open = new Set<number>()
  for (const event of events) {
    // Choices may alternate.
    if ('index' in event && event.index > 0) return undefined
    if (event.type === 'toolCallStart') {
      const [late] = open
      if (late !== undefined) return `call ${late} has arrived whole, and call ${event.call} begins before it ends`
      open.add(event.call)
    } else if (event.type === 'toolCallEnd') open.delete(event.call)
  }
  return undefined
}

/** Returns the finish reason that a word means. */
function meantBy(word: string, calls: number, finish: WireMeaning['finish']): string {
  const meant = Object.hasOwn(finish, word) ? finish[word]! : word.toLowerCase()
  const hasWord = Object.values(finish).includes('tool_calls')
  return meant === 'stop' && calls > 0 && !hasWord ? 'tool_calls' : meant
}

/** Content of a choice. */
interface ChoiceContent {
  reasoning: string
  text: string
  calls: { id: string; name: string; args: unknown }[]
  finish: string | null
}

function contentOfAnswer({ choices }: ModelAnswer): ChoiceContent[] {
  return choices.map(({ message, finish_reason: finish, reasoning = '' }) => ({
    reasoning,
    text: typeof message.content === 'string' ? message.content : '',
    calls: (message.tool_calls ?? []).map(({ id = '', function: { name, arguments: args } }) => ({
      ...{ id, name },
      args: parsed(args),
    })),
    finish,
  }))
}

/** Adds events up to what their answer says. */
function contentOfEvents(events: readonly ModelEvent[]): ChoiceContent[] {
  const choices: ChoiceContent[] = []
  const at = (index: number): ChoiceContent => (choices[index] ??= { reasoning: '', text: '', calls: [], finish: '' })
  for (const event of events) {
    if (event.type === 'textDelta') at(event.index).text += event.text
    else if (event.type === 'reasoningDelta') at(event.index).reasoning += event.text
    else if (event.type === 'textWasReasoning') {
      const choice = at(event.index)
      choice.reasoning += choice.text
      choice.text = ''
    } else if (event.type === 'toolCallStart') {
      at(event.index).calls[event.call] = { id: event.id ?? '', name: event.name, args: '' }
    } else if (event.type === 'toolCallDelta') {
      const call = at(event.index).calls[event.call]!
      call.args = `${call.args as string}${event.arguments}`
    } else if (event.type === 'finish') at(event.index).finish = event.reason
  }
  for (const { calls } of choices) for (const call of calls) call.args = parsed(call.args)
  return choices
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(text as string)
  } catch {
    return text
  }
}

function usageOf({ usage }: ModelAnswer, lacks: ReadonlySet<MissingFeature>): object | undefined {
  if (!usage) return undefined
  const { prompt_tokens: prompt, completion_tokens: completion, cached_tokens, reasoning_tokens } = usage
  return {
    ...{ prompt, completion },
    ...(!lacks.has('usage-cached') && cached_tokens && { cached: cached_tokens }),
    ...(!lacks.has('usage-reasoning') && reasoning_tokens && { reasoning: reasoning_tokens }),
  }
}

/** Sends an answer back in a history, and returns the first difference between the history and what was sent of it. */
async function findHistoryDifference(
  contract: CompleteContract,
  meaning: WireMeaning,
  served: PlainAnswer,
  read: ModelAnswer,
): Promise<string | undefined> {
  const [{ message }] = read.choices as [ModelAnswer['choices'][number]]
  const [{ calls }] = served.choices as [PlainAnswer['choices'][number]]
  const lacks = new Set(meaning.lacks)
  const ids = (message.tool_calls ?? []).map(({ id }) => id)
  const results = ids.map((id, at): ChatMessage => ({ role: 'tool', tool_call_id: id, content: `Result ${at}` }))
  const tools = [...new Set(calls.map(({ name }) => name))].map((name) => ({
    ...{ name, description: `Describes ${name}.` },
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  }))
  const question = { role: 'user', content: 'Hi' } as const
  const params: Partial<ModelParams> = {
    messages: [question, message, ...results, { role: 'user', content: 'And then?' }],
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
  }
  const sent = await withAdapter(
    contract,
    () => ({ headers: { 'content-type': 'application/json' }, pieces: bytesOf(contract.recordings[0]!.whole) }),
    async ({ client, params: usual, requests }) => {
      await client.create({ ...usual, ...params }, {})
      const [{ body, url }] = requests as [(typeof requests)[number]]
      return meaning.decode(JSON.parse(body) as Record<string, unknown>, { url })
    },
  )
  const asked = { model: contract.config.model ?? '', stream: false, messages: historyOf(served, ids, lacks) }
  return findRequestDifference({ ...asked, ...(tools.length > 0 && { tools }) }, sent, { ...meaning, lacks })
}

/** Returns a history with an answer and results of its calls. `ids` are those under which its calls were read. */
function historyOf(
  served: PlainAnswer,
  ids: readonly (string | undefined)[],
  lacks: ReadonlySet<MissingFeature>,
): PlainMessage[] {
  const [{ reasoning, text, calls }] = served.choices as [PlainAnswer['choices'][number]]
  const sendsReasoning = reasoning !== '' && !lacks.has('reasoning-history')
  const said: PlainPart[] = [
    ...(sendsReasoning ? [{ type: 'reasoning' as const, text: reasoning }] : []),
    ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ name, args }, at) => ({ type: 'call' as const, id: ids[at], name, args })),
  ]
  return [
    { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    { role: 'assistant', parts: said },
    ...calls.map(({ name }, at): PlainMessage => ({
      role: 'tool',
      parts: [{ type: 'result', id: ids[at], name, failed: false, parts: [{ type: 'text', text: `Result ${at}` }] }],
    })),
    { role: 'user', parts: [{ type: 'text', text: 'And then?' }] },
  ]
}

/** Records answers that a wire writes: a text, reasoning before a text, and two calls. */
export function recordingsOf(meaning: WireMeaning): FramedRecording[] {
  const plans = answerPlans(meaning)
  const names = ['a text', 'reasoning before a text', 'calls at once']
  return names.map((name) => {
    const answer = makeAnswer(meaning, plans[name]!, 3)
    const [{ text, calls, finish, reasoning }] = answer.choices as [PlainAnswer['choices'][number]]
    const frames = meaning.frames(answer)
    return {
      name,
      whole: JSON.stringify(meaning.whole(answer)),
      stream: frames.join(''),
      frames,
      says: {
        text,
        calls: calls.map(({ name: called, args }) => ({ name: called, arguments: JSON.stringify(args) })),
        finish: meantBy(finish, calls.length, meaning.finish),
        ...(reasoning !== '' && { reasoning }),
        usage: answer.usage ?? USAGE,
      },
    }
  })
}

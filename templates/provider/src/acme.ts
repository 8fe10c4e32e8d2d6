import type { Provider } from '@x/interfaces'
import {
  mergeTurns,
  createAdapterClient,
  createCatalogue,
  createHttpWire,
  normalizeUsage,
  platformClock,
  inBandFailure,
  turnsOf,
  type AnswerReader,
  type CheckedParams,
  type Dialect,
  type LowerContext,
  type TurnPart,
} from '@x/provider-kit'

// 1. What the provider takes: ids of calls and names of tools.
const ids = { maxLength: 32, forbidden: /[^\w-]/gu }
const names = { maxLength: 64, forbidden: /[^\w-]/gu }

// 2. Limits of models in tokens, and prices in US dollars per 1,000,000 of them.
const catalogue = createCatalogue({
  date: '2026-11-01',
  models: { 'acme-1': { contextWindow: 128_000, maxOutput: 8192, price: { input: 1, output: 4 } } },
})

// 3. One part of a turn, as the provider takes it; a warning says what is left out.
function lowerPart(part: TurnPart, warn: LowerContext['warn']): object {
  if (part.type === 'text') return { text: part.text }
  if (part.type === 'call') return { call: { id: part.id, name: part.name, args: part.args } }
  if (part.type === 'result') {
    const text = part.content.map((each) => (each.type === 'text' ? each.text : '')).join('\n')
    return { result: { id: part.id, text, failed: part.failed } }
  }
  const { media } = part
  if (media.type === 'bytes' && media.mediaType.startsWith('image/')) {
    return { image: { type: media.mediaType, base64: media.data } }
  }
  warn('content', 'an attachment was replaced by a note: Acme takes the bytes of images only')
  return { text: '[an attachment that cannot be shown here]' }
}

/** Returns the choice of a tool, whose name the provider takes in the form of the tools. */
function lowerChoice(choice: CheckedParams['tool_choice'], names: LowerContext['names']): unknown {
  const called = typeof choice === 'object' ? (choice['function'] as { name: string } | undefined) : undefined
  return called ? { name: names.to(called.name) } : choice
}

/** Parameters that are sent. */
const SENT_PARAMS = 'model prompt tools functions tool_choice max_tokens max_completion_tokens temperature top_p stop'
const SENT: ReadonlySet<string> = new Set(SENT_PARAMS.split(' '))

// 4. What the provider answers: a stream has one of these per frame, a complete answer is a list of them.
interface AcmePiece {
  id?: string
  model?: string
  text?: string
  thought?: string
  call?: { id: string; name: string; args: object }
  stop?: string
  tokens?: { in: number; out: number }
  error?: object
}

const FINISH: Record<string, string> = {
  done: 'stop',
  calls: 'tool_calls',
  length: 'length',
  refused: 'content_filter',
}

function createReader(): AnswerReader {
  return {
    push(frame, answer) {
      const piece = frame as AcmePiece
      if (piece.error) throw inBandFailure(piece)
      answer.start(piece)
      if (piece.thought !== undefined) answer.reasoning(piece.thought)
      if (piece.text !== undefined) answer.text(piece.text)
      if (piece.call) {
        const call = answer.callStart(piece.call)
        answer.callDelta(call, JSON.stringify(piece.call.args))
        answer.callEnd(call)
      }
      if (piece.tokens) answer.usage(normalizeUsage({ prompt: piece.tokens.in, completion: piece.tokens.out }))
      if (piece.stop) answer.finish(FINISH[piece.stop] ?? piece.stop.toLowerCase())
      return piece.stop !== undefined
    },
    whole(body, answer) {
      const { error, pieces = [] } = body as { error?: object; pieces?: AcmePiece[] }
      if (error) throw inBandFailure(body)
      for (const piece of pieces) this.push(piece, answer)
    },
  }
}

// 5. The wire format as a whole.
const dialect: Dialect = {
  provider: 'acme',
  ids,
  names,
  capabilities: () => ({ tools: true, images: true, structuredOutput: 'none', streaming: true }),
  lower(params, context) {
    const { model, warn } = context
    const { system, turns } = turnsOf(params.messages, {
      ...{ provider: 'acme', ids, names: context.names, warn },
      // Results of tools are text alone: a line stands for each of their images.
      takesInResult: () => false,
    })
    const lowered = turns.map(({ role, parts }) => ({ role, parts: parts.map((part) => lowerPart(part, warn)) }))
    for (const name of Object.keys(params.given)) {
      if (!SENT.has(name)) warn(name, `\`${name}\` was left out: Acme does not know it`)
    }
    const { temperature, top_p, stop, tool_choice: choice } = params
    const limit = params.max_completion_tokens ?? params.max_tokens
    const tools = params.tools.flatMap((tool) => tool.function ?? [])
    if (tools.length < params.tools.length) warn('tools', 'Acme takes functions only: other tools were left out')
    return {
      model,
      body: {
        model,
        system: system.map(({ text }) => text).join('\n\n'),
        turns: mergeTurns(lowered),
        ...(limit !== undefined && { limit }),
        ...(temperature !== undefined && { temperature }),
        ...(top_p !== undefined && { top_p }),
        ...(stop !== undefined && { stop: [stop].flat() }),
        ...(choice !== undefined && { choice: lowerChoice(choice, context.names) }),
        ...(tools.length > 0 && { tools: tools.map((tool) => ({ ...tool, name: context.names.to(tool.name) })) }),
      },
    }
  },
  reader: createReader,
}

/** The address of Acme's API. */
const ACME_URL = 'https://api.acme.invalid'

/** The adapter for Acme's models. */
export const acme: Provider = {
  apiTypes: ['acme'],
  // By this the blocking face finds the package from its own thread.
  module: { specifier: 'x-provider-acme', export: 'acme', url: import.meta.url },
  specVersion: 1,
  createClient: (config) =>
    createAdapterClient({
      config,
      endpoint: config.baseUrl ?? ACME_URL,
      dialect,
      catalogue,
      clock: platformClock(),
      now: Date.now,
      connect: () =>
        createHttpWire({
          config,
          url: () => `${config.baseUrl ?? ACME_URL}/generate`,
          authorize: (key) => ({ authorization: `Bearer ${key}` }),
          environmentKey: () => process.env['ACME_API_KEY'],
          streamed: (body) => ({ ...body, stream: true }),
        }),
    }),
}

import type { ConversableAgent } from '@x/agent'
import { AssistantAgent, tool as makeTool, UserProxyAgent } from '@x/agent'
import type {
  ChatOptions,
  CodeReader,
  ConfigEntry,
  Face,
  Io,
  LlmConfig,
  MaybePromise,
  RunTracer,
  Tool,
  ToolContext,
  XEvent,
} from '@x/interfaces'
import { functionModel, type ScriptedReply } from '@x/testing'
import { z } from 'zod'

/** Options that programs pass on to the operations that they start. */
export interface Given {
  readonly tracer?: RunTracer
  readonly emit?: ChatOptions['emit']
}

/** How a program runs: what answers from outside, in which face, and what is changed in it. */
export interface WorldOptions {
  readonly face?: Face | undefined
  /** True: everything outside of the program fails when it is asked. */
  readonly offline?: boolean | undefined
  /** Turns by which what fails beside other things is late; default 0. */
  readonly turns?: number | undefined
  /** Takes the events of streams. */
  readonly emit?: ((event: XEvent) => void) | undefined
  /** Kinds of functions of the program that answer nonetheless. */
  readonly made?: ReadonlySet<string> | undefined
  /** The part that is changed, and how. */
  readonly mutation?: { readonly part: string; readonly change?: ((value: unknown) => unknown) | undefined } | undefined
}

/** A request to a model. */
type ScriptedCall = Parameters<Parameters<typeof functionModel>[0]>[0]

interface OutsideTool {
  readonly name: string
  readonly description: string
  readonly parameters: z.ZodType
  readonly needsApproval?: boolean | undefined
  readonly execute: (args: Record<string, unknown>, context: ToolContext) => unknown
}

/** The world of a program: everything outside of it, and a name for each part that may be changed. */
export class World {
  readonly face: Face
  /** Parts that were asked for, with their values. */
  readonly parts = new Map<string, unknown>()
  /** The calls outside, in order. */
  readonly asked: string[] = []
  /** The calls outside with all that they asked, as JSON. */
  readonly inputs: string[] = []
  /** Keys of the tools that were called, in order. */
  readonly keys: string[] = []
  readonly emit: WorldOptions['emit']
  readonly turns: number
  readonly #options: WorldOptions

  constructor(options: WorldOptions = {}) {
    this.face = options.face ?? 'async'
    this.emit = options.emit
    this.turns = options.turns ?? 0
    this.#options = options
  }

  /** A part of the program, as it is or changed. */
  vary<T>(part: string, value: T): T {
    this.parts.set(part, value)
    const { mutation } = this.#options
    if (mutation?.part !== part) return value
    return (mutation.change ?? changed)(value) as T
  }

  /** Answers from outside, or fails. */
  outside<T>(kind: string, answer: () => T, input: unknown = null): T {
    if (this.#options.offline && !this.#options.made?.has(kind)) throw new Error(`a ${kind} was asked in a replay`)
    this.asked.push(kind)
    this.inputs.push(JSON.stringify([kind, input]))
    return answer()
  }

  /** A function of the program that is answered from a record, and may be a promise where the face has promises. */
  function<A extends readonly unknown[], T>(kind: string, call: (...args: A) => T): (...args: A) => MaybePromise<T> {
    return (...args) => {
      if (this.face === 'sync') return this.outside(kind, () => call(...args))
      return Promise.resolve().then(() => this.outside(kind, () => call(...args)))
    }
  }

  /** A model that answers by a function of what it is asked. */
  asks(config: ConfigEntry, answer: (call: ScriptedCall) => ScriptedReply): LlmConfig {
    const reply = (call: ScriptedCall): ScriptedReply => {
      const { face: _, ...asked } = call
      return this.outside('model', () => answer(call), asked)
    }
    return functionModel(reply, { config, usage: [7, 3], cost: 0.5 })
  }

  /** A model with a part that may be changed. */
  model(part: string, answer: (call: ScriptedCall) => ScriptedReply): LlmConfig {
    return this.asks({ temperature: this.vary(`temperature of ${part}`, 0), topP: 1 }, answer)
  }

  /** A model that says texts one after the other, by the replies that stand in the request. */
  says(part: string, ...lines: ScriptedReply[]): LlmConfig {
    return this.model(part, ({ messages }) => {
      const said = messages.filter(({ role }) => role === 'assistant').length
      return lines[Math.min(said, lines.length - 1)]!
    })
  }

  person(...lines: string[]): Io {
    return {
      takes: new Set(),
      send() {},
      input: (question) => this.outside('human', () => lines.shift() ?? 'exit', question),
    }
  }

  tool(
    name: string,
    execute: (args: Record<string, unknown>, context: ToolContext) => unknown,
    more: { needsApproval?: boolean; properties?: Record<string, z.ZodType> } = {},
  ): Tool {
    const { properties = { item: z.string() }, needsApproval } = more
    const extra = this.vary(`schema of ${name}`, {})
    return this.outsideTool({
      name,
      description: this.vary(`description of ${name}`, `Does ${name}.`),
      parameters: z.object({ ...properties, ...extra }),
      ...(needsApproval && { needsApproval }),
      execute,
    })
  }

  /** A tool that is outside of the program. */
  outsideTool({ execute, ...definition }: OutsideTool): Tool {
    return makeTool({
      ...definition,
      execute: (args, context) =>
        this.outside(
          'tool',
          () => {
            this.keys.push(context.key)
            return execute(args as Record<string, unknown>, context)
          },
          [definition.name, args],
        ),
    })
  }

  /** Starts a chat in the face of the world. */
  async chat(from: ConversableAgent, to: ConversableAgent, options: ChatOptions): Promise<unknown> {
    if (this.face === 'sync') return outcomeOf(from.initiateChatSync(to, options))
    if (this.face === 'async') return outcomeOf(await from.initiateChat(to, options))
    return outcomeOf(await resultOf(from.initiateChatStream(to, options), this.emit))
  }
}

/** Awaits the result of a stream whose events are all read. */
export async function resultOf<E, T>(stream: AsyncGenerator<E, T, void>, emit?: (event: E) => void): Promise<T> {
  for (;;) {
    const next = await stream.next()
    if (next.done) return next.value
    emit?.(next.value)
  }
}

export const outcomeOf = (result: {
  summary: unknown
  chatHistory: readonly unknown[]
  cost: unknown
  humanInput: unknown
  terminationReason: unknown
}): unknown => {
  const { summary, chatHistory, cost, humanInput, terminationReason } = result
  return { summary, chatHistory, cost, humanInput, terminationReason }
}

/** A value that is plainly another one. */
function changed(value: unknown): unknown {
  if (typeof value === 'string') return `${value} Changed.`
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return value.length > 1 ? value.toReversed() : [...value, ...value]
  return { ...(value as object), changed: z.string().optional() }
}

/** A reader of code that is fenced as of the shell. */
export const CODE_READER: CodeReader = {
  extractCode: (text) => {
    const code = /```sh\n([^]*?)```/u.exec(typeof text === 'string' ? text : '')?.[1]
    return code === undefined ? [] : [{ language: 'sh', code }]
  },
  inferLang: () => 'sh',
}

/** A reply that calls tools. */
export const calls = (...names: (string | [name: string, args: object])[]): ScriptedReply => ({
  tool_calls: names.map((each, at) => {
    const [name, args] = typeof each === 'string' ? [each, { item: 'tea' }] : each
    return { id: `c${at}`, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } }
  }),
})

export const quiet: Io = { takes: new Set(), send() {}, input: () => 'exit' }
export const never = { humanInputMode: 'NEVER', silent: true, io: quiet, codeExecutionConfig: false } as const
export const proxy = (name: string, more: object = {}): UserProxyAgent =>
  new UserProxyAgent({ name, ...never, ...more })
export const assistant = (name: string, config: LlmConfig, more: object = {}): AssistantAgent =>
  new AssistantAgent({ name, llmConfig: config, silent: true, io: quiet, ...more })

/** A program: it starts one run with the given options. */
export interface Program {
  readonly faces: readonly Face[]
  /** True if calls run side by side. */
  readonly isParallel?: boolean
  /** True if the run is another one in each face. */
  readonly differsByFace?: boolean
  /** Parts whose change is no difference of the run by itself: only functions that are made again show it. */
  readonly made?: Readonly<Record<string, string>>
  run(world: World, given: Given): Promise<unknown>
}

/** All faces. */
export const ALL: readonly Face[] = ['sync', 'async', 'stream']

/** The value or the error of a program. */
export const reached = (ran: Promise<unknown>): Promise<object> =>
  ran.then(
    (value) => ({ value }),
    (error: unknown) => ({ error: String(error) }),
  )

/** Events without what differs from run to run. Calls that run side by side, and so the steps of a search, end in any order. */
export function comparable(
  events: readonly XEvent[],
  { isParallel = false }: Pick<Program, 'isParallel'>,
): readonly string[] {
  const told = events
    .filter(({ type }) => !isParallel || !type.startsWith('search'))
    .map((event) =>
      JSON.stringify({ ...event, runId: 0, time: 0, ...(isParallel && { seq: 0 }) }, (key, value: unknown) =>
        /ms$/iu.test(key) ? 0 : value,
      ),
    )
  return isParallel ? told.toSorted() : told
}

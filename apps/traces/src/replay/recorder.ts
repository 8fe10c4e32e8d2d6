import type { Agent, Face, Io, Logger, XEvent } from '@x/interfaces'
import { plainEvent, plainLogRecord } from './plain-records.ts'
import { XError } from '@x/kernel'
import { plain } from './plain.ts'
import type { Facts, Given } from './trace.ts'

/** Keeps what a replay has seen so far; each entry is a copy, taken when it came. */
export interface Recorder {
  /** The face that is replayed; a blocking caller cannot wait for a script. */
  readonly face: Face
  readonly modelCalls: { model: string; params: Readonly<Record<string, never>> }[]
  readonly functionCalls: Facts[]
  readonly events: Facts[]
  readonly prompts: string[]
  readonly log: Facts[]
  readonly warnings: Set<string>
  /** Random choices. */
  readonly draws: Facts[]
  /** Errors that a script threw; they come out as they are. */
  readonly scriptedErrors: WeakSet<Error>
  readonly io: Io
  readonly logger: Logger
  callFunction(name: string, facts: Record<string, unknown>): void
  callModel(model: string, params: object): void
  readonly see: (event: XEvent) => void
  /** True during a step with `silent`. */
  isSilent: boolean
}

/** Topics of warnings that the reference does not give. */
const OURS_ALONE: ReadonlySet<string> = new Set(['empty-answer', 'empty-auto-reply'])

/** Makes an empty recorder. */
export function createRecorder({ human = [], agents = {} }: Pick<Given, 'human' | 'agents'>, face: Face): Recorder {
  const lines = [...human]
  const silent = new Set(Object.keys(agents).filter((name) => agents[name]!.options?.['silent'] === true))
  const see = (event: XEvent): void => {
    // In silence the reference sends no event of who is next, and none of a group that resumes.
    if (event.type === 'groupChatRunChat' && silent.has(event.agentPath?.at(-2) ?? '')) return
    if (event.type === 'groupChatResume' && recorder.isSilent) return
    if (event.type === 'warning' && !OURS_ALONE.has(event.topic)) recorder.warnings.add(anybodys(event.text))
    const facts = plainEvent(event)
    if (facts) recorder.events.push(facts)
  }
  const recorder: Recorder = {
    face,
    modelCalls: [],
    functionCalls: [],
    events: [],
    prompts: [],
    log: [],
    warnings: new Set(),
    draws: [],
    scriptedErrors: new WeakSet(),
    io: {
      send: see,
      input(prompt) {
        recorder.prompts.push(prompt)
        const line = lines.shift()
        if (line === undefined) throw new Error(`the human was asked \`${prompt}\` and has no line left to type`)
        if (typeof line !== 'string') throw interrupted()
        return line
      },
    },
    logger: {
      log(record) {
        const facts = plainLogRecord(record)
        if (facts) recorder.log.push(facts)
      },
    },
    callFunction(name, facts) {
      recorder.functionCalls.push({ function: name, ...(plain(facts) as Facts) })
    },
    callModel(model, params) {
      recorder.modelCalls.push({ model, params: plain(params) as never })
    },
    see,
    isSilent: false,
  }
  return recorder
}

/** Makes the error of a person's interrupt. */
export const interrupted = (): XError => new XError('aborted', 'the person pressed Ctrl-C')

/** A warning without the agent that it begins with: the reference's are the same for all of them. */
const anybodys = (text: string): string => text.replace(/^(?:the chat of `[^`]*`|[^`: ]+:) /u, '')

/** The name of an agent that may be missing. */
export function nameOf(agent: Agent | null | undefined): string | null {
  return agent?.name ?? null
}

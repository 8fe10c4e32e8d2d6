import { buildResumeArray, HttpAgent, randomUUID, type RunAgentParameters } from '@ag-ui/client'
import type { AssistantMessage, Interrupt, Message, ResumeEntry } from '@ag-ui/core'
import { EventSchemas } from '@ag-ui/core/schemas'

/** Answers a request of an AG-UI client. */
export type Answer = (body: unknown) => Response | Promise<Response>

/** An event as it travels. */
export type WireEvent = Readonly<Record<string, unknown>> & { readonly type: string }

/** The events and the error that one run of the client read. */
export interface AgUiRead {
  readonly events: readonly WireEvent[]
  /** The error by which the client says that its run has failed; undefined without one. */
  readonly error: unknown
}

/** A page without a browser: the client of AG-UI, which validates every event and its order. */
export class AgUiPage {
  readonly agent: HttpAgent
  readonly #warnings: string[] = []

  constructor(answer: Answer, messages: Message[] = []) {
    this.agent = new HttpAgent({
      url: 'http://localhost/ag-ui',
      initialMessages: messages,
      fetch: async (_, { body, signal }) => {
        const response = await answer(JSON.parse(body as string))
        // As `fetch` does: who aborts the request ends the reading of its answer.
        return new Response(response.body!.pipeThrough(new TransformStream(), { signal: signal! }), response)
      },
    })
  }

  /** Sends a message of the user. */
  async say(content: string, parameters: RunAgentParameters = {}): Promise<AgUiRead> {
    this.agent.addMessage({ id: randomUUID(), role: 'user', content })
    return await this.run(parameters)
  }

  /** Decides on everything that the last run has asked. */
  async decide(decisions: Decisions = {}): Promise<AgUiRead> {
    return await this.run({ resume: decideOn(this.agent.pendingInterrupts, this.agent.messages, decisions) })
  }

  /** Runs the agent; the validators of AG-UI take every event, and leave nothing of it out. */
  async run(parameters: RunAgentParameters): Promise<AgUiRead> {
    const events: WireEvent[] = []
    let error: unknown
    const { warn, error: logError } = console
    console.warn = (text: string) => void this.#warnings.push(text)
    console.error = () => undefined
    try {
      await this.agent.runAgent(parameters, {
        onEvent: ({ event }) => {
          EventSchemas.parse(event)
          events.push(JSON.parse(JSON.stringify(event)) as WireEvent)
        },
      })
    } catch (failure) {
      error = failure
    } finally {
      Object.assign(console, { warn, error: logError })
    }
    if (this.#warnings.length > 0) throw new Error(this.#warnings.join('\n'))
    return { events, error }
  }
}

/** How a page decides. */
export interface Decisions {
  /** Name of the tool that it refuses; default: none. */
  readonly refuse?: string
  /** Answer to all questions; default `yes`. */
  readonly answer?: string
}

/** Returns the answers to what a run has asked. */
function decideOn(
  interrupts: Interrupt[],
  messages: readonly Message[],
  { refuse, answer = 'yes' }: Decisions,
): ResumeEntry[] {
  const calls = toolCallsIn(messages)
  const responses = interrupts.map(({ id, toolCallId }) => {
    const name = calls.find((call) => call.id === toolCallId)?.function.name
    const payload = toolCallId === undefined ? answer : { approved: name !== refuse, reason: 'by hand' }
    return [id, { status: 'resolved' as const, payload }] as const
  })
  return buildResumeArray(interrupts, Object.fromEntries(responses))
}

/** Returns the calls of tools in messages. */
export const toolCallsIn = (messages: readonly Message[]): NonNullable<AssistantMessage['toolCalls']> =>
  messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))

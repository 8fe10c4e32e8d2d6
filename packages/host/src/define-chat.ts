import { tool, type OutputOf, type Parameters } from '@x/agent'
import { checkRetry, type RetryPolicy } from './run/retry.ts'
import type { ChatKind, Io, JsonSchema, MaybePromise, Run, ToolIssue } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

/** The argument of a program: its chat, and the means to run it. */
export interface ChatRun<I> {
  /** Identifier of the chat, and of its run in the keys of tools. */
  readonly id: string
  /** The submitted input, as parsed by the schema of the program. */
  readonly input: I
  /** Pass this to every chat, call and search: their answers are recorded, and a worker that takes over continues from them. */
  readonly run: Run
  /** For agents that ask a human: messages sent to the chat are the answers, and the chat waits for them without a process. */
  readonly io: Io
  /**
   * Returns the next message that was sent to the chat. If there is none, the worker suspends the chat, and the program
   * starts again when a message comes: recorded answers of the run are replayed.
   */
  readonly receive: () => Promise<unknown>
  /**
   * Runs a chat of another program as a part of this one, on any free worker, and returns its value. Equal input gives the
   * same part, which a worker that takes over this chat finds again; a failed part is run again. Fails as the part fails.
   * Parts are deleted when this chat ends.
   */
  readonly perform: (chat: DefinedChat, input: unknown, options?: PerformOptions) => Promise<unknown>
}

/** Options of `perform`. */
export interface PerformOptions {
  /** Distinguishes parts of equal input. */
  readonly key?: string | undefined
  /** Cancels the part; `perform` then fails with `aborted`. */
  readonly signal?: AbortSignal | undefined
}

/** Options of {@link defineChat}. */
export interface ChatDefinition<P extends Parameters, R> {
  /** Name of the program: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string
  /** Version of the program: 1 to 64 letters, digits, `.`, `_` and `-`. A chat continues with the version that began it, so change the version when earlier chats could not continue. */
  readonly version: string
  /** Schema of the input: zod, any Standard Schema with a JSON Schema, or plain JSON Schema of an object. Default: anything. */
  readonly input?: P | undefined
  /** The program. It starts again whenever the chat continues, and must make the same calls in the same order. Its value is plain JSON. */
  readonly run: (chat: ChatRun<OutputOf<P>>) => MaybePromise<R>
  /**
   * Most chats of this program at once in a worker; they do not count toward the `concurrency` of `work`. A program that
   * others `perform` needs this option: chats that wait for it would otherwise hold all slots.
   */
  readonly concurrency?: number | undefined
  /**
   * The part of a chat that the store keeps: with `all` (the default) every answer and event; with `value` only the outcome, for
   * programs of one call, which a worker that takes over starts from the beginning. Such a chat fails when it would wait for
   * a decision or message.
   */
  readonly keeps?: 'all' | 'value' | undefined
  /**
   * Errors of the program that pass, such as an overloaded provider or a lost connection: the chat waits with growing delays
   * (1 second to 5 minutes by default, or as long as the provider asks), and runs again from its journal. Any other error ends it.
   * Default: for six hours from the first failure in a row, however many there are.
   */
  readonly retry?: RetryPolicy | undefined
}

/** The program of hosted chats. */
export interface DefinedChat<I = never, R = unknown> extends ChatKind {
  /** Checks an input; returns it as the program gets it. Fails with `invalid-argument`. */
  readonly check: (input: unknown) => Promise<unknown>
  readonly run: (chat: ChatRun<I>) => MaybePromise<R>
  readonly concurrency?: number | undefined
  readonly keeps?: 'all' | 'value' | undefined
  readonly retry?: RetryPolicy | undefined
}

const CHAT_DEFINITION_KINDS: OptionKinds<ChatDefinition<Parameters, unknown>> = {
  name: kind.text,
  version: kind.text,
  input: { ...kind.either(kind.object, kind.call), expected: 'a schema' },
  run: kind.call,
  concurrency: kind.whole(1),
  keeps: kind.oneOf('all', 'value'),
  retry: kind.object,
}

/** Defines the program of hosted chats. */
export function defineChat<P extends Parameters = JsonSchema, R = unknown>(
  definition: ChatDefinition<P, R>,
): DefinedChat<OutputOf<P>, R> {
  const attempt = 'define a chat'
  checkOptions((definition as object | undefined) ?? null, CHAT_DEFINITION_KINDS, attempt)
  const { name, version, input, run, concurrency, keeps = 'all', retry } = definition
  checkRetry(retry, 'choose the `retry` of a chat')
  const problem =
    (!/^[\w-]{1,64}$/u.test(name ?? '') && '`name` takes 1 to 64 letters, digits, `_` and `-`') ||
    (!/^[\w.-]{1,64}$/u.test(version ?? '') && '`version` takes 1 to 64 letters, digits, `.`, `_` and `-`') ||
    (!run && 'it has no `run`; give the function that runs the chat: ({ input, run }) => …')
  if (problem) throw new XError('invalid-argument', `cannot ${attempt}: ${problem}`)
  const shape = input && tool({ name: 'input', description: '', parameters: input, execute: () => '' })
  const check = async (value: unknown): Promise<OutputOf<P>> => {
    const checked = (await shape?.validate?.(value)) ?? { value }
    if ('value' in checked) return checked.value as OutputOf<P>
    throw new XError(
      'invalid-argument',
      `the input of a chat \`${name}\` does not fit its schema: ${issuesText(checked.issues)}`,
    )
  }
  return Object.freeze({ name, version, check, run, concurrency, keeps, retry })
}

const issuesText = (issues: readonly ToolIssue[]): string =>
  issues.map(({ path, message }) => (path.length > 0 ? `\`${path.join('.')}\`: ${message}` : message)).join('; ')

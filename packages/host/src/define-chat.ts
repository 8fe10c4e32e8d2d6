import { tool, type OutputOf, type Parameters } from '@x/agent'
import type { ChatKind, Io, JsonSchema, MaybePromise, Run, ToolIssue } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

/** What the program of a hosted chat is given. */
export interface ChatRun<I> {
  /** Names the chat, and its run in the keys of tools. */
  readonly id: string
  /** What was submitted, as the schema of the program gives it. */
  readonly input: I
  /** The run to pass on to every chat, call and search: what they answer is kept, and a worker that takes over goes on with it. */
  readonly run: Run
  /** For agents that ask a human: the answers are the messages sent to the chat, which waits for them without a process. */
  readonly io: Io
  /**
   * Gives the next message that was sent to the chat. Where there is none the worker lets go of the chat, and the program
   * starts again when one comes: everything in the run that has answered is recalled.
   */
  receive(): Promise<unknown>
  /**
   * Has a chat of another program run as a part of this one, by whichever worker is free, and gives its value. The same
   * input is one part, which a worker that takes this chat over finds again; one that failed is run anew. Fails as the part
   * does. Parts are forgotten when this chat ends.
   */
  readonly perform: (chat: DefinedChat, input: unknown, options?: PerformOptions) => Promise<unknown>
}

/** Options of `perform`. */
export interface PerformOptions {
  /** Tells apart parts of equal input. */
  readonly key?: string | undefined
  /** Cancels the part, which is then no longer needed; `perform` fails with `aborted`. */
  readonly signal?: AbortSignal | undefined
}

/** Options of {@link defineChat}. */
export interface ChatDefinition<P extends Parameters, R> {
  /** Name of the program: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string
  /** Version of the program, in letters, digits, `.`, `_` and `-`: a chat goes on with the version that began it. Give another when the chats of before could not go on. */
  readonly version: string
  /** Shape of the input: zod, any Standard Schema with a JSON Schema, or plain JSON Schema of an object. Default: anything. */
  readonly input?: P | undefined
  /** The program. It is started again whenever the chat goes on, and has to start the same things in the same order. Its value is plain JSON. */
  readonly run: (chat: ChatRun<OutputOf<P>>) => MaybePromise<R>
  /**
   * Most chats of this program at once in a worker, which then do not count among those of `work`. A program that others
   * `perform` needs a number of its own: chats that wait for it would otherwise hold its places.
   */
  readonly concurrency?: number | undefined
  /**
   * What is kept of a chat: with `all` (the default) every answer and event; with `value` its end alone, for programs of one
   * call, which a worker that takes over starts anew. Such a chat fails where it would wait for a decision or message.
   */
  readonly keeps?: 'all' | 'value' | undefined
}

/** The program of hosted chats. */
export interface DefinedChat<I = never, R = unknown> extends ChatKind {
  /** Checks an input; gives it as the program gets it. Fails with `invalid-argument`. */
  readonly check: (input: unknown) => Promise<unknown>
  readonly run: (chat: ChatRun<I>) => MaybePromise<R>
  readonly concurrency?: number | undefined
  readonly keeps?: 'all' | 'value' | undefined
}

const KINDS: OptionKinds<ChatDefinition<Parameters, unknown>> = {
  name: kind.text,
  version: kind.text,
  input: { ...kind.either(kind.object, kind.call), expected: 'a schema' },
  run: kind.call,
  concurrency: kind.whole(1),
  keeps: kind.oneOf('all', 'value'),
}

/** Defines the program of hosted chats. */
export function defineChat<P extends Parameters = JsonSchema, R = unknown>(
  definition: ChatDefinition<P, R>,
): DefinedChat<OutputOf<P>, R> {
  const attempt = 'define a chat'
  checkOptions((definition as object | undefined) ?? null, KINDS, attempt)
  const { name, version, input, run, concurrency, keeps = 'all' } = definition
  const problem =
    (!/^[\w-]{1,64}$/u.test(name ?? '') && '`name` takes 1 to 64 letters, digits, `_` and `-`') ||
    (!/^[\w.-]{1,64}$/u.test(version ?? '') && '`version` takes 1 to 64 letters, digits, `.`, `_` and `-`') ||
    (!run && 'it has no `run`; give the function that runs the chat: ({ input, run }) => …')
  if (problem) throw new XError('invalid-argument', `cannot ${attempt}: ${problem}`)
  const shape = input && tool({ name: 'input', description: '', parameters: input, execute: () => '' })
  const check = async (value: unknown): Promise<OutputOf<P>> => {
    const checked = (await shape?.validate?.(value)) ?? { value }
    if ('value' in checked) return checked.value as OutputOf<P>
    throw new XError('invalid-argument', `the input of a chat \`${name}\` does not fit: ${issuesText(checked.issues)}`)
  }
  return Object.freeze({ name, version, check, run, concurrency, keeps })
}

const issuesText = (issues: readonly ToolIssue[]): string =>
  issues.map(({ path, message }) => (path.length > 0 ? `\`${path.join('.')}\`: ${message}` : message)).join('; ')

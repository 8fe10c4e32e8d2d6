import type { runRecorded } from '@x/agent/steps'
import type { Run } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions } from '@x/kernel/options'
import { scopeOf } from '@x/kernel/run'
import type { ChatRun, DefinedChat, SubmitOptions } from '../defined-chat.ts'
import { HOST_OPTION_KINDS } from '../host-options.ts'
import { submittedId } from '../submission.ts'
import type { Messages } from './messages.ts'
import type { ProgramInput } from './program-start.ts'
import type { WaitTime } from './timers.ts'

/** The input and state of a start of a program, with the messages of its chat. */
export interface GivenProgram extends ProgramInput {
  readonly messages: Messages
}

/** Submits a chat under an identifier. */
type SubmitChat = (
  program: DefinedChat,
  input: unknown,
  options: SubmitOptions & { readonly id: string },
) => Promise<void>

/** The second argument of the function of a recorded run. */
export type RecordedRun = Parameters<Parameters<typeof runRecorded>[0]>[1]

/** Makes the argument of a program. */
export function chatRunOf(
  run: Run,
  recorded: RecordedRun,
  given: GivenProgram &
    Pick<ChatRun<never>, 'id' | 'perform'> & {
      readonly definition: DefinedChat
      readonly submit: SubmitChat
      /** Returns what the turn adds to a checkpoint. */
      readonly atCheckpoint?: (() => object) | undefined
    },
): ChatRun<never> {
  const { id, state, messages, perform, submit, definition, atCheckpoint } = given
  return {
    id,
    input: given.input as never,
    state,
    run,
    perform,
    io: messages.io,
    receive: (options) => messages.receive(run, timeoutOf(options)),
    sleep: (time) => messages.timers.sleep(run, time),
    now: () => messages.timers.time(run),
    submit: async (program, input, options = {}) => {
      const open = scopeOf(run)?.open?.(run, { kind: 'begin', name: 'chat' })
      try {
        open?.noteInput?.({ program: program.name, version: program.version, id: options.id ?? null, input })
        if (open?.known) return open.known.value as string
        const chatId = options.id ?? submittedId(id, open?.place ?? '0')
        await submit(program, input, { ...options, id: chatId })
        await open?.keep(chatId)
        return chatId
      } finally {
        open?.end()
      }
    },
    usage: () => recorded.usage,
    async checkpoint(next) {
      // A chat that keeps its value begins anew.
      if (definition.keeps === 'value') return
      await recorded.checkpoint({ ...definition.save(next), ...messages.kept, ...atCheckpoint?.() })
    },
  }
}

function timeoutOf(options: Parameters<ChatRun<never>['receive']>[0]): WaitTime | undefined {
  checkOptions(options, HOST_OPTION_KINDS.receive, 'receive a message')
  return options?.timeout
}

/** Makes the error of a chat that would have to wait, and keeps only its value. */
export const cannotWait = ({ name }: DefinedChat, what: string): XError =>
  new XError(
    'invalid-state',
    `the program \`${name}\` keeps only its value, and cannot wait for ${what}: leave \`keeps\` out of its \`defineChat\``,
  )

import type { ChatMessage } from '@x/interfaces'
import { TERMINATION_REQUEST } from './message.ts'

const INTRODUCTION = 'You are a capable assistant who solves tasks step by step.'

const ABOUT_CODE = `When code helps, put it into one fenced block that names its language (python or sh); the user runs it as it stands and sends you what it printed, and can do nothing else with it. Write complete code that prints what you need to see, and never leave parts for the user to fill in. To have a block saved as a file, make its first line "# filename: <name>".
Read the result of every run. When it failed, find out why and send the whole corrected code; when the approach itself does not work, try another one.`

const ABOUT_ANSWERS = `Use the tools you are given instead of guessing what they could tell you.
Check your answer before you give it, and say what it rests on.`

/** Default system message of an assistant. */
export const ASSISTANT_SYSTEM_MESSAGE: string = [INTRODUCTION, ABOUT_CODE, ABOUT_ANSWERS, TERMINATION_REQUEST].join(
  '\n',
)

/** The situation in which an assistant answers. */
interface AssistantSituation {
  /** True if somebody runs the code of its answers. */
  readonly runsCode: boolean
  /** True if the chat goes on until the assistant ends it. */
  readonly asksForEnd: boolean
}

const systemMessage = ({ runsCode, asksForEnd }: AssistantSituation): ChatMessage => {
  const parts = [INTRODUCTION, ...(runsCode ? [ABOUT_CODE] : []), ABOUT_ANSWERS]
  const content = [...parts, ...(asksForEnd ? [TERMINATION_REQUEST] : [])].join('\n')
  return Object.freeze({ content, role: 'system' })
}

const [PLAIN, WITH_END, WITH_CODE, WITH_BOTH] = [
  systemMessage({ runsCode: false, asksForEnd: false }),
  systemMessage({ runsCode: false, asksForEnd: true }),
  systemMessage({ runsCode: true, asksForEnd: false }),
  systemMessage({ runsCode: true, asksForEnd: true }),
] as const

/** The default system message of an assistant without the parts that do not hold: one object for each situation. */
export function assistantMessage({ runsCode, asksForEnd }: AssistantSituation): ChatMessage {
  if (runsCode) return asksForEnd ? WITH_BOTH : WITH_CODE
  return asksForEnd ? WITH_END : PLAIN
}

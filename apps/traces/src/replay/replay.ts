import type { Face } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { castOf, type Cast } from './cast.ts'
import { perform } from './perform.ts'
import { plain } from './plain.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import type { Recorded, Result, Trace } from './trace.ts'
import type { Conversation, World } from './world.ts'

/** Replays a trace on a world in one face and returns its observations, in the spelling of the recordings. */
export async function replay(trace: Trace, face: Face, world: World): Promise<Recorded> {
  const recorder = createRecorder(trace.given, face)
  const results: Result[] = []
  let cast: Cast | undefined
  try {
    cast = castOf(trace, world, { face, recorder })
  } catch (error) {
    results.push(failed(error, recorder))
  }
  if (cast) {
    const stage = { given: trace.given, world, cast, recorder, face, log: trace.log ?? false }
    for (const step of trace.steps) {
      recorder.isSilent = step.with?.['silent'] === true
      try {
        results.push({ value: await perform(step, stage) })
      } catch (error) {
        results.push(failed(error, recorder))
      }
    }
  }
  const conversations = Object.entries(cast?.agents ?? {}).map(
    ([name, agent]) => [name, [...world.conversations(agent)]] as const,
  )
  return {
    results,
    histories: table(conversations, ({ messages }) => messages.map(plain)),
    auto_reply_counters: table(conversations, ({ autoReplies }) => autoReplies),
    model_calls: recorder.modelCalls,
    model_call_counts: counts(recorder),
    function_calls: recorder.functionCalls,
    events: recorder.events,
    prompts: recorder.prompts,
    log: recorder.log,
    warnings: recorder.warnings.size,
    groups: Object.fromEntries(
      Object.entries(cast?.groups ?? {}).map(([name, { messages }]) => [name, messages.map(plain)]),
    ),
    draws: recorder.draws,
    wordings: world.groups?.wordings ?? {},
  }
}

/** An error by its code. One that no script threw and that is none of ours is shown, so that it equals no recording. */
function failed(error: unknown, recorder: Recorder): Result {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  if (isXError(error)) return { error: text, code: error.code }
  const scripted = error instanceof Error && recorder.scriptedErrors.has(error)
  return { error: text, code: scripted ? null : `unexpected ${text}` }
}

function table<V>(
  conversations: readonly (readonly [string, readonly Conversation[]])[],
  show: (conversation: Conversation) => V,
): Record<string, Record<string, V>> {
  return Object.fromEntries(
    conversations.map(([name, list]) => [
      name,
      Object.fromEntries(list.map((conversation) => [conversation.counterpart?.name ?? 'none', show(conversation)])),
    ]),
  )
}

function counts({ modelCalls }: Recorder): Record<string, number> {
  const byModel: Record<string, number> = {}
  for (const { model } of modelCalls) byModel[model] = (byModel[model] ?? 0) + 1
  return byModel
}

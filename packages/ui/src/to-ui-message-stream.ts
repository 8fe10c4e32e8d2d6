import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { UiMessageChunk } from './ui-message-chunk.ts'
import { UiMessageWriter, type UiStreamOptions } from './ui-message-writer.ts'
import { type RunEvents, writingKinds, WrittenRun } from './written-run.ts'

/**
 * Writes the events of a run as chunks of one message for `useChat` of the AI SDK (protocol `v1`). The run waits for its reader,
 * and leaving the loop stops it. A run that fails ends the message with a chunk `error`, one that is stopped with `abort`; neither
 * fails the reader. Of a hosted chat the message ends when the chat has ended or waits for a decision.
 */
export function toUiMessageStream(
  events: RunEvents,
  options: UiStreamOptions = {},
): AsyncIterableIterator<UiMessageChunk> {
  checkOptions(options, KINDS, 'write the message of a run')
  return new WrittenRun(events, new UiMessageWriter(options), options)
}

const KINDS: OptionKinds<UiStreamOptions> = { ...writingKinds, messageId: kind.text, continues: kind.object }

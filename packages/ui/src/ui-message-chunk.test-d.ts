import type { ChatInit, UIMessage, UIMessageChunk } from 'ai'
import { expectTypeOf, it } from 'vitest'
import { hasDecided, type UiAgentMessage, type UiMessageChunk } from './index.ts'

it('has chunks, messages and a condition as the AI SDK declares them', () => {
  expectTypeOf<UiMessageChunk>().toExtend<UIMessageChunk>()
  expectTypeOf<UiAgentMessage['role']>().toExtend<UIMessage['role']>()
  expectTypeOf(hasDecided).toExtend<NonNullable<ChatInit<UIMessage>['sendAutomaticallyWhen']>>()
})

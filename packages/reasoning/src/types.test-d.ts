import type { EventStream, LlmConfig, ReplyOutcome } from '@x/interfaces'
import { expectTypeOf } from 'vitest'
import {
  ReasoningAgent,
  search,
  searchStream,
  searchSync,
  type Method,
  type SearchParts,
  type SearchResult,
  type Strategy,
} from './index.ts'

declare const parts: SearchParts
declare const llmConfig: LlmConfig

expectTypeOf(search('Q', parts)).toEqualTypeOf<Promise<SearchResult>>()
expectTypeOf(searchSync('Q', parts)).toEqualTypeOf<SearchResult>()
expectTypeOf(searchStream('Q', parts)).toEqualTypeOf<EventStream<SearchResult>>()
expectTypeOf<ReturnType<Method>>().toEqualTypeOf<Strategy>()

// @ts-expect-error a blocking search takes no signal
searchSync('Q', { ...parts, signal: new AbortController().signal })
// @ts-expect-error a search needs its parts
void search('Q', { method: undefined })

const agent = new ReasoningAgent({ name: 'r', llmConfig, reasonConfig: { method: 'best_first', budget: { calls: 9 } } })
expectTypeOf(agent.generateForestResponseSync()).toEqualTypeOf<ReplyOutcome>()
// @ts-expect-error without a model there is nobody to think
void new ReasoningAgent({ name: 'r', llmConfig: false })
// @ts-expect-error a method that is not there
void new ReasoningAgent({ name: 'r', llmConfig, reasonConfig: { method: 'beam' } })
// @ts-expect-error a misspelt key
void new ReasoningAgent({ name: 'r', llmConfig, reasonConfig: { beamsize: 3 } })
// @ts-expect-error the root is read-only
agent.root = null

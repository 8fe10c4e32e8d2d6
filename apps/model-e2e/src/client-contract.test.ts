import type { ModelErrorKind } from '@x/interfaces'
import { createOpenAI } from '@x/provider-openai'
import {
  modelClientContract,
  startFakeOpenAI,
  type ContractAnswer,
  type ContractTurn,
  type FakeOpenAI,
  type ServerAnswer,
  type ServerFailure,
  type ServerReply,
} from '@x/testing'
import { describe, expect, test } from 'vitest'

const provider = createOpenAI({ clock: { sleep: async () => {}, random: () => 0 } })

/** What the fake server does for each kind of failure. */
const FAILURES: Partial<Record<ModelErrorKind, ServerFailure>> = {
  'rate-limit': '429',
  quota: 'quota',
  server: '500',
  overloaded: '503',
  auth: '401',
  'not-found': '404',
  'invalid-request': '400',
  'context-overflow': 'context-overflow',
  'content-filter': 'content-filter',
  connection: 'reset',
  timeout: 'hang',
}

function answerOf({ text, calls, usage }: ContractAnswer): ServerAnswer {
  return {
    ...(text !== undefined && { content: text }),
    ...(calls && { tool_calls: calls.map((call, index) => ({ id: `call_${index + 1}`, function: call })) }),
    ...(usage && { usage }),
  }
}

function replyOf(turn: ContractTurn): ServerReply {
  if ('answer' in turn) return answerOf(turn.answer)
  if ('failure' in turn) return { failure: FAILURES[turn.failure]! }
  if ('hang' in turn) return { failure: 'hang' }
  return { failure: 'cut', answer: answerOf(turn.cut) }
}

/** The contract for the adapter over HTTP; `azure` asks by the path of Azure, `responses` by the Responses API. */
function overHttp(kind: 'openai' | 'azure' | 'responses'): void {
  const azure = kind === 'azure'
  const servers: FakeOpenAI[] = []
  modelClientContract(
    { describe, test, expect },
    {
      name: `${kind} over HTTP`,
      model: 'some-model',
      failures: Object.keys(FAILURES) as ModelErrorKind[],
      async create(turns, key) {
        const failsByTime = turns.some((turn) => 'failure' in turn && turn.failure === 'timeout')
        const server = await startFakeOpenAI({ replies: turns.map(replyOf), strict: true, apiKey: key })
        servers.push(server)
        return provider.createClient({
          model: 'some-model',
          apiKey: key,
          maxRetries: 0,
          ...(failsByTime && { timeout: 0.05 }),
          ...(kind === 'responses' && { api: kind }),
          ...(azure ? { apiType: 'azure', apiVersion: '2024-10-21', baseUrl: server.origin } : { baseUrl: server.url }),
        })
      },
      async dispose() {
        for (const server of servers.splice(0)) await server.close()
      },
    },
  )
}

overHttp('openai')
overHttp('azure')
overHttp('responses')

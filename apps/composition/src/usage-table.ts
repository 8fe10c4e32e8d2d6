import type { LogRecord, Logger } from '@x/interfaces'
import Table from 'cli-table3'

type ChatCompletionRecord = Extract<LogRecord, { record: 'chatCompletion' }>

/** The usage of one model in all its calls. */
export interface ModelRow {
  model: string
  calls: number
  failed: number
  promptTokens: number
  completionTokens: number
  /** US dollars. */
  cost: number
}

/** Keeps the records of model calls for the table at the end. */
export function createCallLog(): Logger & { readonly records: readonly ChatCompletionRecord[] } {
  const records: ChatCompletionRecord[] = []
  return {
    records,
    log(record: LogRecord) {
      if (record.record === 'chatCompletion') records.push(record)
    },
  }
}

/** Adds the records up, one row per model asked, in the order in which the models were first asked. */
export function foldCalls(records: readonly ChatCompletionRecord[]): ModelRow[] {
  const rows = new Map<string, ModelRow>()
  for (const { request, response, cost } of records) {
    const model = typeof request['model'] === 'string' ? request['model'] : '?'
    const row = rows.get(model) ?? { model, calls: 0, failed: 0, promptTokens: 0, completionTokens: 0, cost: 0 }
    rows.set(model, row)
    row.calls++
    row.cost += cost
    const usage = usageOf(response)
    if (!usage) row.failed++
    row.promptTokens += usage?.prompt_tokens ?? 0
    row.completionTokens += usage?.completion_tokens ?? 0
  }
  return [...rows.values()]
}

/** The tokens of an answer; none for a call that failed. */
function usageOf(response: unknown): { prompt_tokens: number; completion_tokens: number } | undefined {
  if (typeof response !== 'object' || response === null) return undefined
  const { usage } = response as { usage?: { prompt_tokens?: number; completion_tokens?: number } }
  return { prompt_tokens: usage?.prompt_tokens ?? 0, completion_tokens: usage?.completion_tokens ?? 0 }
}

/** Draws the rows as a table, with a line for their sum. */
export function drawUsage(rows: readonly ModelRow[]): string {
  const table = new Table({
    head: ['model', 'calls', 'failed', 'prompt tokens', 'completion tokens', 'cost'],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  })
  const cells = (row: Omit<ModelRow, 'model'>): (string | number)[] => [
    row.calls,
    row.failed,
    row.promptTokens,
    row.completionTokens,
    `$${row.cost.toFixed(6)}`,
  ]
  for (const row of rows) table.push([row.model, ...cells(row)])
  const sum = (key: keyof Omit<ModelRow, 'model'>): number => rows.reduce((total, row) => total + row[key], 0)
  table.push([
    'total',
    ...cells({
      calls: sum('calls'),
      failed: sum('failed'),
      promptTokens: sum('promptTokens'),
      completionTokens: sum('completionTokens'),
      cost: sum('cost'),
    }),
  ])
  return table.toString()
}

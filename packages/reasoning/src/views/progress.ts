import type { SearchEvent, SearchUsage } from '@x/interfaces'
import { formatWorth, shorten } from './marks.ts'
import { DEFAULT_WIDTH_COLUMNS } from './text.ts'

/** Follows the events of a search and formats its progress in one line: calls, tokens, cost, nodes, best candidate. */
export class SearchProgress {
  /** Usage of the finished jobs. */
  readonly used: SearchUsage = { calls: 0, promptTokens: 0, completionTokens: 0, cost: 0 }
  /** Number of nodes. */
  nodes = 0
  /** Number of jobs in flight. */
  running = 0
  /** Number of failed jobs. */
  failures = 0
  #best: { content: string; grade: number | null } | null = null
  readonly #contents = new Map<string, string>()

  /** Updates the progress by an event. */
  take(event: SearchEvent): void {
    switch (event.type) {
      case 'jobStart':
        this.running += 1
        break
      case 'jobEnd':
        this.running -= 1
        this.failures += event.failure === null ? 0 : 1
        for (const key of ['calls', 'promptTokens', 'completionTokens', 'cost'] as const)
          this.used[key] += event.used[key]
        break
      case 'nodeAdd':
        this.nodes += 1
        // The question is not a candidate for the answer.
        if (event.parent !== null) this.#contents.set(event.node, event.content)
        break
      case 'bestChange': {
        const content = event.text ?? this.#contents.get(event.node ?? '')
        this.#best = content === undefined ? null : { content, grade: event.grade }
        break
      }
      case 'searchEnd':
        this.running = 0
        break
      case 'searchStart':
      case 'nodeGrade':
      case 'nodeFate':
      case 'searchWarning':
    }
  }

  /** Formats the line in at most `width` columns; 0 and an unknown width count as 100. */
  line(width: number = DEFAULT_WIDTH_COLUMNS): string {
    const { calls, promptTokens, completionTokens, cost } = this.used
    const tokens = promptTokens + completionTokens
    const parts = [
      `${calls} calls${this.running > 0 ? ` (+${this.running})` : ''}`,
      `${tokens < 10_000 ? tokens : `${Math.round(tokens / 1000)}k`} tokens`,
      cost > 0 ? `$${cost.toFixed(4)}` : '',
      `${this.nodes} nodes`,
      this.failures > 0 ? `${this.failures} failed` : '',
      this.#best ? `best ${formatWorth(this.#best.grade)} ${this.#best.content}` : '',
    ]
    return shorten(parts.filter((part) => part !== '').join(' · '), width || DEFAULT_WIDTH_COLUMNS)
  }
}

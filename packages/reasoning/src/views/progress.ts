import type { SearchUsage, XEvent } from '@x/interfaces'
import { formatWorth, shorten } from './marks.ts'
import { DEFAULT_WIDTH_COLUMNS } from './text.ts'

/** Follows the events of a search and formats its progress in one line: calls, tokens, cost, nodes, best candidate. */
export class SearchProgress {
  /** Usage of the finished jobs. */
  readonly used: SearchUsage = { calls: 0, promptTokens: 0, completionTokens: 0, cost: 0 }
  /** Number of failed jobs. */
  failures = 0
  #best: { content: string; grade: number | null } | null = null
  /** The contents by search and node. A run that another process goes on with may send a node again. */
  readonly #contents = new Map<string, string>()
  /** The spans of the jobs in flight. */
  readonly #running = new Set<string>()

  /** Number of nodes. */
  get nodes(): number {
    return this.#contents.size
  }

  /** Number of jobs in flight. */
  get running(): number {
    return this.#running.size
  }

  /** Updates the progress by an event; events of other kinds change nothing. */
  take(event: XEvent): void {
    switch (event.type) {
      case 'searchJobStart':
        this.#running.add(event.id)
        break
      case 'searchJobEnd':
        this.#running.delete(event.id)
        this.failures += event.failure === null ? 0 : 1
        for (const key of ['calls', 'promptTokens', 'completionTokens', 'cost'] as const)
          this.used[key] += event.used?.[key] ?? 0
        break
      case 'searchNode':
        // The question is not a candidate for the answer.
        this.#contents.set(`${event.parentId} ${event.node}`, event.parent === null ? '' : event.content)
        break
      case 'searchBest': {
        const content = event.text ?? this.#contents.get(`${event.parentId} ${event.node}`)
        this.#best = content ? { content, grade: event.grade } : null
        break
      }
      default:
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
